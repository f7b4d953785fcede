#!/usr/bin/env bash
# Makes the Python environment of the tests:  tools/python-environment.sh FOLDER REQUIREMENTS
# FOLDER/ready is touched last, so that a half-made environment is made anew.
set -euo pipefail
folder=$1
requirements=$2

for python in python3 /usr/bin/python3; do
	"$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
	python=
done
[ -n "$python" ] || {
	echo "no python3 of 3.11 or later with the modules venv and ensurepip was found; Debian 12 and Ubuntu 24.04 have one" \
		"in the package python3-venv" >&2
	exit 1
}

echo "installing the Python test dependencies into $folder" >&2
rm -f "$folder/ready"
# An environment that works is kept: pip only changes what differs.
"$folder/bin/python" -c 'import pip' 2>/dev/null || "$python" -m venv --clear "$folder"
# The file names every package at its exact version, so there is nothing to resolve; the check proves it. Most of what
# is in the packages is never used: what is, Python compiles when it is.
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --requirement "$requirements"
"$folder/bin/python" -m pip check --disable-pip-version-check >&2
touch "$folder/ready"
