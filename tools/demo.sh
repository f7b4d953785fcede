#!/usr/bin/env bash
# The main job on the built-in simulator: a spec becomes a network, is changed behind its
# back, repaired, edited and destroyed. Nothing outside a temporary folder is touched or
# asked. Ends 0 only when each step did what it says. usage: demo.sh [PROGRAM]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(realpath "${1:-$here/build/trueup}")
folder=$(mktemp -d "${TMPDIR:-/tmp}/trueup-demo.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cp "$here"/examples/network/*.yaml "$folder"
cd "$folder"

# No setting of whoever runs this may reach the program, and no real account either.
for name in $(compgen -e | grep -E '^(AWS_|TRUEUP_)' || true); do unset "$name"; done
export TRUEUP_VAR_simulator=sim:world AWS_ENDPOINT_URL=sim:world BMC_PASSWORD=calvin

bold=''
plain=''
# The program writes to a pipe, and sees no terminal.
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
	export TRUEUP_COLOR=always
	bold=$'\e[1m'
	plain=$'\e[0m'
fi
number=0
output=''

step() {
	number=$((number + 1))
	printf '\n%s== %d. %s%s\n' "$bold" "$number" "$1" "$plain"
}

fail() {
	printf '\ndemo: step %d did not do what it says: %s\n' "$number" "$1" >&2
	exit 1
}

# trueup STATUS ARGUMENTS...: runs the program, shows what it says, demands the exit status.
trueup() {
	local wanted=$1 status=0
	shift
	printf '%s$ trueup %s%s\n' "$bold" "$*" "$plain"
	"$program" "$@" 2>&1 </dev/null | tee output || status=${PIPESTATUS[0]}
	output=$(sed 's/\x1b\[[0-9;]*[mAJK]//g' output)
	[ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted"
}

says() {
	grep -qE -- "$1" <<<"$output" || fail "no line matches '$1'"
}

# before A B: A was gone when the deletion of B began.
before() {
	local gone begun
	gone=$(grep -nE -- "^  $1  deleted after" <<<"$output" | cut -d: -f1)
	begun=$(grep -nE -- "^  $2  deleting" <<<"$output" | cut -d: -f1)
	[ -n "$gone" ] && [ -n "$begun" ] && [ "$gone" -lt "$begun" ] || fail "$2 was not deleted after $1"
}

# holds TYPE TEXT: the world has a thing of that type in which the text stands.
holds() {
	"$program" sim show "$1" | grep -qF -- "$2" || fail "no $1 has $2"
}

id_of() {
	"$program" state list | awk -v address="$1" '$1 == address { print $2 }'
}

step 'The spec is checked without any call or credential'
trueup 0 validate
says 'no errors'

step 'A machine stands in the rack already, switched off: the simulator gets one'
trueup 0 sim add machine bmc-07.example serial=J3R7K42 user=root password=calvin power=Off

step 'A plan says what would be made, and is saved for review'
trueup 0 plan --out network.plan
says '^[0-9]+ create  0 update  0 REPLACE  0 delete'
says 'apply exactly this:'

step 'Exactly that plan is applied, and the machine is switched on'
holds machine '"power": "Off"'
trueup 0 apply network.plan
says '^applied: [0-9]+ done, 0 failed, 0 skipped'
holds machine '"power": "On"'

step 'Planned again, there is nothing to do'
trueup 0 plan --detailed-exitcode
says 'nothing to do'

step 'Somebody changes a tag and takes a subnet away, behind its back'
vpc=$(id_of aws.vpc.main)
trueup 0 sim change vpc "$vpc" tags.team=unknown
trueup 0 sim remove subnet "$(id_of aws.subnet.c)"

step 'drift names both: one thing changed, one is missing (exit status 2)'
trueup 2 drift
says 'aws\.vpc\.main .*changed'
says 'tags\.team +research, now unknown'
says 'aws\.subnet\.c .*MISSING'

step 'apply repairs them'
trueup 0 apply --yes
says '^applied: [0-9]+ done, 0 failed, 0 skipped'
trueup 0 drift
says 'no drift'

step 'An edit of the spec that cannot be made in place: the plan says REPLACE'
sed -i 's|cidr: 10.20.2.0/24|cidr: 10.20.8.0/24|' network.yaml
trueup 0 plan
says '! aws\.subnet\.c .*REPLACE'
says '10\.20\.2\.0/24 -> 10\.20\.8\.0/24'

step 'It is applied, with everything that refers to the subnet'
trueup 0 apply --yes
says '^applied: [0-9]+ done, 0 failed, 0 skipped'
trueup 0 plan --detailed-exitcode
says 'nothing to do'

step 'A new template under its group: one apply makes the version, and new instances are of it'
sed -i 's|instance_type: m7i.large|instance_type: m7i.xlarge|' network.yaml
trueup 0 apply --yes
says 'm7i\.large -> m7i\.xlarge'
says '^applied: 2 done, 0 failed, 0 skipped'
trueup 0 plan --detailed-exitcode
says 'nothing to do'
says '2 instances keep version 1 until they are replaced'
node=$("$program" sim show instance | sed -nE 's/^ +"(i-[0-9a-f]+)": \{$/\1/p' | head -n 1)
trueup 0 sim remove instance "$node"
trueup 0 sim pass 300
holds instance '"instanceType": "m7i.xlarge"'
trueup 0 plan --detailed-exitcode
says 'nothing to do'
says '1 instance keeps version 1 until it is replaced'

step 'Everything is destroyed, in the order that its references ask for'
trueup 0 destroy --yes
says '^applied: [0-9]+ done, 0 failed, 0 skipped'
before aws.autoscaling_group.nodes aws.launch_template.node
before aws.launch_template.node aws.key_pair.operators
before aws.launch_template.node aws.security_group.nodes
before aws.vpn_connection.office aws.vpn_gateway.office
for name in subnet.a subnet.b subnet.c security_group.gate vpn_gateway.office; do before "aws.$name" aws.vpc.main; done
trueup 0 sim show vpc
[ "$output" = '{}' ] || fail 'a VPC is left'
[ -z "$("$program" state list)" ] || fail 'the record is not empty'

printf '\n%sAll %d steps did what they say.%s\n' "$bold" "$number" "$plain"
