#!/usr/bin/env bash
# Which branches of recovery no seed takes:  tests/simulate/coverage.sh BUILD SOURCE...
# BUILD is a folder built with --coverage, in which the simulation has run. Each branch that was never taken is
# printed with its line, or with why no run of the whole program can take it (unreachable.txt, beside this); the last
# line is the sum. The status is 1 where a branch is left without a reason, and where a reason excuses more branches of
# its line than were not taken: what is said to be impossible has happened, or the line is no more.
set -euo pipefail

build=$1
reasons=$(dirname "$0")/unreachable.txt
shift
missed=0
excused=0
idle=0
all=0
for source in "$@"; do
	report=$(gcov --branch-probabilities --branch-counts --stdout --object-directory \
		"$build/obj/$(dirname "$source")" "$build/obj/${source%.c}.o" 2>/dev/null)
	# Of the source alone, not of the headers within it. A branch follows its line; calls are none.
	lines=$(awk -v source="$source" '
		NR == FNR {
			if ($0 ~ /^#/ || split($0, parts, / \| /) != 5 || parts[1] != source) next
			left[parts[2]] = parts[3]
			reason[parts[2]] = parts[4] "; " parts[5]
			next
		}
		/^ *-: *0:Source:/ { ours = ($0 ~ "Source:" source "$") }
		!ours { next }
		/^ *[0-9#=*-]+\*?: *[0-9]+:/ {
			split($0, parts, ":")
			line = parts[2] + 0
			text = $0
			sub(/^[^:]*:[^:]*:[ \t]*/, "", text)
		}
		/^branch / {
			all++
			if ($0 !~ /never executed/ && $0 !~ /taken 0( |$)/) next
			if (left[text] > 0) {
				left[text]--
				excused++
				printf "%s:%d: branch %d cannot be taken: %s\n", source, line, $2, reason[text]
			} else {
				missed++
				printf "%s:%d: branch %d never taken: %s\n", source, line, $2, text
			}
		}
		END {
			for (text in left) {
				if (left[text] == 0) continue
				idle += left[text]
				printf "%s: said to be impossible, and taken or gone: %s\n", source, text
			}
			printf "sum %d %d %d %d\n", missed + 0, excused + 0, idle + 0, all + 0
		}' "$reasons" - <<<"$report")
	grep -v '^sum ' <<<"$lines" || true
	read -r _ some known stale of < <(tail -n 1 <<<"$lines")
	echo "$source: $((of - some - known)) of $of branches taken, $known cannot be"
	missed=$((missed + some))
	excused=$((excused + known))
	idle=$((idle + stale))
	all=$((all + of))
done
echo "$((all - missed - excused)) of $all branches of recovery taken, $excused cannot be, $missed are left"
[ "$missed" -eq 0 ] && [ "$idle" -eq 0 ]
