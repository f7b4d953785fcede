"""The command line itself: parsing, help, output, colours, environment, and the smaller commands."""

import json
import os
import re
import subprocess

import pytest

from cli import edit, recorded, tiny, world  # noqa: F401
from conftest import BINARY, clean_environment

STATE_COMMANDS = ["list", "show", "history", "mv", "rm", "rekey", "backup", "check", "rebuild"]
COMMANDS = [
    *["validate", "plan", "show", "apply", "destroy", "drift", "output", "recover", "undo"],
    *[f"state {name}" for name in STATE_COMMANDS],
    *["lease show", "lease break", "schema", "sim", "version", "help"],
]


def test_help_lists_every_command(stack):
    text = stack.run("help").out
    assert re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +\S", text.split("commands:")[1].split("flags of")[0], re.MULTILINE) == COMMANDS
    assert stack.run("--help").out == text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(stack, command):
    text = stack.run("help", *command.split()).out
    assert text.startswith(f"trueup {command}: ")
    assert f"usage: trueup [flags] {command}" in text
    if command != "help":
        assert stack.run(*command.split(), "--help").out == text
        assert stack.run(*command.split(), "-h").out == text


def test_help_of_a_group(stack):
    text = stack.run("help", "state").out
    assert re.findall(r"^  state ([a-z]+)  +\S", text, re.MULTILINE) == STATE_COMMANDS
    assert stack.run("state", "--help").out == text
    assert stack.run("state", "-h").out == text


@pytest.mark.parametrize(
    "command, force",
    [
        ("apply", "delete groups with their instances; apply even if the state seems lost"),
        ("state backup", "replace a file that is there"),
        ("state rm", "forget calls, too, of which it is not known what they did"),
        ("state rebuild", "put what the tags tell in the place of what is recorded"),
    ],
)
def test_help_says_what_force_does_there(stack, command, force):
    assert re.search(r"^ +--force +(\S.*)$", stack.run("help", *command.split()).out, re.MULTILINE).group(1) == force


@pytest.mark.parametrize(
    "command, goes",
    [
        ("apply", "only this resource, what it needs, and what refers to it where it goes"),
        ("plan", "only this resource, what it needs, and what refers to it where it goes"),
        ("destroy", "only this resource, and what refers to it, which goes with it"),
        ("undo", "only what the run did to this resource"),
    ],
)
def test_help_says_what_goes_with_a_target(stack, command, goes):
    text = stack.run("help", command).out
    assert re.search(r"^ +--target ADDRESS +(\S.*)$", text, re.MULTILINE).group(1).startswith(goes)


@pytest.mark.parametrize("variable", ["TRUEUP_DIGEST", "TRUEUP_TARGET", "TRUEUP_MAX_DELETE"])
def test_a_guard_that_is_empty_in_the_environment(stack, variable):
    """A pipeline whose approval gave nothing approves nothing, and a target that is missing does not mean all."""
    stack.write("stack.yaml", "stack: s\n")
    result = stack.run("apply", "--yes", status=64, **{variable: ""})
    assert f"the environment sets {variable}, and it is empty" in result.err and "unset it" in result.err
    stack.run("validate", **{variable: ""})
    stack.run("plan", TRUEUP_PARALLELISM="")


def test_help_tells_every_exit_status(stack):
    statuses = re.findall(r"^  (\d+) +\S", stack.run("help").out.split("exit status:")[1], re.MULTILINE)
    assert statuses == ["0", "1", "2", "3", "4", "5", "6", "7", "64", "130", "141"]


def test_help_for_programs(stack):
    def names(rows):
        return [row["name"] for row in rows]

    whole = stack.run("help", "--output", "json").json
    assert names(whole["commands"]) == re.findall(
        r"^  (\w+(?: \w+)?)  +\S", stack.run("help").out.split("commands:")[1].split("flags of")[0], re.MULTILINE
    )
    assert names(whole["flags"]) == ["directory", "output", "color", "help"]
    assert [row["status"] for row in whole["exit_statuses"]][-2:] == [130, 141]
    group = stack.run("help", "state", "--output", "json").json["commands"]
    assert names(group) == [f"state {name}" for name in STATE_COMMANDS]
    (one,) = stack.run("state", "backup", "--help", "--output", "json").json["commands"]
    assert (one["name"], one["operands"], "mode 0600" in one["details"]) == ("state backup", "FILE", True)
    assert one["flags"] == [
        {
            "name": "force",
            "letter": None,
            "value": None,
            "variable": "TRUEUP_FORCE",
            "about": "replace a file that is there",
        }
    ]
    assert stack.run("help", "--output", "json", "nix", status=64).json["diagnostics"][0]["fault"] == "usage"


@pytest.mark.parametrize("letters", [["-yC", "."], ["-yC."], ["-y", "-C."], ["-yyC", "."]])
def test_letters_behind_each_other(tiny, letters):
    assert "3 done" in tiny.run("apply", *letters).out


WRONG_LINES = [
    ("unknown command", ["vaildate"], "there is no command 'vaildate'", "did you mean 'validate'?"),
    ("another tool's init", ["init"], "there is no command 'init'", "begin with 'trueup plan'"),
    ("another tool's import", ["import", "x"], "there is no command 'import'", "takes its id"),
    ("another tool's fmt", ["fmt"], "there is no command 'fmt'", "there is no formatter"),
    ("another tool's approval", ["apply", "--auto-approve"], "knows no flag '--auto-approve'", "write --yes"),
    ("with one dash", ["apply", "-auto-approve"], "knows no flag '-auto-approve'", "write --yes"),
    ("another tool's variables", ["plan", "--var-file=x"], "knows no flag '--var-file", "--var NAME=VALUE"),
    ("nothing like it", ["xyzzy"], "there is no command 'xyzzy'", "'trueup help' lists the commands"),
    ("unknown flag", ["plan", "--refesh=none"], "knows no flag '--refesh=...'", "did you mean --refresh?"),
    ("flag of another command", ["validate", "--yes"], "'trueup validate' knows no flag '--yes'", "help validate"),
    ("unknown letter", ["plan", "-x"], "knows no flag '-x'", "help plan"),
    ("unknown letter behind another", ["apply", "-yx"], "'trueup apply' knows no flag '-yx'", "help apply"),
    ("a long flag with one dash", ["apply", "-yes"], "knows no flag '-yes'", "did you mean --yes?"),
    ("value of a letter", ["apply", "-y=1"], "-y takes no value", None),
    ("value missing behind letters", ["apply", "-yC"], "-C lacks its value: -C DIR", None),
    ("flag before the command", ["--out", "plan"], "trueup knows no flag '--out'", "behind its name"),
    ("value missing", ["plan", "--out"], "--out lacks its value", None),
    ("empty value", ["plan", "--out="], "--out lacks its value: --out FILE", None),
    ("empty value behind the flag", ["plan", "--target", ""], "--target lacks its value: --target ADDRESS", None),
    ("empty folder", ["plan", "-C", ""], "-C lacks its value: -C DIR", None),
    ("value too many", ["plan", "--destroy=x"], "--destroy takes no value", None),
    ("no number", ["plan", "--max-delete", "few"], "--max-delete takes a number from 0", None),
    ("number too small", ["plan", "--parallelism", "0"], "--parallelism takes a number from 1 to 1000", None),
    ("number too large", ["plan", "--parallelism", "99999999999999999999"], "--parallelism takes a number", None),
    ("no choice", ["plan", "--refresh", "some"], "--refresh cannot be 'some'", "full"),
    ("argument too many", ["validate", "x"], "does not know what to do with 'x'", "usage: trueup validate\n"),
    ("argument missing", ["show"], "'trueup show' lacks an argument", "usage: trueup show PLANFILE"),
    ("no such format", ["version", "--output", "xml"], "there is no output format 'xml'", "--output json"),
    ("format without path", ["version", "--output", "json="], "there is no output format 'json='", None),
    (
        "two to standard output",
        ["version", "--output", "json", "--output", "text"],
        "only one --output can go to standard output",
        None,
    ),
    ("no NAME=VALUE", ["validate", "--var", "x"], "--var takes NAME=VALUE, and what it was given is none", None),
    ("no NAME", ["validate", "--var", "=x"], "--var takes NAME=VALUE, and what it was given is none", None),
    ("unknown second word", ["state", "lits"], "there is no command 'state lits'", "did you mean 'state list'?"),
    ("nothing like that second word", ["lease", "xyzzy"], "there is no command 'lease xyzzy'", "one of: show, break"),
    ("second word missing", ["state"], "'trueup state' lacks its second word", "list, show, history"),
    ("no command", [], "there is no command on the line", "'trueup help' lists the commands"),
    ("a flag alone", ["--color", "never"], "there is no command on the line", "'trueup help' lists the commands"),
    ("a folder forgotten", ["-C", "drift"], "there is no command on the line", "write 'trueup -C DIR drift'"),
    ("a folder forgotten before two words", ["-C", "state", "list"], "there is no command 'list'", None),
    ("flag between the words", ["state", "--yes", "rm", "x"], "trueup knows no flag '--yes'", "behind its name"),
    ("no duration", ["apply", "--lease-timeout", "5"], "--lease-timeout takes a time such as 30s", None),
    ("units in disorder", ["apply", "--lease-timeout=3s1h"], "--lease-timeout takes a time such as 30s", None),
    ("a time too long", ["apply", "--lease-timeout=20000d"], "--lease-timeout takes a time such as 30s", None),
    ("help for nothing", ["help", "plam"], "there is no command 'plam'", None),
]


@pytest.mark.parametrize("line, message, hint", [row[1:] for row in WRONG_LINES], ids=[row[0] for row in WRONG_LINES])
def test_wrong_line(stack, line, message, hint):
    result = stack.run(*line, status=64)
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert message in result.err
    if hint:
        assert hint in result.err


# Those that do not say themselves how they want to be answered.
PLAIN_WRONG_LINES = {row[0]: row[1:3] for row in WRONG_LINES if "--output" not in " ".join(row[1]) and row[1][-1:] != ["--"]}


@pytest.mark.parametrize("line, message", PLAIN_WRONG_LINES.values(), ids=PLAIN_WRONG_LINES)
def test_wrong_line_for_a_program(stack, line, message):
    for result in (stack.run("--output=json", *line, status=64), stack.run(*line, status=64, TRUEUP_OUTPUT="json")):
        told = [entry["message"] for entry in result.json["diagnostics"]]
        assert any(message in each for each in told) and result.json["status"] == 64


def test_output_behind_a_wrong_command(stack):
    result = stack.run("bogus", "--output", "json", status=64)
    assert result.json["diagnostics"][0]["message"] == "there is no command 'bogus'" and "'bogus'" in result.err
    # A line that was not understood writes no file, and may be wrong in that word as well.
    for line in (["--output", "json=x.json"], ["--output", "yaml"], ["--output"], ["--", "--output", "json"]):
        assert stack.run("bogus", *line, status=64).out == ""
    assert not (stack.folder / "x.json").exists()


def test_every_mistake_is_told(stack):
    result = stack.run("plan", "--max-delete=x", "--refresh=y", "--colour", status=64)
    assert result.err.count("error: ") == 3


def test_version(stack):
    assert re.fullmatch(r"trueup \d+\.\d+\.\d+\n", stack.run("version").out)
    document = stack.run("version", "--output", "json").json
    assert document["schema"] == "1.0"
    assert document["command"] == "version"
    assert re.fullmatch(r"\d+\.\d+\.\d+", document["version"])
    assert stack.run("--version").out == stack.run("version").out
    assert stack.run("--version", "--output", "json").json["command"] == "version"
    assert stack.run("--version", "plan").out == stack.run("version").out
    # A variable of that name in the environment is not a question.
    assert stack.run("validate", status=1, TRUEUP_VERSION="1").out == ""
    assert "did you mean" not in stack.run("plan", "--version", status=64).err


def test_flags_stand_in_the_environment(tiny):
    assert tiny.run("version", TRUEUP_OUTPUT="json").json["command"] == "version"
    # The line goes before the environment.
    assert tiny.run("version", "--output", "text", TRUEUP_OUTPUT="json").out.startswith("trueup ")
    # What a command does not take is nobody's mistake.
    tiny.run("version", TRUEUP_MAX_DELETE="x")
    assert "TRUEUP_MAX_DELETE takes a number" in tiny.run("plan", status=64, TRUEUP_MAX_DELETE="x").err
    assert tiny.run("plan", status=2, TRUEUP_DETAILED_EXITCODE="1")
    assert tiny.run("plan", TRUEUP_DETAILED_EXITCODE="0")


@pytest.mark.parametrize(
    "value, taken", [(word, True) for word in ("1", "true", "YES", "On")] + [(word, False) for word in ("0", "False", "NO", "off", "")]
)
def test_switches_in_the_environment(tiny, value, taken):
    """Only what plainly says so stands for --yes."""
    result = tiny.run("apply", status=0 if taken else 64, TRUEUP_YES=value)
    assert ("applied: " in result.err + result.out) == taken
    if not taken:
        assert "--yes" in result.err


@pytest.mark.parametrize("value", ["maybe", "n", " ", "yes please", "y" * 100])
def test_switch_that_is_no_answer(tiny, value):
    result = tiny.run("apply", status=64, TRUEUP_YES=value)
    assert f"TRUEUP_YES is '{value}', which is neither yes nor no" in result.err
    assert not (tiny.folder / ".trueup").exists()


# A variable of the environment, and what is said of it: what was meant, that there is none like it, or nothing.
VARIABLES = {
    "TRUEUP_PARALELISM": "did you mean TRUEUP_PARALLELISM?",
    "TRUEUP_MAX_DELETES": "did you mean TRUEUP_MAX_DELETE?",
    "TRUEUP_SEALINGKEY": "did you mean TRUEUP_SEALING_KEY?",
    "TRUEUP_SOMETHING_ELSE": "'trueup help COMMAND' lists its flags",
    "TRUEUP_MAX_DELETE": None,
    "TRUEUP_VAR_anything": None,
    "TRUEUP_METAL_ENDPOINT": None,
    "TRUEUPS": None,
    "trueup_paralelism": None,
}


@pytest.mark.parametrize("name, hint", VARIABLES.items(), ids=VARIABLES)
def test_variables_that_set_nothing(tiny, name, hint):
    result = tiny.run("validate", **{name: "3"})
    if hint:
        assert result.err.startswith(f"warning: the environment sets {name}, and trueup knows no such variable\n  hint: {hint}")
        assert "3" not in result.err
        (said,) = tiny.run("validate", "--output", "json", **{name: "3"}).json["diagnostics"]
        assert said["severity"] == "warning" and name in said["message"]
    else:
        assert result.err == ""


def test_directory(tiny):
    elsewhere = tiny.folder / "elsewhere"
    elsewhere.mkdir()
    (tiny.folder / "tiny.yaml").rename(elsewhere / "tiny.yaml")
    tiny.run("validate", status=1)
    assert "3 resources" in tiny.run("-C", "elsewhere", "validate").out
    assert "3 resources" in tiny.run("validate", "--directory=elsewhere").out
    assert "3 resources" in tiny.run("validate", TRUEUP_DIRECTORY="elsewhere").out
    tiny.run("-C", "elsewhere", "plan")
    assert (elsewhere / ".trueup/state.db").exists()
    assert not (tiny.folder / ".trueup").exists()


def test_output_to_files(tiny):
    result = tiny.run("plan", "--output", "json=plan.json", "--output", "text=plan.txt", "--output", "text")
    assert (tiny.folder / "plan.txt").read_text() == result.out
    assert json.loads((tiny.folder / "plan.json").read_text())["counts"]["create"] == 3
    assert (tiny.folder / "plan.json").stat().st_mode & 0o777 == 0o600


def test_output_that_cannot_be_written(tiny):
    assert "no/such/folder" in tiny.run("plan", "--output", "json=no/such/folder/x", status=1).err
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [BINARY, "version"], stdout=full, stderr=subprocess.PIPE, env=clean_environment(), check=False
        )
    assert done.returncode == 1
    assert b"standard output could not be written" in done.stderr


def onto_a_full_disk(stack, *command):
    with open("/dev/full", "w") as full:
        return subprocess.run(
            [BINARY, *command],
            cwd=stack.folder,
            stdout=full,
            stderr=subprocess.PIPE,
            env=clean_environment(**stack.environment),
            check=False,
        )


@pytest.mark.parametrize("command", [["plan"], ["plan", "--detailed-exitcode"], ["drift"]])
def test_a_plan_that_nobody_could_see_is_an_error(tiny, command):
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    done = onto_a_full_disk(tiny, *command)
    assert done.returncode == 1
    assert done.stderr.count(b"standard output could not be written") == 1


def test_an_apply_in_part_that_nobody_could_see_is_one_in_part(tiny):
    tiny.run("sim", "fault", "CreateSubnet", "deny")
    done = onto_a_full_disk(tiny, "apply", "--yes")
    assert done.returncode == 7 and b"note: all" not in done.stderr
    assert done.stderr.count(b"standard output could not be written") == 1


def with_output(stack, line, prepare):
    """The status and the errors of a command with a standard output that `prepare` spoils, in the program's process."""
    done = subprocess.run(
        [BINARY, *line],
        cwd=stack.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=clean_environment(**stack.environment),
        preexec_fn=prepare,
        check=False,
    )
    return done.returncode, done.stderr.decode()


def close_output():
    os.close(1)


def leave_output():
    """A pipe of which nobody reads."""
    reading, writing = os.pipe()
    os.dup2(writing, 1)
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("line", ["version", "help", "plan", "apply --yes", "state list", "plan --output json"])
def test_output_that_is_closed(tiny, line):
    tiny.run("apply", "--yes")
    status, err = with_output(tiny, line.split(), close_output)
    assert status == 1 and err.count("error: standard output could not be written") == 1


@pytest.mark.parametrize("line", ["version", "help", "plan", "drift", "state list", "plan --output json", "output key"])
def test_a_reader_may_leave_what_changes_nothing(tiny, line):
    """As the signal would end it, that other programs do not ignore."""
    edit(tiny, "outputs:", 'vars: {key: {secret: true, default: hush}}\noutputs:\n  key: "${var.key}"')
    tiny.run("apply", "--yes")
    assert with_output(tiny, line.split(), leave_output) == (141, "")


@pytest.mark.parametrize("line", ["--detailed-exitcode", "--out undo.plan"])
def test_a_reader_may_leave_an_undoing_that_is_only_planned(tiny, line):
    tiny.run("apply", "--yes")
    [run] = tiny.run("state", "history", "--output", "json").json["runs"]
    assert with_output(tiny, ["undo", run["id"], *line.split()], leave_output) == (141, "")
    assert len(recorded(tiny)) == 3


def test_a_reader_who_leaves_is_told_of_errors(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    status, err = with_output(tiny, ["plan", "--max-delete", "0"], leave_output)
    assert status == 6 and err.count("error: ") == 1 and "could not be written" not in err


@pytest.mark.parametrize("line", ["apply --yes", "destroy --yes", "state rm aws.subnet.a --yes"])
def test_a_change_goes_on_without_a_reader(tiny, line):
    """To its end, and does not pass for well: nobody saw what it did."""
    tiny.run("apply", "--yes", "--target", "aws.subnet.a")
    status, err = with_output(tiny, line.split(), leave_output)
    assert status == (1 if "state" in line else 7) and "error: standard output could not be written" in err
    assert len(recorded(tiny)) == {"apply": 3, "destroy": 0, "state": 1}[line.split()[0]]


ESCAPE = "\x1b["


@pytest.mark.parametrize(
    "arguments, settings, colored",
    [
        ([], {}, False),
        ([], {"CLICOLOR_FORCE": "1"}, True),
        ([], {"CLICOLOR_FORCE": "0"}, False),
        ([], {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"CLICOLOR_FORCE": "1"}, False),
        (["--color", "auto"], {"TERM": "dumb"}, False),
        ([], {"TRUEUP_COLOR": "always"}, True),
    ],
)
def test_color(tiny, arguments, settings, colored):
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    # A plan, and then what forbids it.
    result = tiny.run("plan", "--max-delete", "0", *arguments, status=6, **settings)
    assert (ESCAPE in result.out) == colored
    assert (ESCAPE in result.err) == colored


def test_files_have_no_color(tiny):
    tiny.run("plan", "--color=always", "--output=text=plan.txt")
    assert ESCAPE not in (tiny.folder / "plan.txt").read_text()


def test_diagnostics_show_the_place(tiny):
    edit(tiny, "cidr: 10.0.1.0/24", "cidr: 10.0.1.9/24, zonne: x")
    result = tiny.run("validate", status=1)
    assert result.out == ""
    lines = result.err.splitlines()
    assert sum(line.startswith("error: ") for line in lines) == 2
    for word in ("10.0.1.9", "zonne"):
        source = "  a: {vpc: main, cidr: 10.0.1.9/24, zonne: x}"
        at = lines.index(f"  --> tiny.yaml:6:{source.index(word) + 1}")
        assert lines[at + 1] == f"     6 | {source}"
        assert lines[at + 2] == "       | " + " " * source.index(word) + "^"


def test_diagnostics_as_json(tiny):
    edit(tiny, "cidr: 10.0.1.0/24", "cidr: 10.0.1.9/24, zonne: x")
    for command in (["validate"], ["plan"], ["apply", "--yes"], ["drift"]):
        document = tiny.run(*command, "--output", "json", status=1).json
        assert document["status"] == 1
        assert [one["line"] for one in document["diagnostics"]] == [6, 6]
        assert {one["file"] for one in document["diagnostics"]} == {"tiny.yaml"}
        assert all(one["severity"] == "error" and one["fault"] == "user" for one in document["diagnostics"])


def test_diagnostics_point_into_long_and_wide_lines(stack):
    stack.write("a.yaml", "stack: x\n# ä\n\tbad: 1\n")
    assert "a.yaml:3:1" in stack.run("validate", status=1).err
    stack.write("a.yaml", f"stack: x\naws.vpc: {{main: {{cidr: {' ' * 5000} 10.0.0.0/16, zonne: 1}}}}\n")
    result = stack.run("validate", status=1)
    line, caret = [line for line in result.err.splitlines() if "|" in line][:2]
    assert len(line) < 200
    assert line[caret.index("^") :].startswith("zonne")


def test_hostile_bytes_are_shown_as_escapes(stack):
    stack.write("a.yaml", b'stack: x\naws.vpc:\n  "a\\e[31mb\\u202e\\u009b": {cidr: 1}\n')
    result = stack.run("validate", status=1)
    assert "\x1b" not in result.err
    assert "\u202e" not in result.err
    assert "\u009b" not in result.err
    assert "\\x1b[31m" in result.err


def test_state(tiny):
    assert "state.db" in tiny.run("state", "list", status=1).err
    tiny.run("apply", "--yes")
    ids = recorded(tiny)
    assert sorted(ids) == ["aws.subnet.a", "aws.subnet.b", "aws.vpc.main"]
    assert [line.split() for line in tiny.run("state", "list").out.splitlines()] == [
        [address, ids[address]] for address in sorted(ids)
    ]
    document = tiny.run("state", "show", "aws.vpc.main", "--output", "json").json
    assert document["stack"] == "tiny"
    (vpc,) = document["objects"]
    assert vpc["provider_id"] == ids["aws.vpc.main"]
    assert vpc["applied"] == {"cidr": "10.0.0.0/16", "tags": {"team": "red"}}
    assert vpc["outputs"]["id"] == ids["aws.vpc.main"]
    (subnet,) = tiny.run("state", "show", "aws.subnet.a", "--output", "json").json["objects"]
    assert subnet["applied"]["vpc"] == {"$deferred": "${aws.vpc.main.id}"}
    assert subnet["resolved"]["vpc"] == ids["aws.vpc.main"]
    assert subnet["depends_on"] == ["aws.vpc.main"]
    assert ids["aws.vpc.main"] in tiny.run("state", "show", "aws.vpc.main").out
    result = tiny.run("state", "show", "aws.vpc.mian", status=1)
    assert "nothing is recorded at 'aws.vpc.mian'" in result.err
    assert "did you mean 'aws.vpc.main'?" in result.err


def test_state_is_only_read(tiny):
    tiny.run("apply", "--yes")
    before = (tiny.folder / ".trueup/state.db").read_bytes()
    tiny.run("state", "list")
    tiny.run("state", "show", "aws.vpc.main")
    tiny.run("drift")
    assert (tiny.folder / ".trueup/state.db").read_bytes() == before
    assert os.listdir(tiny.folder / ".trueup") == ["state.db"]


def test_sim_by_hand(tiny):
    tiny.run("apply", "--yes")
    vpc = recorded(tiny)["aws.vpc.main"]
    # The file can be named, with or without "sim:", where the environment does not tell it.
    for file in ("world", "sim:world"):
        assert vpc in tiny.run("sim", file, "show", "vpc", AWS_ENDPOINT_URL=None).out
    assert vpc in tiny.run("sim", "show", "--region", "eu-central-1").out
    assert tiny.run("sim", "show", "--region", "us-east-1", "--output", "json").json["world"] == {}
    tiny.run("sim", "change", "vpc", vpc, "tags.team=blue", "tags.new=1")
    tags = {tag["key"]: tag["value"] for tag in world(tiny, "vpc")[vpc]["tagSet"]}
    assert (tags["team"], tags["new"]) == ("blue", "1")
    tiny.run("sim", "change", "vpc", vpc, "tags.new=null", "enableDnsSupport=false")
    assert "new" not in {tag["key"] for tag in world(tiny, "vpc")[vpc]["tagSet"]}
    assert world(tiny, "vpc")[vpc]["enableDnsSupport"] == "false"
    tiny.run("sim", "add", "machine", "rack1-bmc.example", "serial=X1")
    assert list(world(tiny, "machine")) == ["rack1-bmc.example"]
    tiny.run("sim", "remove", "machine", "rack1-bmc.example")
    assert world(tiny, "machine") == {}
    assert "no vpc 'vpc-none'" in tiny.run("sim", "remove", "vpc", "vpc-none", status=1).err


WRONG_SIM_LINES = [
    (["chnage", "vpc"], {}, "usage: trueup sim [FILE] change TYPE ID NAME=VALUE"),
    (["change", "vpc"], {}, "usage: trueup sim [FILE] change TYPE ID NAME=VALUE"),
    (["change", "vpc", "vpc-1", "x"], {}, "an attribute is NAME=VALUE, not 'x'"),
    (["pass", "soon"], {}, "'soon' is no number of seconds"),
    (["show"], {"AWS_ENDPOINT_URL": None}, "trueup sim FILE show"),
    (["show"], {"AWS_ENDPOINT_URL": "sim:"}, "trueup sim FILE show"),
]


@pytest.mark.parametrize("line, settings, message", WRONG_SIM_LINES)
def test_sim_wrong_line(tiny, line, settings, message):
    file = ["world"] if line[0] == "chnage" else []
    assert message in tiny.run("sim", *file, *line, status=(1, 64), **settings).err
