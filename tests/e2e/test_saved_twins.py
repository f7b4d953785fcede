"""What a call of ours made late, in plans that are saved: it is shown as what is deleted, and deleted as it was shown."""

import pytest

from cli import digest, edit, recorded, tiny, world  # noqa: F401
from test_cli_drift import deny
from test_late_twins import come_late
from test_recover import lose, rows

LATE = "made by a call that came late"


@pytest.fixture
def twin(tiny):  # noqa: F811
    """A second network of the stack's, of a call that was given up."""
    lose(tiny, "CreateVpc", "lost_request")
    tiny.run("apply", "--yes")
    return come_late(tiny, rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE outcome = 'absent'")[0][0])


def plan(stack, *options, status=0):
    """The actions of a plan that is saved."""
    return stack.run("plan", "--out", "p.plan", "--output", "json", *options, status=status).json["actions"]


def object_id(stack, address):
    return rows(stack, f"SELECT lower(hex(object_id)) FROM objects WHERE address = '{address}'")[0][0]


def is_settled(stack):
    assert rows(stack, "SELECT count(*) FROM objects WHERE role <> 0") == [(0,)]
    assert set(world(stack, "vpc")) == {recorded(stack)["aws.vpc.main"]}
    stack.run("plan", "--detailed-exitcode")
    stack.run("drift")


@pytest.mark.parametrize("recovered", [False, True], ids=["not recorded", "recorded meanwhile"])
@pytest.mark.parametrize("old, new", [("red", "red"), ("red", "blue"), ("10.0.2.0", "10.0.3.0")])
def test_it_goes_as_it_was_shown(tiny, twin, old, new, recovered):  # noqa: F811
    edit(tiny, old, new)
    before = rows(tiny, "SELECT * FROM objects")
    planned = plan(tiny)
    (shown,) = [one for one in planned if one["provider_id"] == twin]
    assert (shown["address"], shown["operation"], shown["reason"]) == ("aws.vpc.main", "delete", LATE)
    assert rows(tiny, "SELECT * FROM objects") == before
    if recovered:
        tiny.run("recover")
    applied = tiny.run("apply", "p.plan", "--output", "json").json
    assert applied["applied"]["done"] == len(planned)
    assert twin not in world(tiny, "vpc")
    is_settled(tiny)


def test_it_is_approved_as_any_deletion(tiny, twin):  # noqa: F811
    approved = digest(tiny.run("plan"))
    assert digest(tiny.run("apply", "--yes", "--digest", approved)) == approved
    is_settled(tiny)


def test_it_goes_with_all(tiny, twin):  # noqa: F811
    assert twin in {one["provider_id"] for one in plan(tiny, "--destroy")}
    tiny.run("apply", "p.plan")
    assert world(tiny, "vpc") == {} and recorded(tiny) == {}


def test_it_goes_where_nothing_of_its_kind_is_recorded(tiny):  # noqa: F811
    lose(tiny, "CreateVpc", "lost_request")
    tiny.run("destroy", "--yes")
    twin = come_late(tiny, rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE outcome = 'absent'")[0][0])
    tiny.write("tiny.yaml", "stack: tiny\nproviders: {aws: {region: eu-central-1}}\n")
    assert [(one["operation"], one["provider_id"]) for one in plan(tiny)] == [("delete", twin)]
    tiny.run("apply", "p.plan")
    assert world(tiny, "vpc") == {}
    tiny.run("plan", "--detailed-exitcode")


def test_it_stays_beside_what_was_chosen(tiny, twin):  # noqa: F811
    """Whoever approves a part of the stack hears what is left, and of what removes it."""
    edit(tiny, "10.0.2.0/24", "10.0.2.0/24, public: true")
    told = f"{twin} was made for 'aws.vpc.main' by a call that came late: the next apply of the whole stack deletes it"
    assert told in tiny.run("plan", "--target", "aws.subnet.b", "--out", "p.plan").err
    assert twin not in tiny.run("apply", "p.plan").out
    assert twin in world(tiny, "vpc")
    tiny.run("apply", "--yes")
    is_settled(tiny)


@pytest.mark.parametrize(
    "happens, words",
    [
        pytest.param(lambda tiny, twin: tiny.run("sim", "remove", "vpc", twin), "nothing is left to be done to it", id="gone"),
        pytest.param(
            lambda tiny, twin: tiny.run("sim", "change", "vpc", twin, f"tags.trueup:intent={'0' * 32}"),
            "and nothing tells any more that a call of this stack made it late",
            id="of nobody knows which call",
        ),
        pytest.param(
            lambda tiny, twin: tiny.run("sim", "change", "vpc", twin, f"tags.trueup:stack={'0' * 32}"),
            "and nothing tells any more that a call of this stack made it late",
            id="another stack's",
        ),
        pytest.param(
            lambda tiny, twin: tiny.run("sim", "change", "vpc", twin, f"tags.trueup:object={object_id(tiny, 'aws.subnet.a')}"),
            "and nothing tells any more that a call of this stack made it late",
            id="of another address",
        ),
        pytest.param(lambda tiny, twin: deny(tiny, "DescribeVpcs"), "it cannot be read now: ", id="unread"),
    ],
)
def test_plan_is_stale_where_it_has_changed(tiny, twin, happens, words):  # noqa: F811
    plan(tiny)
    before = rows(tiny, "SELECT * FROM objects")
    happens(tiny, twin)
    there = world(tiny, "vpc")
    refused = tiny.run("apply", "p.plan", status=4).err
    assert "'aws.vpc.main' has changed since the plan was made: " in refused and words in refused
    assert refused.count("error: ") == 1
    assert (world(tiny, "vpc"), rows(tiny, "SELECT * FROM objects")) == (there, before)


def test_what_a_call_that_was_answered_made_twice_is_somebodys_own_after_an_hour(tiny):  # noqa: F811
    tiny.run("apply", "--yes")
    twin = come_late(tiny, rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE operation = 'CreateVpc'")[0][0])
    assert twin in {one["provider_id"] for one in plan(tiny)}
    tiny.run("sim", "pass", "7200")
    assert f"{twin} is not recorded, and nothing tells any more" in tiny.run("apply", "p.plan", status=4).err
    assert twin in world(tiny, "vpc")


def test_it_is_recorded_where_it_could_not_go(tiny, twin):  # noqa: F811
    plan(tiny)
    allow = deny(tiny, "DeleteVpc")
    tiny.run("apply", "p.plan", status=1)
    assert rows(tiny, "SELECT provider_id FROM objects WHERE role = 1") == [(twin,)]
    allow()
    plan(tiny)
    tiny.run("apply", "p.plan")
    is_settled(tiny)


def test_it_goes_with_an_undoing(tiny):  # noqa: F811
    tiny.run("apply", "--yes")
    twin = come_late(tiny, rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE operation = 'CreateVpc'")[0][0])
    run = tiny.run("state", "history", "--output", "json").json["runs"][0]["id"]
    shown = tiny.run("undo", run, "--out", "p.plan", "--output", "json").json["actions"]
    assert (twin, LATE) in {(one["provider_id"], one["reason"]) for one in shown}
    tiny.run("apply", "p.plan")
    assert world(tiny, "vpc") == {} and recorded(tiny) == {}


def test_it_keeps_its_record_in_a_rebuild(tiny, twin):  # noqa: F811
    """It bears the tags of what was made in its place, object and all; the record tells the two apart."""
    tiny.run("recover")
    before = rows(tiny, "SELECT address, role, provider_id FROM objects ORDER BY 1, 2, 3")
    assert [(role, provider_id) for address, role, provider_id in before if role] == [(1, twin)]
    tiny.run("state", "rebuild", "--force", "--yes")
    assert rows(tiny, "SELECT address, role, provider_id FROM objects ORDER BY 1, 2, 3") == before
    tiny.run("apply", "--yes")
    is_settled(tiny)
