#!/usr/bin/env bash
# Which branches of recovery no seed takes:  tests/simulate/coverage.sh BUILD SOURCE...
# BUILD is a folder built with --coverage, in which the simulation has run. Each branch that was never taken is
# printed with its line; the last line is the sum.
set -euo pipefail

build=$1
shift
missed=0
all=0
for source in "$@"; do
	report=$(gcov --branch-probabilities --branch-counts --stdout --object-directory \
		"$build/obj/$(dirname "$source")" "$build/obj/${source%.c}.o" 2>/dev/null)
	# Of the source alone, not of the headers within it. A branch follows its line; calls are none.
	lines=$(awk -v source="$source" '
		/^ *-: *0:Source:/ { ours = ($0 ~ "Source:" source "$") }
		!ours { next }
		/^ *[0-9#=*-]+\*?: *[0-9]+:/ { split($0, parts, ":"); line = parts[2] + 0; text = $0; sub(/^[^:]*:[^:]*:/, "", text) }
		/^branch / {
			all++
			if ($0 ~ /never executed/ || $0 ~ /taken 0( |$)/) {
				missed++
				printf "%s:%d: branch %d never taken:%s\n", source, line, $2, text
			}
		}
		END { printf "sum %d %d\n", missed + 0, all + 0 }' <<<"$report")
	grep -v '^sum ' <<<"$lines" || true
	read -r _ some of < <(tail -n 1 <<<"$lines")
	echo "$source: $((of - some)) of $of branches taken"
	missed=$((missed + some))
	all=$((all + of))
done
echo "$((all - missed)) of $all branches of recovery taken"
