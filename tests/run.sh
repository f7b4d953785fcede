#!/usr/bin/env bash
# Runs everything `make test` promises:  tests/run.sh RESULTS E2E [UNIT-PROGRAM...]
# RESULTS is a folder for logs, E2E what pytest is given (files, folders, options), VENV (environment) where pytest
# lives.
# The last line is the sum, `N passed, N failed`, and the status says the same.
set -uo pipefail

results=$1
read -ra e2e <<<"$2"
shift 2
mkdir -p "$results"
root=$(cd "$(dirname "$0")/.." && pwd)

# Prints "passed failed" of the last line of a log that says so; nothing said is one failure.
counts_of() {
	local line
	line=$(tail -n 1 "$1" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p')
	echo "${line:-0 1}"
}

# pytest's own report in XML, so that no wording of its summary matters.
count_pytest() {
	local report=$1 status=$2
	"$VENV/bin/python" - "$report" "$status" <<'PYTHON'
import sys, xml.etree.ElementTree as tree

report, status = sys.argv[1], int(sys.argv[2])
try:
    suites = list(tree.parse(report).getroot().iter("testsuite"))
except (OSError, tree.ParseError):
    suites = []
total, bad, skipped = (
    sum(int(suite.get(name, 0)) for suite in suites for name in names)
    for names in (["tests"], ["failures", "errors"], ["skipped"])
)
if bad == 0 and (status != 0 or total == 0):
    bad = 1
print(max(total - bad - skipped, 0), bad)
PYTHON
}

# The programs under test have the disk keep what they write, many times a second. What a kill leaves is the same in
# memory, so the tests' folders lie there where nobody said otherwise and there is room.
memory=/dev/shm
room_kib=$(df --output=avail "$memory" 2>/dev/null | tail -n 1)
if [ -z "${TMPDIR:-}" ] && [ "${room_kib:-0}" -ge $((2 * 1024 * 1024)) ] && [ -w "$memory" ]; then
	TMPDIR=$(mktemp -d "$memory/trueup-tests.XXXXXX") && export TMPDIR && trap 'rm -rf "$TMPDIR"' EXIT
fi

# What Python compiles is kept, and compiled here once, beside the unit tests: each worker would do it for itself.
export PYTHONDONTWRITEBYTECODE=
run_pytest() {
	"$VENV/bin/python" -m pytest --quiet -o cache_dir="$(realpath "$results")/pytest-cache" "$@" "${e2e[@]}" </dev/null
}
{
	"$VENV/bin/python" -c 'import moto.server, moto.ec2.urls, moto.autoscaling.urls'
	run_pytest --collect-only
} >"$results/compile.log" 2>&1 &
compilation=$!

unit_passed=0
unit_failed=0
if [ $# -gt 0 ]; then
	echo "== unit tests"
	bash "$root/tests/unit/run.sh" "$results/unit" "$@" | tee "$results/unit.log"
	read -r unit_passed unit_failed < <(counts_of "$results/unit.log")
fi

echo "== end-to-end tests"
rm -f "$results/e2e.xml"
# What went wrong there goes wrong again, and is told then.
wait "$compilation" || true
status=0
run_pytest -n "${TEST_WORKERS:-6}" --dist loadgroup --junitxml="$results/e2e.xml" || status=$?
read -r e2e_passed e2e_failed < <(count_pytest "$results/e2e.xml" "$status")

passed=$((unit_passed + ${e2e_passed:-0}))
failed=$((unit_failed + ${e2e_failed:-1}))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
