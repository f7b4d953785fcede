"""Files of state and plan that are damaged, of elsewhere, held, or on a full disk: told once, and left as they are."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import threading

import pytest

from bad_input import ERROR, LEASE, PARTLY, REFUSED, WORKING, Wrong, check_errors, tree  # noqa: F401
from conftest import Stack
from trueup_runner import POWERLESS, Proxy, Ref, apply, errors_of, ids_of, measured, plan_is_empty, spec_text


@pytest.fixture
def applied(stack, cloud):
    """A stack with a VPC, and a subnet that is only in its spec."""
    stack.write("stack.yaml", spec_text(WORKING))
    apply(stack)
    stack.write("stack.yaml", spec_text({**WORKING, "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.0.0/20"}}}))
    return stack


def state_of(stack):
    return stack.folder / ".trueup/state.db"


def overwrite(stack, offset, data):
    with open(state_of(stack), "r+b") as file:
        file.seek(offset)
        file.write(data)


def execute(stack, *statements):
    with sqlite3.connect(state_of(stack)) as database:
        for statement in statements:
            database.execute(statement)
    database.close()


def halve(stack):
    size = state_of(stack).stat().st_size
    os.truncate(state_of(stack), size // 2 - 100)


STATES = {
    "no database": (lambda stack: state_of(stack).write_bytes(b"hello\n" * 1000), "state.db"),
    "zeroed": (lambda stack: state_of(stack).write_bytes(b"\0" * 65536), "state.db"),
    "truncated": (halve, "state.db"),
    "damaged pages": (lambda stack: overwrite(stack, 4096, b"\xa5" * (state_of(stack).stat().st_size - 4096)), "state.db"),
    "of a newer version": (lambda stack: execute(stack, "PRAGMA user_version = 9999"), "format 9999"),
    "of another program": (lambda stack: execute(stack, "PRAGMA application_id = 7"), "state.db"),
    "a folder": (lambda stack: (state_of(stack).unlink(), state_of(stack).mkdir()), "state.db"),
}


@pytest.mark.parametrize("damage, fragment", STATES.values(), ids=STATES)
def test_state(applied, cloud, damage, fragment):
    damage(applied)
    before, world = tree(applied.folder / ".trueup"), cloud.show()
    for arguments in (["plan"], ["apply", "--yes"], ["destroy", "--yes"], ["drift"], ["state", "list"]):
        result = measured(applied, *arguments, "--output", "json")
        assert result.status == ERROR and result.seconds < 10, result
        errors = errors_of(json.loads(result.out))
        assert len(errors) == 1 and fragment in errors[0]["message"] and errors[0].get("hint"), errors
    # Not a byte of what may still be saved, and nothing at the other end.
    after = tree(applied.folder / ".trueup")
    assert {name: after[name] for name in before} == before
    assert cloud.show() == world


def test_state_of_another_stack(applied, cloud):
    applied.write("stack.yaml", spec_text(WORKING, stack="another"))
    world = cloud.show()
    for arguments in (["plan"], ["apply", "--yes"], ["destroy", "--yes"]):
        result = applied.run(*arguments, "--output", "json", status=ERROR)
        [error] = errors_of(result.json)
        assert "conformance" in error["message"] and "another" in error["message"] and error["hint"], error
    assert cloud.show() == world


@pytest.mark.parametrize("what", ["file", "folder"])
def test_state_that_is_read_only(applied, cloud, what):
    state, world = state_of(applied), cloud.show()
    state.chmod(0o400)
    if what == "folder":
        state.parent.chmod(0o500)
    try:
        result = measured(applied, "apply", "--yes", "--output", "json", wrapper=POWERLESS)
        assert result.status == ERROR, result
        [error] = errors_of(json.loads(result.out))
        assert "state.db" in error["message"] or ".trueup" in error["message"], error
        # What only reads goes on.
        assert measured(applied, "state", "list", wrapper=POWERLESS).status == 0
        assert measured(applied, "plan", wrapper=POWERLESS).status == 0
    finally:
        state.parent.chmod(0o700)
        state.chmod(0o600)
    assert cloud.show() == world


@pytest.mark.parametrize("command", ["plan", "drift"])
def test_reading_in_a_folder_that_is_read_only(applied, cloud, command):
    """A mount, which root cannot write either: what only reads works there, and what would write says why not."""
    mount = "mount --bind .trueup .trueup && mount -o remount,ro,bind .trueup"
    there = ["unshare", "-m", "sh", "-c", mount + ' && exec "$@"', "sh"]
    if subprocess.run([*there, "true"], cwd=applied.folder, capture_output=True, check=False).returncode != 0:
        pytest.skip("nothing can be mounted here")
    before = applied.run(command, "--output", "json").json
    result = measured(applied, command, "--output", "json", wrapper=there)
    assert result.status == 0 and errors_of(json.loads(result.out)) == [], result
    if command == "plan":
        assert json.loads(result.out)["digest"] == before["digest"]
        for arguments in (["plan", "--out", "none.plan"], ["apply", "--yes"]):
            result = measured(applied, *arguments, "--output", "json", wrapper=there)
            [error] = errors_of(json.loads(result.out))
            assert "state.db" in error["message"] and "read-only" in error["message"] and error["hint"], error


def test_state_that_another_run_holds(applied, cloud):
    waiting, gone_on = threading.Event(), threading.Event()

    def at(number, action, executed):
        if action == "CreateSubnet" and not executed:
            waiting.set()
            gone_on.wait(60)
        return False

    proxy = Proxy(cloud.address(), at)
    # The record knows the cloud by its address, so this is a stack of its own.
    holder = Stack(applied.folder.parent / "holder")
    holder.folder.mkdir()
    holder.environment.update(applied.environment, AWS_ENDPOINT_URL=proxy.address)
    spec = (applied.folder / "stack.yaml").read_text()
    holder.write("stack.yaml", spec.replace("10.20.", "10.40.").replace("conformance", "holder"))
    first = holder.start("apply", "--yes")
    proxy.victim = first
    assert waiting.wait(60)
    try:
        made = tree(holder.folder / ".trueup")
        for arguments in (["apply", "--yes"], ["destroy", "--yes"]):
            result = measured(holder, *arguments, "--output", "json", AWS_ENDPOINT_URL=cloud.address())
            assert result.status in (ERROR, LEASE), result
        result = measured(holder, "apply", "--yes", "--output", "json")
        assert result.status == LEASE and result.seconds < 30, result
        [error] = errors_of(json.loads(result.out))
        assert str(first.pid) in error["message"] + error.get("hint", "") and "apply" in error["message"], error
        assert made.keys() == tree(holder.folder / ".trueup").keys()
        # Looking is free.
        assert measured(holder, "state", "list").status == 0
    finally:
        gone_on.set()
        first.communicate(timeout=60)
        proxy.stop()
    assert first.returncode == 0
    assert set(ids_of(holder)) == {"aws.vpc.home", "aws.subnet.a"}


def test_state_that_another_program_locks(applied, cloud):
    world = cloud.show()
    database = sqlite3.connect(state_of(applied), isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    try:
        result = measured(applied, "apply", "--yes", "--output", "json")
    finally:
        database.rollback()
        database.close()
    assert result.status in (ERROR, LEASE) and result.seconds < 40, result
    [error] = errors_of(json.loads(result.out))
    assert "lock" in error["message"] + error.get("cause", ""), error
    assert cloud.show() == world
    apply(applied)


def mounts():
    """How a small file system of one's own is had here, or None."""
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        done = subprocess.run(
            [*words, "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt"], capture_output=True, check=False
        )
        if done.returncode == 0:
            return words
    return None


# Copies the state onto a file system with so much room left, and runs the program there.
ON_A_FULL_DISK = """
set -e
cp -a .trueup "$1"
size=$(stat -c %s .trueup/state.db)
mount -t tmpfs -o size=$(((size + 4095) / 4096 * 4096 + $2)) tmpfs .trueup
cp -a "$1"/. .trueup/
shift 2
exec "$@"
"""


@pytest.mark.parametrize("room", [8192, 16384, 32768, 65536])
def test_state_on_a_full_disk(applied, cloud, tmp_path, room):
    """However far it comes: nothing is made that no record knows, and the record that was there stays whole."""
    words = mounts()
    if not words:
        pytest.skip("no mount namespaces here")
    wrapper = [*words, "bash", "-c", ON_A_FULL_DISK, "bash", str(tmp_path / "kept"), str(room)]
    vpcs = {f"v{number}": {"cidr": f"10.{number}.0.0/16", "tags": {"text": "x" * 200}} for number in range(50, 90)}
    applied.write("stack.yaml", spec_text({"aws.vpc": {**WORKING["aws.vpc"], **vpcs}}))
    result = measured(applied, "apply", "--yes", "--output", "json", wrapper=wrapper)
    assert result.status in (ERROR, PARTLY), result
    document = json.loads(result.out)
    errors = errors_of(document)
    assert len(errors) >= 1 and any("full" in each["message"] + each.get("cause", "") for each in errors), errors
    # What the service made and the disk had no room for did not fail.
    assert "applied" not in document or document["applied"]["failed"] == 0, document["applied"]
    # The state under the mount is the old one: what a run without any memory of its own would find.
    assert set(ids_of(applied)) == {"aws.vpc.home"}


@pytest.mark.parametrize("arguments", [[], ["--refresh=none"], ["--out", "x.plan"]], ids=["read", "unread", "saved"])
def test_plan_on_a_full_disk(applied, tmp_path, arguments):
    """One that is only shown writes nothing, and needs no room."""
    words = mounts()
    if not words:
        pytest.skip("no mount namespaces here")
    wrapper = [*words, "bash", "-c", ON_A_FULL_DISK, "bash", str(tmp_path / "kept"), "0"]
    before = applied.run("plan", *arguments, "--output", "json").json
    (applied.folder / "x.plan").unlink(missing_ok=True)
    result = measured(applied, "plan", *arguments, "--output", "json", wrapper=wrapper)
    document = json.loads(result.out)
    if "--out" in arguments:
        [error] = errors_of(document)
        assert result.status == ERROR and "the disk is full" in error["message"], result
        return
    assert result.status == 0 and document["diagnostics"] == [] and document["digest"] == before["digest"], result


def test_new_state_on_a_full_disk(stack, cloud, tmp_path):
    words = mounts()
    if not words:
        pytest.skip("no mount namespaces here")
    stack.write("stack.yaml", spec_text(WORKING))
    (stack.folder / ".trueup").mkdir(mode=0o700)
    wrapper = [*words, "bash", "-c", 'mount -t tmpfs -o size=4k tmpfs .trueup && exec "$@"', "bash"]
    result = measured(stack, "apply", "--yes", "--output", "json", wrapper=wrapper)
    assert result.status == ERROR, result
    [error] = errors_of(json.loads(result.out))
    assert "full" in error["message"] + error.get("cause", ""), error
    assert "10.20.0.0/16" not in json.dumps(cloud.show())


def edit(text):
    document = json.loads(text)
    document["actions"][0]["desired"]["cidr"] = "10.20.16.0/20"
    return json.dumps(document).encode()


def edit_digestless(text):
    document = json.loads(text)
    document["actions"][0]["address"] = "aws.subnet.b"
    return json.dumps(document).encode()


PLANS = {
    "edited": (edit, None),
    "another address": (edit_digestless, None),
    "truncated": (lambda text: text[: len(text) // 2], None),
    "empty": (lambda text: b"", None),
    "of another version": (lambda text: text.replace(b'"schema":"1.0"', b'"schema":"9.0"'), "version"),
    "of another document": (lambda text: b'{"schema":"1.0","document":"shopping list"}', None),
    "no JSON": (lambda text: b"\x7fELF" + text, None),
    "nested without an end": (lambda text: b'{"actions":' + b"[" * 100000, None),
    "with a hostile address": (lambda text: text.replace(b"aws.subnet.a", b"aws.subnet.\\u0000"), None),
}


@pytest.mark.parametrize("damage, fragment", PLANS.values(), ids=PLANS)
def test_plan_file(applied, cloud, damage, fragment):
    applied.run("plan", "--out", "p.plan")
    path = applied.folder / "p.plan"
    text = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(damage(text))
    assert path.read_bytes() != text
    world = cloud.show()
    result = measured(applied, "apply", "p.plan", "--output", "json")
    assert result.status in (ERROR, REFUSED) and result.seconds < 10, result
    [error] = errors_of(json.loads(result.out))
    assert fragment is None or fragment in error["message"], error
    assert error.get("hint"), error
    assert cloud.show() == world
    # The plan as it was made still is good.
    path.write_bytes(text)
    applied.run("apply", "p.plan")
    plan_is_empty(applied)


def test_plan_file_that_is_not_there(applied):
    result = applied.run("apply", "nowhere.plan", "--output", "json", status=ERROR)
    check_errors(errors_of(result.json), [Wrong(None, "nowhere.plan")])


def test_plan_file_of_another_stack(applied, cloud, make_stack):
    applied.run("plan", "--out", "p.plan")
    other = make_stack("other")
    other.environment.update(applied.environment)
    shutil.copy(applied.folder / "world", other.folder / "world")
    other.write("stack.yaml", spec_text({"aws.vpc": {"home": {"cidr": "10.50.0.0/16"}}}))
    # A second one of that name, which is meant here.
    other.run("apply", "--yes", "--force")
    shutil.copy(applied.folder / "p.plan", other.folder / "p.plan")
    recorded = ids_of(other)
    result = other.run("apply", "p.plan", "--output", "json", status=REFUSED)
    [error] = errors_of(result.json)
    assert "another" in error["message"] and error["hint"], error
    assert ids_of(other) == recorded


def test_plan_file_that_is_stale(applied, cloud):
    applied.run("plan", "--out", "p.plan")
    apply(applied)
    world = cloud.show()
    result = applied.run("apply", "p.plan", "--output", "json", status=REFUSED)
    [error] = errors_of(result.json)
    assert "nothing is left to be done of this plan" in error["message"] and "plan again" in error["hint"], error
    assert cloud.show() == world


def test_a_plan_outlives_changes_elsewhere(applied, cloud):
    """Only what the plan is about makes it stale."""
    applied.run("plan", "--out", "p.plan")
    cloud.client().create_vpc(CidrBlock="172.16.0.0/16")
    applied.run("apply", "p.plan")
    plan_is_empty(applied)


def test_a_spec_that_is_one_long_line(stack):
    """As programs write JSON: a thousand errors do not keep the line a thousand times, and none shows a part of it."""
    wrong = {f"v{number}": {"colour": "blue", "cidr": "10.0.0.0/16", "tags": {"Name": 80 * "n"}} for number in range(10_000)}
    stack.write("stack.yaml", json.dumps({"stack": "s", "aws.vpc": wrong}))
    result = measured(stack, "validate")
    assert result.status == 1 and result.seconds < 20 and result.peak_bytes < 150 << 20
    near, far = (result.err.split(f"error: aws.vpc.{name}: ")[1].split("error:")[0] for name in ("v1", "v900"))
    assert re.search(r"stack.yaml:1:\d+\n", near) and "stack.yaml:1\n" in far
    assert "|" not in near + far


@pytest.mark.parametrize("size", [65_000, 66_000])
def test_a_long_line_shows_no_part_of_a_secret(stack, size):
    secret = (size // 10) * "S3cretPart"
    stack.write("stack.yaml", f"stack: s\nvars:\n  key: {{secret: true, type: integer, default: {secret}}}\n")
    told = stack.run("validate", status=1).err
    assert "stack.yaml:3:47\n" in told and "S3cret" not in told
