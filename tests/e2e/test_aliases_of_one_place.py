"""Two aliases of which only the answer of who is there tells that they lead to one place, on the simulator."""

import pytest

from trueup_runner import Ref, apply, errors_of, spec_text

OWN = {
    "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
    "aws.subnet": {"s": {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.0.0/24"}},
}
# What takes but one, and by which field.
TAKING = {
    "aws.route_table": ("subnets", {"vpc": Ref("aws.vpc.v"), "subnets": [Ref("aws.subnet.s")]}),
    "aws.internet_gateway": ("vpc", {"vpc": Ref("aws.vpc.v")}),
    "aws.vpn_gateway": ("vpc", {"vpc": Ref("aws.vpc.v")}),
}


def write(stack, kind, **named):
    text = spec_text({**OWN, kind: named})
    stack.write("stack.yaml", text)
    stack.write("providers.yaml", "providers: {aws: {region: us-west-2}, aws.b: {region: us-west-2}}\n")


@pytest.mark.parametrize("kind", TAKING)
@pytest.mark.parametrize("made", [False, True], ids=["both new", "one there"])
def test_what_takes_but_one(stack, cloud, kind, made):
    """It is refused before any call, as it is by one alias."""
    field, fields = TAKING[kind]
    if made:
        write(stack, kind, x=fields)
        apply(stack)
    before = cloud.show()
    write(stack, kind, x=fields, y={**fields, "provider": "aws.b"})
    stack.run("validate")
    for command in ("plan",), ("apply", "--yes"), ("apply", "--yes", "--target", f"{kind}.y"):
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert error["message"] == f"'{kind}.x' and '{kind}.y' have the same target in '{field}', which takes only one of them"
        assert "'aws' and 'aws.b' lead to one place" in error["cause"]
    assert cloud.show() == before
