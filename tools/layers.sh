#!/usr/bin/env bash
# Checks that nothing reaches up or sideways in the house:  tools/layers.sh [ROOT [OBJECTS]]
# ROOT is the tree to look at (default: this one); OBJECTS, a folder with its object files laid out like the tree,
# adds what includes cannot show: a function declared by hand and called across floors, and a floor that prints or
# ends the process itself. Status 0: all is well. 1: each wrong place was named. 2: there was nothing to look at.
set -euo pipefail

root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
objects=${2:-}

# Rows: a floor and the floors it may use beside itself. A folder that is in no row is an error.
floors='
base
reconcile        base
specs            base reconcile
state            base reconcile
providers/net    base reconcile
providers/aws    base reconcile providers/net
providers/metal  base reconcile providers/net
providers/sim    base reconcile
cli              base reconcile specs state providers/net providers/aws providers/metal providers/sim
tests            base reconcile specs state providers/net providers/aws providers/metal providers/sim cli
'

# Rows: how the header of a library begins and the floors that alone may include it.
libraries='
jansson    base
openssl/   base providers/sim
pcre2      reconcile
yaml.h     specs
sqlite3    state
curl/      providers/net
expat      providers/aws
'

# Rows: what prints or ends the process and the floor that alone may call it. The one exception is the door to the
# heap, which ends the process when memory runs out (see base/memory.h). abort() is for bugs, as assert() is.
calls='
exit _exit _Exit quick_exit err errx                                      cli
printf vprintf puts putchar perror __printf_chk __vprintf_chk stdout stderr  cli
'
call_exceptions='base/memory.o'

# Shared by both checks: the floor of a path, and whether one floor may use another.
common='
function read_rows(text, into,   lines, count, i, words, n, j) {
	count = split(text, lines, "\n")
	for (i = 1; i <= count; i++) {
		n = split(lines[i], words, " ")
		if (n == 0)
			continue
		is_floor[words[1]] = 1
		for (j = 1; j <= n; j++)
			into[words[1], words[j]] = 1
	}
}
function floor_of(path,   parts, n, two) {
	n = split(path, parts, "/")
	if (n < 2)
		return ""
	two = parts[1] "/" parts[2]
	if (n > 2 && two in is_floor)
		return two
	return parts[1] in is_floor ? parts[1] : ""
}
function say(text) {
	print text
	wrong++
}
'

cd "$root"
mapfile -t files < <(find base reconcile specs state providers cli tests -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
if [ ${#files[@]} -eq 0 ]; then
	echo "layers: no C file under '$root'" >&2
	exit 2
fi

status=0
awk -v floors="$floors" -v libraries="$libraries" "$common"'
BEGIN {
	read_rows(floors, may_use)
	library_count = split(libraries, library_rows, "\n")
}
FNR == 1 {
	own = floor_of(FILENAME)
	if (own == "")
		say(FILENAME ":1: its folder belongs to no floor; see the rows in tools/layers.sh")
}
own != "" && /^[ \t]*#[ \t]*(include|embed)/ {
	where = FILENAME ":" FNR ": "
	name = $0
	quoted = name ~ /"/
	if (!sub(/^[^"<]*["<]/, "", name) || !sub(/[">].*$/, "", name)) {
		say(where "an include that is neither \"...\" nor <...> cannot be checked")
		next
	}
	for (i = 1; i <= library_count && own != "tests"; i++) {
		count = split(library_rows[i], row, " ")
		if (count == 0 || index(name, row[1]) != 1)
			continue
		allowed = ""
		for (j = 2; j <= count; j++)
			allowed = allowed (j > 2 ? " and " : "") row[j] "/"
		if ((" " allowed " ") !~ (" " own "/ "))
			say(where "<" name "> is for " allowed " alone")
	}
	other = floor_of(name)
	if (!quoted && other == "")
		next
	if (other == "")
		say(where "\"" name "\" is not written from the root, or its folder belongs to no floor")
	else if (!((own, other) in may_use))
		say(where own "/ includes \"" name "\", but it may not use " other "/")
}
END { exit wrong > 0 }
' "${files[@]}" || status=1

if [ -n "$objects" ]; then
	# Objects whose source is gone say nothing of this tree.
	mapfile -t built < <(cd "$objects" && for file in "${files[@]}"; do
		[ ! -e "${file%.c}.o" ] || [ "${file%.c}" = "$file" ] || echo "${file%.c}.o"
	done)
	if [ ${#built[@]} -eq 0 ]; then
		echo "layers: no object file under '$objects'; build first" >&2
		exit 2
	fi
	(cd "$objects" && nm -A -g -P "${built[@]}") | awk -v floors="$floors" -v calls="$calls" \
		-v call_exceptions="$call_exceptions" "$common"'
	BEGIN {
		read_rows(floors, may_use)
		count = split(calls, call_rows, "\n")
		for (i = 1; i <= count; i++) {
			n = split(call_rows[i], words, " ")
			for (j = 1; j < n; j++)
				only[words[j]] = words[n]
		}
		count = split(call_exceptions, words, " ")
		for (i = 1; i <= count; i++)
			excepted[words[i]] = 1
	}
	{
		object = $1
		sub(/:$/, "", object)
		if ($3 ~ /^[Uvw]$/)
			wanted[object, $2] = 1
		else if (object !~ /^tests\//) {
			# In a library the linker would take whichever it meets first.
			if ($2 in defined_in)
				say(object ": defines " $2 "(), and so does " defined_in[$2])
			defined_in[$2] = object
		}
	}
	END {
		for (pair in wanted) {
			split(pair, parts, SUBSEP)
			object = parts[1]
			symbol = parts[2]
			own = floor_of(object)
			if (own == "tests")
				continue
			if (symbol in defined_in) {
				other = floor_of(defined_in[symbol])
				if (!((own, other) in may_use))
					say(object ": uses " symbol "() of " defined_in[symbol] ", but " own \
						"/ may not use " other "/")
			} else if (symbol in only && own != only[symbol] && !(object in excepted)) {
				say(object ": uses " symbol ", which prints or ends the process; only " only[symbol] \
					"/ may")
			}
		}
		exit wrong > 0
	}' | LC_ALL=C sort || status=1
fi
exit $status
