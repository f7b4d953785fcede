"""Rules of security groups, as many as somebody may have."""

import signal

import pytest

from test_hard_cases import GUARDED, killed_at, web_groups, write
from trueup_runner import apply, plan, plan_is_empty


def test_many_rules_travel_together(stack, cloud):
    """Killed after the first call of several, and with one rule added by hand, the rest comes in as few calls."""
    ports = range(8000, 8120)
    rules = [{"protocol": "tcp", "from_port": port, "to_port": port, "cidr": "10.0.0.0/8"} for port in ports]
    group = {**GUARDED["aws.security_group"]["web"], "ingress": rules}
    write(stack, {**GUARDED, "aws.security_group": {"web": group}})
    action = "AuthorizeSecurityGroupIngress"
    proxy, status, told = killed_at(stack, cloud, lambda number, asked, executed: asked == action and executed)
    assert status == -signal.SIGKILL, told
    [made] = web_groups(cloud)
    assert sorted(each["FromPort"] for each in made["IpPermissions"]) == list(ports)[:50]
    sources = [{"CidrIp": "10.0.0.0/8"}]
    cloud.client().authorize_security_group_ingress(
        GroupId=made["GroupId"],
        IpPermissions=[{"IpProtocol": "tcp", "FromPort": 8100, "ToPort": 8100, "IpRanges": sources}],
    )
    apply(stack)
    [made] = web_groups(cloud)
    assert sorted(each["FromPort"] for each in made["IpPermissions"]) == list(ports)
    assert proxy.actions.count(action) == 3
    plan_is_empty(stack)
    write(stack, {**GUARDED, "aws.security_group": {"web": {**group, "ingress": []}}})
    apply(stack)
    assert proxy.actions.count("RevokeSecurityGroupIngress") == 3
    plan_is_empty(stack)
    proxy.stop()


@pytest.mark.parametrize("description", ["web servers", "others"], ids=["in place", "made anew"])
def test_what_the_spec_says_of_egress_first_is_an_edit(stack, cloud, description):
    """Unset, AWS's own rule lets everything out; that the spec now lets nothing out is no move of reality."""
    group = {name: value for name, value in GUARDED["aws.security_group"]["web"].items() if name != "egress"}
    write(stack, {**GUARDED, "aws.security_group": {"web": group}})
    apply(stack)
    write(stack, {**GUARDED, "aws.security_group": {"web": {**group, "description": description, "egress": []}}})
    document = plan(stack, status=2).data
    assert document["drift"] == 0
    assert {change["cause"] for one in document["actions"] for change in one["changes"]} == {"intent"}
    apply(stack)
    plan_is_empty(stack)
