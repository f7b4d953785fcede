#!/usr/bin/env bash
# Runs unit test programs, some at once:  tests/unit/run.sh RESULTS PROGRAM...
# RESULTS is a folder for one log a program. WRAPPER may name a command to run each under (valgrind).
# Shows the log of a program that failed; the last line is `N passed, N failed`, and the status says the same.
# A test counts as passed only when it said so: one that was planned and never reported has failed, and so has a
# program without a single test. A skipped test is neither, and is told apart. A wrapped test is told so by
# TRUEUP_SLOW_RUN=1 and may do fewer rounds of what it repeats.
set -uo pipefail

results=$1
shift
limit_s=${TEST_LIMIT_S:-300}
mkdir -p "$results"
rm -f "$results"/*.log "$results"/*.counts

# Prints "passed failed skipped" from one program's output (TAP, several plans may follow each other) and exit status.
count_tests() {
	awk -v status="$1" '
		/^1\.\.[0-9]+/ { planned += substr($1, 4) }
		/^(not )?ok .*# SKIP/ { skipped++; next }
		/^ok / { passed++ }
		/^not ok / { failed++ }
		END {
			lost = planned - passed - failed - skipped
			if (lost > 0)
				failed += lost
			if (failed == 0 && (status != 0 || passed + skipped == 0))
				failed = 1
			print passed + 0, failed + 0, skipped + 0
		}' "$2"
}

run_program() {
	local program=$1 name status=0 began_s=$SECONDS
	name=$(basename "$program")
	# shellcheck disable=SC2086 # the wrapper is a command with its arguments
	TRUEUP_SLOW_RUN=${WRAPPER:+1} CMOCKA_MESSAGE_OUTPUT=tap timeout --kill-after=10 "$limit_s" ${WRAPPER:-} "$program" \
		>"$results/$name.log" 2>&1 </dev/null || status=$?
	[ "$status" -ne 124 ] || echo "stopped after $limit_s seconds" >>"$results/$name.log"
	[ "$status" -eq 0 ] || echo "exit status $status" >>"$results/$name.log"
	echo "$(count_tests "$status" "$results/$name.log") $((SECONDS - began_s))" >"$results/$name.counts"
}

# Those that take longest mostly wait; under a wrapper they compute.
at_once=$(nproc)
[ -n "${WRAPPER:-}" ] || at_once=$((at_once * 4))
for program in "$@"; do
	while [ "$(jobs -pr | wc -l)" -ge "$at_once" ]; do
		wait -n
	done
	run_program "$program" &
done
wait

total_passed=0
total_failed=0
for program in "$@"; do
	name=$(basename "$program")
	passed=0 failed=1 skipped=0 took_s=0
	read -r passed failed skipped took_s <"$results/$name.counts"
	total_passed=$((total_passed + passed))
	total_failed=$((total_failed + failed))
	[ "$failed" -eq 0 ] || {
		echo "--- $program"
		cat "$results/$name.log"
	}
	told="$name: $passed passed, $failed failed"
	[ "$skipped" -eq 0 ] || told+=", $skipped skipped"
	[ "$took_s" -lt 5 ] || told+=" ($took_s s)"
	echo "$told"
done
if [ $# -eq 0 ]; then
	echo "there is no unit test program to run"
	total_failed=1
fi
echo "$total_passed passed, $total_failed failed"
[ "$total_failed" -eq 0 ]
