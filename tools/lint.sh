#!/usr/bin/env bash
# Looks over the source without running it:  tools/lint.sh [STAGE...]
# Without a stage: all of them. BUILD (environment) is the build folder, default build; what is slow is kept under
# BUILD/lint and done again only for what changed. Each stage says what is wrong and counts as one test; the last line
# is `N passed, N failed`, and the status says the same.
set -uo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build}
make=${MAKE:-make}
work=$build/lint
mkdir -p "$work"
at_once=$(nproc)

folders=(base reconcile specs state providers cli tests/unit tests/tools tests/simulate)
# Made by a script from other people's models: as long as those are.
generated='^providers/aws/shapes/'
# Lengths at which a second thing is suspected (told), and at which it is certain (a failure).
function_suspect=60 function_limit=100 file_suspect=600 file_limit=800

mapfile -t c_files < <(find "${folders[@]}" -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
mapfile -t python_files < <(find tests tools -name '*.py' 2>/dev/null | LC_ALL=C sort)
mapfile -t sources < <(printf '%s\n' "${c_files[@]}" | grep '\.c$')

# Every file is laid out as .clang-format says; `make format` does it.
stage_format() {
	printf '%s\n' "${c_files[@]}" | xargs -P "$at_once" -n 16 clang-format --dry-run -Werror
}

# Both compilers, with all warnings on and each of them a failure. What they make is not debugged.
# gcc also follows every path in search of leaks and null pointers. What it does most there is to take memory and give
# it back: with an allocator quicker than libc's it is done in two thirds of the time, and says the same.
stage_gcc() {
	local allocator
	allocator=$(gcc -print-file-name=libmimalloc.so)
	# Where there is none, that is no more than a name.
	[ "${allocator#/}" = "$allocator" ] || local -x LD_PRELOAD="$allocator${LD_PRELOAD:+:$LD_PRELOAD}"
	"$make" --no-print-directory -k WERROR=1 CC=gcc CFLAGS="-O2 -fanalyzer" \
		BUILD="$work/gcc" all test-programs
}
stage_clang() {
	"$make" --no-print-directory -k WERROR=1 CC=clang CFLAGS=-O2 BUILD="$work/clang" all test-programs
}

# clang-tidy still tells each planted defect, at its line, and nothing else there.
stage_planted() {
	local planted=tests/lint/planted.c
	diff <(sed -nE '/told: /{=;s|.*/\* told: (.*) \*/|\1|p}' "$planted" | paste -d ' ' - -) \
		<(clang-tidy --quiet "$planted" -- -std=gnu17 2>/dev/null |
			sed -nE 's/^[^:]*:([0-9]+):[0-9]+: [a-z]+: .*\[([^],]+).*/\1 \2/p' | sort -un)
}

stage_tidy() {
	"$make" --no-print-directory -k WERROR=1 CC=clang CFLAGS=-O2 BUILD="$work/clang" tidy
}

stage_cppcheck() {
	mkdir -p "$work/cppcheck"
	cppcheck -j "$at_once" --quiet --std=c11 --platform=unix64 --error-exitcode=1 --inline-suppr -I . \
		--cppcheck-build-dir="$work/cppcheck" --suppressions-list=tools/cppcheck-suppressions.txt \
		--enable=warning,performance,portability "${sources[@]}"
}

stage_layers() {
	bash tools/layers.sh . "$work/gcc/obj"
}

# Every header stands alone: it includes what it needs, and both compilers take it without a warning.
stage_headers() {
	"$make" --no-print-directory -k WERROR=1 BUILD="$work/headers" headers
}

stage_lengths() {
	{
		printf '%s\n' "${c_files[@]}" | grep -v "$generated"
		printf '%s\n' "${python_files[@]}"
	} | xargs -r awk -v suspect="$function_suspect" \
		-v limit="$function_limit" -v file_suspect="$file_suspect" -v file_limit="$file_limit" '
		function judge(where, what, lines, suspected, most) {
			if (lines > suspected)
				print where ": " what " of " lines " lines, " (lines > most ? "too long: " : "long: ") \
					"more than " (lines > most ? most : suspected)
			wrong += lines > most
		}
		function end_block() {
			if (began)
				judge(name ":" began, "a function", ended - began + 1, suspect, limit)
			began = 0
		}
		function end_file() {
			if (python)
				end_block()
			if (name != "")
				judge(name, "a file", lines, file_suspect, file_limit)
		}
		FNR == 1 { end_file(); name = FILENAME; python = name ~ /\.py$/; began = 0; in_table = 0 }
		{ lines = FNR }
		# A function of Python ends with its last line that is indented deeper.
		python && /[^ ]/ {
			match($0, /^ */)
			if (began && RLENGTH <= depth && !/^ *\)/)
				end_block()
			if (!began && /^ *(async )?def /) {
				began = FNR
				depth = RLENGTH
			}
			ended = FNR
		}
		python { next }
		/^{$/ { began = FNR; rows = 0 }
		# The rows of a table within a function are no steps that a reader follows.
		began && /= {$/ { in_table = 1 }
		began && in_table { rows++ }
		/^\t+};$/ { in_table = 0 }
		/^}$/ && began { judge(name ":" began, "a function", FNR - began + 1 - rows, suspect, limit); began = 0 }
		END { end_file(); exit wrong > 0 }'
}

# What is left to do stands in the issues, not in the code.
stage_leftovers() {
	! grep -rnIE --exclude-dir=.git --exclude-dir=__pycache__ --exclude=lint.sh '\b(TODO|FIXME|XXX|HACK)\b' \
		"${folders[@]}" tests tools docs examples Makefile README.md CONTRIBUTING.md 2>/dev/null
}

# What is released by itself at the end of its function (X_AUTO) is begun before anything can leave that: else whatever
# the stack held would be released. It is begun where its address, or a value, is first given.
stage_begun() {
	printf '%s\n' "${sources[@]}" | xargs -r awk '
		function leave(why) {
			for (name in declared)
				print FILENAME ":" FNR ": " why " before \047" name "\047 of line " declared[name] " is begun"
			wrong += length(declared) > 0
			delete declared
		}
		FNR == 1 { delete declared }
		/^}/ { delete declared }
		{
			for (name in declared)
				if ($0 ~ "(&" name "|(^|[^a-z_.])" name " =)([^a-z_0-9]|$)")
					delete declared[name]
		}
		/(^|[^a-z_])return([^a-z_]|$)/ { leave("returns") }
		/^\t+[A-Z_]+_AUTO [a-z_0-9]+;$/ { sub(";", "", $2); declared[$2] = FNR }
		END { exit wrong > 0 }'
}

# In this order: what is quick first, and the objects of gcc and clang before what looks at them.
stages=(format lengths leftovers begun headers gcc layers clang planted tidy cppcheck)
[ $# -eq 0 ] || stages=("$@")

passed=0
failed=0
for stage in "${stages[@]}"; do
	if ! declare -F "stage_$stage" >/dev/null; then
		echo "lint: there is no stage '$stage'"
		failed=$((failed + 1))
		continue
	fi
	began_s=$SECONDS
	if [ ${#sources[@]} -gt 0 ] && "stage_$stage" >"$work/$stage.log" 2>&1; then
		verdict=ok
		passed=$((passed + 1))
	else
		verdict=FAILED
		failed=$((failed + 1))
	fi
	echo "lint $stage: $verdict ($((SECONDS - began_s)) s)"
	# A stage that passed may still have something to tell (lengths).
	[ ! -s "$work/$stage.log" ] || { [ $verdict = ok ] && [ "$stage" != lengths ]; } || sed 's/^/  /' "$work/$stage.log"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
