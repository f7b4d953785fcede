#!/usr/bin/env bash
# Makes sure of the Debian packages behind one kind of work:
#   tools/dependencies.sh build|test|lint|valgrind|bench
# A package is missing only if what it is wanted for is: a compiler that came some other way serves as well.
# Exit status 0: everything is there. 1: something is missing and could not be installed; one line says what to run.
set -euo pipefail

# Rows: work, package, what it is wanted for (a command, a pkg-config module, a header, a Python module,
# any of some files).
rows='
build     gcc                   command gcc
build     libc6-dev             header stdio.h
build     binutils              command ar
build     make                  command make
build     pkg-config            command pkg-config
build     libyaml-dev           module yaml-0.1
build     libcurl4-openssl-dev  module libcurl
build     libsqlite3-dev        module sqlite3
build     libssl-dev            module openssl
build     libpcre2-dev          module libpcre2-8
build     libjansson-dev        module jansson
build     libexpat1-dev         module expat
build     ca-certificates       file /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem
test      libcmocka-dev         module cmocka
test      libmimalloc-dev       header mimalloc.h
test      python3               command python3
test      python3-venv          python ensurepip
lint      clang                 command clang
lint      clang-format          command clang-format
lint      clang-tidy            command clang-tidy
lint      cppcheck              command cppcheck
lint      libcmocka-dev         module cmocka
lint      libmimalloc-dev       header mimalloc.h
valgrind  valgrind              command valgrind
valgrind  libcmocka-dev         module cmocka
bench     python3               command python3
'

is_there() {
	local kind=$1 name=$2 file
	case $kind in
	command) command -v "$name" >/dev/null ;;
	module) command -v pkg-config >/dev/null && pkg-config --exists "$name" ;;
	header) [ -e "/usr/include/$name" ] || echo "#include <$name>" | gcc -E - >/dev/null 2>&1 ;;
	python) any_python_has "$name" ;;
	file)
		for file in "${@:2}"; do
			[ -e "$file" ] && return 0
		done
		return 1
		;;
	esac
}

# A python3 of the user's own may come first in PATH and lack what Debian's has, or the other way round.
any_python_has() {
	local python
	for python in /usr/bin/python3 python3; do
		"$python" -c "import $1" 2>/dev/null && return 0
	done
	return 1
}

missing_packages() {
	local work package kind names
	while read -r work package kind names; do
		[ "$work" = "$1" ] || continue
		# Names hold no spaces.
		# shellcheck disable=SC2086
		is_there "$kind" $names || printf '%s\n' "$package"
	done <<<"$rows"
}

work=${1:-build}
grep -q "^$work " <<<"$rows" || {
	echo "tools/dependencies.sh: '$work' is not one of build, test, lint, valgrind, bench" >&2
	exit 1
}

mapfile -t missing < <(missing_packages "$work")
[ ${#missing[@]} -gt 0 ] || exit 0

echo "trueup needs these packages, which are not installed: ${missing[*]}" >&2
by_hand="apt-get update && apt-get install -y ${missing[*]}"
give_up() {
	echo "$1; run this, then try again:  $by_hand" >&2
	exit 1
}

command -v apt-get >/dev/null || give_up "there is no apt-get here; install the like of these by your system's means"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	by_hand="sudo sh -c '$by_hand'"
	command -v sudo >/dev/null || give_up "they cannot be installed without root or sudo"
	as_root=(sudo)
	# Without a terminal nobody can type a password.
	[ -t 0 ] || as_root=(sudo -n)
fi

install_packages() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -qq -y "$@" >&2
}
install_packages update || echo "the package lists could not be renewed; trying with those at hand" >&2
install_packages install --no-install-recommends "${missing[@]}" || give_up "installing them failed"

mapfile -t missing < <(missing_packages "$work")
[ ${#missing[@]} -eq 0 ] || give_up "still missing after the installation: ${missing[*]}"
