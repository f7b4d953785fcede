"""What expressions make of outputs has the form and the marks of the field that it is for, in a plan as in an apply."""

import re

import pytest

from cli import edit, simulate, world

SPEC = """\
stack: worked
aws.customer_gateway:
  office: {address: 203.0.113.7, asn: 65001}
aws.vpn_gateway:
  edge: {}
aws.vpn_connection:
  office:
    customer_gateway: office
    vpn_gateway: edge
    static_routes_only: true
    tunnels:
      - {pre_shared_key: 'FirstKey_${replace(aws.vpn_gateway.edge.id, "-", "_")}'}
      - {pre_shared_key: 'OtherKey_${replace(aws.vpn_gateway.edge.id, "-", "_")}'}
aws.vpc:
  home: {cidr: 10.0.0.0/16, ipv6: true}
aws.security_group:
  web:
    vpc: home
    name: web
    description: web
    ingress:
      - protocol: '${aws.vpn_gateway.edge.id == "" ? "udp" : "6"}'
        from_port: 443
        to_port: 443
        cidr6: '${aws.vpn_gateway.edge.id == "" ? "::/0" : "2001:0DB8:0::/48"}'
aws.launch_template:
  machines: {name: machines, instance_type: t3.micro, user_data: '${aws.vpn_gateway.edge.id == "" ? "x" : ""}'}
"""


@pytest.fixture
def worked(stack):
    simulate(stack)
    stack.write("stack.yaml", SPEC)
    stack.run("apply", "--yes")
    return stack


def test_second_plan_is_empty(worked):
    assert worked.run("plan", "--output", "json").json["actions"] == []


def test_secret_field_stays_secret(worked):
    """Also where what is there is another one, and the plan shows both."""
    [gateway] = world(worked, "vpn-gateway")
    key = f"FirstKey_{gateway}".replace("-", "_")
    [connection] = world(worked, "vpn-connection")
    assert key in str(world(worked, "vpn-connection"))
    worked.run("sim", "change", "vpn-connection", connection, "options.tunnelOptionSet.0.preSharedKey=ByHand_2222")
    said = [worked.run("plan", "--out", "p.plan"), worked.run("plan", "--output", "json")]
    said.append(worked.run("drift", status=2))
    assert "pre_shared_key: secret~" in said[0].out
    assert key not in "".join(each.out + each.err for each in said) + (worked.folder / "p.plan").read_text()


NONE = {
    "a range": ('"2001:0DB8:0::/48"', '"2001:db8::7/48"', "'cidr6' has bits set beyond its length"),
    "a protocol": ('"6"', '"TCPX"', "'protocol'"),
}


@pytest.mark.parametrize("old, new, said", NONE.values(), ids=NONE)
def test_what_does_not_fit_is_told_by_the_plan(worked, old, new, said):
    """Before anything of it is carried out."""
    edit(worked, old, new, "stack.yaml")
    edit(worked, "10.0.0.0/16, ipv6: true", "10.0.0.0/16, ipv6: true, tags: {a: b}", "stack.yaml")
    result = worked.run("apply", "--yes", status=1)
    assert f"error: aws.security_group.web: {said}" in result.err and "stack.yaml:" in result.err
    [vpc] = world(worked, "vpc").values()
    assert "'a'" not in str(vpc["tagSet"])


def test_text_beside_an_output_is_as_secret(stack):
    """Before the output is known it stands in no plan, file or record either; and its plan applies without the spec."""
    simulate(stack)
    stack.write("stack.yaml", SPEC)
    said = stack.run("plan", "--out", "p.plan")
    shown = said.out + said.err + stack.run("plan", "--output", "json").out + stack.run("show", "p.plan").out
    assert "${var.literal-1}${replace(aws.vpn_gateway.edge.id" in shown
    assert re.search(r" with .*var\.literal-3 secret~\w+; literal-N: what the spec says there itself", said.out)
    stack.run("apply", "p.plan")
    files = [path.read_bytes() for path in (stack.folder / ".trueup").rglob("*") if path.is_file()]
    assert b"FirstKey_" not in shown.encode() + (stack.folder / "p.plan").read_bytes() + b"".join(files)
    [gateway] = world(stack, "vpn-gateway")
    assert f"FirstKey_{gateway}".replace("-", "_") in str(world(stack, "vpn-connection"))
    assert stack.run("plan", "--output", "json").json["actions"] == []


def test_another_text_beside_an_output_is_a_change(worked):
    edit(worked, "FirstKey_", "Another_", "stack.yaml")
    [action] = worked.run("plan", "--output", "json").json["actions"]
    assert action["address"] == "aws.vpn_connection.office"
    worked.run("apply", "--yes")
    assert "Another_vgw" in str(world(worked, "vpn-connection"))
    assert worked.run("plan", "--output", "json").json["actions"] == []
