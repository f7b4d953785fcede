"""What a run writes at its user's word, and what it must not write over: told before anything is read or sent."""

import json
import os
import pathlib

import pytest

from cli import TINY, edit, recorded, tiny, world  # noqa: F401

NOT_MADE = [["show"], ["change", "vpc", "vpc-1", "x=y"], ["remove", "vpc", "vpc-1"], ["fault", "*", "deny"], ["pass", "1"]]


@pytest.mark.parametrize("line", NOT_MADE, ids=lambda line: line[0])
def test_a_world_whose_name_is_misspelt(tiny, line):  # noqa: F811
    refused = tiny.run("sim", "wrold", *line, status=1)
    assert "there is no simulated world 'wrold'" in refused.err and "sim FILE add" in refused.err
    [told] = tiny.run("sim", "wrold", *line, "--output", "json", status=1).json["diagnostics"]
    assert told["message"] == "there is no simulated world 'wrold'"
    assert not (tiny.folder / "wrold").exists()


def test_what_is_added_lies_where_it_is_found(tiny):  # noqa: F811
    """In a region that a provider reaches, or in none where its type belongs to none."""
    refused = tiny.run("sim", "add", "vpc", "cidrBlock=10.9.0.0/16", status=1, AWS_REGION=None)
    assert "a thing of type 'vpc' lies in a region" in refused.err and "--region NAME" in refused.err
    vpc = "vpc-0123456789abcdef0"
    tiny.run("sim", "add", "vpc", vpc, "cidrBlock=10.9.0.0/16", "state=available", AWS_REGION="eu-central-1")
    tiny.run("sim", "add", "vpc", "cidrBlock=10.8.0.0/16", "--region", "us-east-1", AWS_REGION="eu-central-1")
    tiny.run("sim", "add", "machine", "bmc.example", "--region", "us-east-1")
    shown = tiny.run("sim", "show", "--output", "json").json["world"]
    assert list(shown["eu-central-1"]["vpc"]) == [vpc] and len(shown["us-east-1"]["vpc"]) == 1
    assert list(shown[""]["machine"]) == ["bmc.example"] and "machine" not in shown["us-east-1"]
    spec = f"stack: tiny\nproviders: {{aws: {{region: eu-central-1}}}}\naws.internet_gateway: {{g: {{vpc: {vpc}}}}}\n"
    tiny.write("tiny.yaml", spec)
    tiny.run("apply", "--yes")


def test_a_world_that_is_made(tiny):  # noqa: F811
    tiny.run("sim", "mine", "add", "machine", "bmc.example")
    assert "bmc.example" in tiny.run("sim", "mine", "show").out
    # The next plan makes the one that the environment names, and may be rehearsed on before.
    tiny.run("sim", "fault", "CreateVpc", "deny")
    assert (tiny.folder / "world").exists()


@pytest.mark.parametrize("mode, warned", [(0o700, False), (0o755, False), (0o777, True), (0o770, True)])
def test_the_folder_of_the_state_is_the_users_alone(tiny, mode, warned):  # noqa: F811
    tiny.run("plan")
    folder = tiny.folder / ".trueup"
    folder.chmod(mode)
    said = tiny.run("plan").err
    assert ("other users could write the state's folder" in said) == warned
    assert folder.stat().st_mode & 0o7777 == 0o700
    assert tiny.run("plan").err == ""


WRITING, READING = [["apply", "--yes"], ["state", "rm", "aws.subnet.a", "--yes"]], [["drift"], ["state", "list"]]


@pytest.mark.parametrize("command", WRITING + READING, ids=" ".join)
def test_the_state_file_is_the_users_alone(tiny, command):  # noqa: F811
    tiny.run("apply", "--yes")
    state, told = tiny.folder / ".trueup/state.db", "was open to other users (mode 644)"
    state.chmod(0o644)
    assert tiny.run(*command).err.count(told) == 1
    assert state.stat().st_mode & 0o777 == (0o600 if command in WRITING else 0o644)
    assert tiny.run("plan").err.count(told) == (command in READING)
    assert state.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("within", [False, True], ids=["by its path", "from within"])
def test_a_stack_at_too_long_a_path(tiny, within):  # noqa: F811
    deep = pathlib.Path(*["d" * 100] * 5)
    tiny.write(deep / "tiny.yaml", TINY)
    if within:
        tiny.folder /= deep
    refused = tiny.run(*([] if within else ["-C", deep]), "plan", status=1)
    assert "is too long: with all folders from '/' on SQLite takes" in refused.err
    assert "a shorter path" in refused.err


KEYS = "stack: tiny\nproviders: {aws: {region: eu-central-1}}\naws.key_pair:\n  k: {name: ops, secret_to: {file: %s}}\n"
OUT, REPORT, BACKUP = ["plan", "--out"], ["plan", "--output"], ["state", "backup", "--force"]

# What is there already, by the path that a run must leave alone, and what is said of it.
KEPT = {
    "spec": ("tiny.yaml", "it is a file of the spec"),
    "spec by another way": ("sub/../../stack/tiny.yaml", "it is a file of the spec"),
    "spec that is a link": ("sub/real.yaml", "it is a file of the spec"),
    "spec by a link": ("link/tiny.yaml", "it is a file of the spec"),
    "further spec": ("further.yml", "it is the name of a file of the spec"),
    "state": (".trueup/state.db", "it is the state file itself"),
    "beside the state": (".trueup/mine", "it lies in the folder of the state"),
    "folder of the state": (".trueup", "it lies in the folder of the state"),
    "state of another stack": ("sub/.trueup/state.db", "it lies in the folder of another stack's state"),
    "beside the state of another stack": ("sub/.trueup/mine", "it lies in the folder of another stack's state"),
    "state of another stack, by a link": ("other/.trueup/state.db", "it lies in the folder of another stack's state"),
    "within the folder of another stack's state": (
        "other/.trueup/plans/mine",
        "it lies in the folder of another stack's state",
    ),
    "world": ("world", "it is the simulated world"),
    "another world": ("other-world", "it is a simulated world"),
    "key": (".config/trueup/a.key", "it lies in the folder of the sealing keys"),
}
# The same, but for what a command replaces.
FILES = {
    "another state": ("copy.db", "it is a state file"),
    "folder": ("sub", "it is a folder"),
    "link": ("link", "it is a symbolic link"),
    "pipe": ("pipe", "it is a pipe"),
    "device": ("/dev/full", "it is a device"),
}
PLANS = {"plan": ("p.plan", "it is a saved plan")}
OTHERS = {"file": ("notes", "there is a file of that name already, and it is no plan")}
NO_FOLDER = {"no folder": ("no/such/folder", "it, or a folder on the way to it, does not exist")}
ROWS = [
    *[("out", OUT, row) for row in {**KEPT, **FILES, **OTHERS, **NO_FOLDER}.items()],
    *[("report", REPORT, row) for row in {**KEPT, **FILES, **PLANS, **NO_FOLDER}.items()],
    *[("backup", BACKUP, row) for row in KEPT.items()],
]


@pytest.fixture
def kept(tiny):  # noqa: F811
    """A stack with files of every sort in its folder, applied."""
    tiny.run("sim", "other-world", "add", "machine", "bmc.example")
    tiny.run("apply", "--yes")
    tiny.run("plan", "--out", "p.plan")
    tiny.run("state", "backup", "copy.db")
    (tiny.folder / "elsewhere/plans").mkdir(parents=True)
    for folder in ("sub/.trueup", "elsewhere"):
        tiny.write(f"{folder}/state.db", (tiny.folder / "copy.db").read_bytes())
    (tiny.folder / "other").mkdir()
    (tiny.folder / "other/.trueup").symlink_to("../elsewhere")
    tiny.write("sub/real.yaml", "vars: {}\n")
    (tiny.folder / "vars.yaml").symlink_to("sub/real.yaml")
    (tiny.folder / "link").symlink_to(".")
    os.mkfifo(tiny.folder / "pipe")
    tiny.write("notes", "mine")
    tiny.write(".config/trueup/a.key", "key")
    return tiny


def contents(stack):
    """But for the world, which counts what it was asked."""
    files = [path for path in stack.folder.rglob("*") if path.is_file() and path.name != "world"]
    return {path: path.read_bytes() for path in files}


@pytest.mark.parametrize("way, command, row", ROWS, ids=[f"{way}: {row[0]}" for way, _, row in ROWS])
def test_what_is_not_written_over(kept, way, command, row):
    path, said = row[1]
    before, asked = contents(kept), (kept.folder / "world").read_bytes()
    refused = kept.run(*command, f"json={path}" if way == "report" else path, status=1)
    assert f"cannot write '{path}': {said}" in refused.err and "hint: " in refused.err
    assert refused.out == ""
    assert contents(kept) == before
    assert (kept.folder / "world").read_bytes() == asked, "the world was asked before"


@pytest.mark.parametrize("way, command", [("out", OUT), ("report", REPORT), ("backup", BACKUP)], ids=["out", "report", "backup"])
def test_another_stack_is_known_from_within_its_folder_too(kept, way, command):
    before = contents(kept)
    kept.folder /= "other"
    path = ".trueup/state.db"
    refused = kept.run("-C", "..", *command, f"json={path}" if way == "report" else path, status=1)
    assert f"cannot write '{path}': it lies in the folder of another stack's state" in refused.err
    kept.folder = kept.folder.parent
    assert contents(kept) == before
    # A folder of that name on the way which leads out of it again is none to lie in.
    kept.run("plan", "--out", "sub/.trueup/../new.plan")


def test_what_is_written_over(kept):
    kept.run("plan", "--out", "p.plan", "--output", "json=notes", "--output", "text")
    kept.run("plan", "--out", "p.plan", "--output", "json=notes", "--output", "text")
    assert "nothing to do" in kept.run("apply", "p.plan").out
    assert json.loads((kept.folder / "notes").read_text())["command"] == "plan"
    kept.run("state", "backup", "copy.db", "--force")
    # What editors leave behind is no file of the spec.
    for _ in range(2):
        kept.run("plan", "--out", ".p.yaml")
    assert "nothing to do" in kept.run("apply", ".p.yaml").out


def test_a_world_is_not_written_over_before_it_is_made(tiny):  # noqa: F811
    assert "it is the simulated world" in tiny.run("plan", "--out", "./world", status=1).err
    settings = {"AWS_ENDPOINT_URL": None}
    edit(tiny, "region: eu-central-1", "region: eu-central-1, endpoint: 'sim:mine'")
    assert "it is the simulated world" in tiny.run("plan", "--out", "mine", status=1, **settings).err
    assert not (tiny.folder / "mine").exists()


@pytest.mark.parametrize(
    "flags",
    [
        ["--out", "p", "--output", "json=./p"],
        ["--output", "json=p", "--output", "text=../stack/p"],
    ],
    ids=["plan", "report"],
)
def test_two_outputs_at_one_place(tiny, flags):  # noqa: F811
    refused = tiny.run("plan", *flags, status=1)
    assert "writes there in the same run" in refused.err
    assert not (tiny.folder / "p").exists() and not (tiny.folder / "world").exists()


SECRETS = {**KEPT, **FILES, **PLANS}
del SECRETS["device"]


@pytest.mark.parametrize("path, said", SECRETS.values(), ids=SECRETS)
def test_a_secret_is_not_written_over(kept, path, said):
    kept.write("tiny.yaml", KEYS % path)
    before = contents(kept)
    for command in (["validate"], ["plan"], ["apply", "--yes"]):
        refused = kept.run(*command, status=1)
        assert f"cannot write './{path}': {said}" in refused.err and "tiny.yaml:4:" in refused.err
    assert contents(kept) == before and "key-pair" not in kept.run("sim", "show").out


def test_a_secret_and_an_output_at_one_place(kept):
    kept.write("tiny.yaml", KEYS % "ops.pem")
    kept.run("validate")
    refused = kept.run("apply", "--yes", "--output", "json=ops.pem", status=1)
    assert "--output json=ops.pem writes there in the same run" in refused.err
    kept.write("tiny.yaml", (KEYS % "ops.pem") + "  l: {name: other, secret_to: {file: sub/../ops.pem}}\n")
    assert "aws.key_pair.k writes there in the same run" in kept.run("validate", status=1).err


LATER = "stack: tiny\naws.vpc: {main: {cidr: 10.0.0.0/16}}\naws.key_pair:\n"
KEY = '  %s: {name: %s, secret_to: {file: "%s"}}\n'
PATH = "k-${aws.vpc.main.id}.pem"


def test_two_secrets_at_a_place_of_one_text(tiny):  # noqa: F811
    """Known only once the VPC is made, and yet one place."""
    tiny.write("tiny.yaml", LATER + KEY % ("a", "a", PATH) + KEY % ("b", "b", PATH))
    for command in (["validate"], ["apply", "--yes"]):
        refused = tiny.run(*command, status=1)
        assert f"cannot write '{PATH}': aws.key_pair.a writes there in the same run" in refused.err
        assert "tiny.yaml:5:" in refused.err
    assert not (tiny.folder / "world").exists()


def test_two_secrets_at_one_place_that_is_known_later(tiny):  # noqa: F811
    tiny.write("tiny.yaml", LATER + KEY % ("a", "a", PATH) + KEY % ("b", "b", f"./{PATH}"))
    tiny.run("validate")
    refused = tiny.run("apply", "--yes", status=7)
    assert "writes there in the same run" in refused.err and "is lost" not in refused.err
    (made,) = world(tiny, "key-pair").values()
    assert [made["keyName"]] == [address[-1] for address in recorded(tiny) if "key_pair" in address]
    assert [path.name for path in tiny.folder.glob("*.pem")] == [f"k-{recorded(tiny)['aws.vpc.main']}.pem"]


def test_a_refusal_is_a_document_too(tiny):  # noqa: F811
    document = tiny.run("plan", "--output", "json", "--out", "tiny.yaml", status=1).json
    assert "it is a file of the spec" in document["diagnostics"][0]["message"]


@pytest.mark.parametrize("path, stream", [("/dev/stdout", "out"), ("/dev/stderr", "err"), ("/dev/null", None)])
def test_streams_are_no_files(tiny, path, stream):  # noqa: F811
    shown = tiny.run("plan", "--output", f"json={path}")
    for name in ("out", "err"):
        text = getattr(shown, name)
        assert json.loads(text)["command"] == "plan" if name == stream else text == ""
    assert "only one --output" in tiny.run("plan", "--output", "json=/dev/stdout", "--output", "text", status=64).err


def test_the_folder_of_the_state_is_kept_before_there_is_one(stack):
    """The apply that makes a key pair makes it as well, and would find no place then for a secret shown but once."""
    stack.write("stack.yaml", KEYS % ".trueup/ops.pem")
    for arguments in (["-C", "."], ["-C", f"../{stack.folder.name}"], []):
        refused = stack.run("validate", *arguments, status=1).err
        assert "ops.pem': it lies in the folder of the state" in refused and "stack.yaml:4:36" in refused
    assert not (stack.folder / ".trueup").exists()
    stack.write("stack.yaml", KEYS % "keys/ops.pem")
    stack.run("validate")
