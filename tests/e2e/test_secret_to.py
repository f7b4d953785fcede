"""What a service shows once: put where the spec says, kept nowhere else, and made anew where it was lost."""

import base64
import re
import shutil

import pytest

from cli import simulate, world
from conftest import Stack
from test_recover import outcomes, rows
from test_secrets import forms
from trueup_runner import measured

SPEC = "stack: keys\naws.key_pair:\n  k: {name: ops, secret_to: %s}\n"
PEM = re.compile(r"-----BEGIN OPENSSH PRIVATE KEY-----\n(\S+)\n-----END OPENSSH PRIVATE KEY-----")


@pytest.fixture
def here(tmp_path):
    (tmp_path / "stack").mkdir()
    made = Stack(tmp_path / "stack")
    simulate(made)
    made.write("stack.yaml", SPEC % "{file: ops.pem}")
    return made


def command(here, script):
    here.write("stack.yaml", SPEC % ("{command: [sh, -c, %s]}" % ("'" + script.replace("'", "''") + "'")))


def secret(path):
    return PEM.fullmatch(path.read_text())[1]


def assert_only_in(here, path):
    """Nothing in the stack's folder tells the key, but the file that it was to go to and the service's own."""
    key, looked = secret(path), 0
    for other in here.folder.rglob("*"):
        if other.is_file() and other not in (path, here.folder / "world"):
            looked += 1
            for form in forms(key):
                assert form not in other.read_bytes(), other
    assert looked >= 2
    return key


def test_goes_to_a_file(here):
    said = here.run("apply", "--yes", "--output", "json")
    path = here.folder / "ops.pem"
    assert path.stat().st_mode & 0o777 == 0o600
    key = assert_only_in(here, path)
    assert key not in said.out + said.err
    assert "nothing to do" in here.run("plan").out
    assert "no drift" in here.run("drift").out
    assert key not in here.run("state", "show", "aws.key_pair.k", "--output", "json").out
    # It is not there any more, and nothing to be put right: EC2 does not show it again.
    path.unlink()
    assert "nothing to do" in here.run("plan").out
    here.run("destroy", "--yes")
    assert world(here, "key-pair") == {}


def test_goes_to_a_program(here):
    command(here, "umask 077; cat > given; echo said; echo talked >&2")
    said = here.run("apply", "--yes")
    key = assert_only_in(here, here.folder / "given")
    assert key not in said.out + said.err and "talked" in said.err


@pytest.mark.parametrize("status", [0, 3])
def test_program_that_repeats_its_input(here, status):
    """As a shell does that shows what it runs."""
    command(here, f"tee given >&2; set -x; : $(cat given); while read -r line; do : $line; done < given; exit {status}")
    said = here.run("apply", "--yes", status=7 if status else 0)
    assert secret(here.folder / "given") not in said.out + said.err
    assert "(secret)" in said.err and "+ :" in said.err


@pytest.mark.parametrize(("script", "line"), [("cat >&2", r"\(secret\)"), ("printf huh >&2", "huh")])
def test_what_a_program_says_last_is_a_line_of_its_own(here, script, line):
    command(here, f"{script}; exit 3")
    assert re.search(rf"^{line}$", here.run("apply", "--yes", status=7).err, re.MULTILINE)


@pytest.mark.parametrize("how", ["base64", "base64 -w 64", "base64 -w 64 | sed 's/^/  /'", "base64 | tr '+/' '-_'"])
def test_program_that_encodes_its_input(here, how):
    command(here, f"cat > given; < given {how} >&2; echo talked >&2")
    said = here.run("apply", "--yes")
    key = (here.folder / "given").read_text()
    for line in base64.encodebytes(key.encode()).decode().split():
        assert line[4:-4] not in said.err.replace("-", "+").replace("_", "/")
    assert "(secret)" in said.err and "talked" in said.err


def test_another_place_takes_another_key(here):
    here.run("apply", "--yes")
    here.write("stack.yaml", SPEC % "{file: other.pem}")
    assert "1 REPLACE" in here.run("plan").out
    here.run("apply", "--yes")
    assert secret(here.folder / "other.pem") != secret(here.folder / "ops.pem")
    assert len(world(here, "key-pair")) == 1


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("name: ops", "needs one of 'public_key', 'secret_to'"),
        ("name: ops, secret_to: {}", "aws.key_pair needs one of 'public_key', 'secret_to'"),
        ("name: ops, secret_to: {file: a, command: [b]}", "cannot have both 'file' and 'command'"),
        ("name: ops, secret_to: {command: []}", "command"),
        ("name: ops, secret_to: {file: ~/.ssh/ops.pem}", "write the path from '/' on, or './~' where the name begins so"),
        ("name: ops, secret_to: {file: ~ops/ops.pem}", "'file' begins with '~', which stands for no folder"),
        ("name: ops, secret_to: {file: a}, public_key: ssh-ed25519 AAAA", "cannot have both 'public_key' and 'secret_to'"),
    ],
)
def test_validate_insists(here, fields, said):
    here.write("stack.yaml", "stack: keys\naws.key_pair:\n  k: {%s}\n" % fields)
    assert said in here.run("validate", status=1).err


def assert_made_anew(here, path, lost):
    """After a run in which the key of the pair `lost` came nowhere, or nobody knows whether it did."""
    assert rows(here, "SELECT operation, recipe FROM intents") == [("CreateKeyPair", "discard")]
    assert "CreateKeyPair" in here.run("plan", status=None).out
    here.run("apply", "--yes")
    (identity,) = world(here, "key-pair")
    assert identity not in lost
    assert rows(here, "SELECT count(*) FROM intents") == [(0,)]
    assert outcomes(here, "DeleteKeyPair") == ["done"]
    assert "nothing to do" in here.run("plan").out
    assert_only_in(here, path)


def test_killed_between_answer_and_sink(here):
    command(here, "test -e given || { touch given; kill -9 $PPID; exit; }; cat > given")
    here.run("apply", "--yes", status=-9)
    assert (here.folder / "given").read_text() == ""
    assert_made_anew(here, here.folder / "given", set(world(here, "key-pair")))


def test_killed_after_the_sink(here):
    command(here, "test -e given; there=$?; cat > given; test $there = 0 || kill -9 $PPID")
    here.run("apply", "--yes", status=-9)
    first = secret(here.folder / "given")
    assert_made_anew(here, here.folder / "given", set(world(here, "key-pair")))
    assert secret(here.folder / "given") != first


def test_answer_that_was_lost(here):
    here.run("sim", "fault", "CreateKeyPair", "lost_answer", "1", "1")
    here.run("apply", "--yes", status=(1, 7))
    assert not (here.folder / "ops.pem").exists()
    assert_made_anew(here, here.folder / "ops.pem", set(world(here, "key-pair")))


def test_request_that_was_lost(here):
    here.run("sim", "fault", "CreateKeyPair", "lost_request", "1", "1")
    here.run("apply", "--yes", status=(1, 7))
    assert world(here, "key-pair") == {}
    here.run("apply", "--yes")
    assert outcomes(here, "CreateKeyPair") == ["absent", "done"] and outcomes(here, "DeleteKeyPair") == []
    assert_only_in(here, here.folder / "ops.pem")


@pytest.mark.parametrize(
    "how",
    [
        "{file: missing/ops.pem}",
        "{command: ['false']}",
        # It ends well, and has not read what it was given.
        "{command: ['true']}",
        "{command: [sh, -c, 'test -e there || exit 0; cat > ops.pem']}",
    ],
)
def test_place_that_takes_nothing(here, how):
    here.write("stack.yaml", SPEC % how)
    failed = here.run("apply", "--yes", status=(1, 7))
    assert "the secret of 'aws.key_pair.k' is lost" in failed.err
    lost = set(world(here, "key-pair"))
    assert len(lost) == 1
    here.write("stack.yaml", SPEC % "{file: ops.pem}")
    assert_made_anew(here, here.folder / "ops.pem", lost)


NO_PROGRAMS = ["no-such-program", "./put", "there/put", "./folder", "/nowhere/put"]


@pytest.mark.parametrize("name", NO_PROGRAMS)
@pytest.mark.parametrize("before", [False, True], ids=["made", "replaced"])
def test_no_such_program(here, name, before):
    """Told before the pair is made, and before the one in whose place it comes is deleted."""
    if before:
        here.run("apply", "--yes")
    there = world(here, "key-pair")
    (here.folder / "folder").mkdir()
    here.write("put", "no script that may be run\n")
    here.write("stack.yaml", SPEC % ("{command: [%s]}" % name))
    here.run("plan", "--out", "plan")
    for words in ["--yes"], ["plan"]:
        refused = here.run("apply", *words, status=1)
        assert f"'{name}' cannot be run, and the secret of 'aws.key_pair.k'" in refused.err
        assert "a relative path with '/' begins in the stack's folder" in refused.err
    assert world(here, "key-pair") == there and rows(here, "SELECT count(*) FROM intents") == [(0,)]


def test_no_such_program_known_late(here):
    """Its name comes of what the run itself makes."""
    here.write("stack.yaml", SPEC % "{command: ['${aws.vpc.v.id}']}" + "aws.vpc:\n  v: {cidr: 10.0.0.0/16}\n")
    failed = here.run("apply", "--yes", status=7)
    (made,) = world(here, "vpc")
    assert f"'{made}' cannot be run" in failed.err
    assert world(here, "key-pair") == {} and rows(here, "SELECT count(*) FROM intents") == [(0,)]


@pytest.mark.parametrize("saved", [False, True], ids=["", "saved"])
@pytest.mark.parametrize("script", ["sh, -c, 'cat > given'", "./put", "sub/../put"])
def test_program_runs_in_the_folder_of_the_stack(here, tmp_path, script, saved):
    """Wherever trueup is started: what the spec names by a relative path lies beside it."""
    (here.folder / "sub").mkdir()
    here.write("put", "#!/bin/sh\ncat > given\n")
    (here.folder / "put").chmod(0o700)
    here.write("stack.yaml", SPEC % ("{command: [%s]}" % script))
    (tmp_path / "elsewhere").mkdir()
    elsewhere = Stack(tmp_path / "elsewhere")
    elsewhere.environment.update(here.environment)
    if saved:
        elsewhere.run("-C", "../stack", "plan", "--out", "plan")
    elsewhere.run("-C", "../stack", "apply", *(["plan"] if saved else ["--yes"]))
    assert secret(here.folder / "given") and not (elsewhere.folder / "given").exists()


def test_a_full_disk_is_no_other_run(here, tmp_path):
    """Whoever waits for the other run to end waits for ever."""
    # Others are at work beside it, so that what fails first is their record.
    ranges = ", ".join(f"v{number}: {{cidr: 10.{number}.0.0/16}}" for number in range(12))
    here.write("more.yaml", f"aws.vpc: {{{ranges}}}\n")
    told = 0
    for number, most_kib in enumerate(range(64, 132, 4)):
        here.environment["AWS_ENDPOINT_URL"] = f"sim:{tmp_path}/world{number}"
        shutil.rmtree(here.folder / ".trueup", ignore_errors=True)
        limited = ["bash", "-c", f'ulimit -S -f {most_kib}; exec "$@"', "bash"]
        failed = measured(here, "apply", "--yes", wrapper=limited)
        assert failed.status in (0, 1, 7), failed
        told += "put nowhere: the record cannot be written" in failed.err
    assert told > 0


USER = "aws.launch_template:\n  n: {name: node, image: ami-0123456789abcdef0, instance_type: m7i.large, key: k}\n"


@pytest.mark.parametrize("asked", ["", ", lifecycle: {create_before_destroy: true}"], ids=["by default", "asked for"])
@pytest.mark.parametrize("script", ["exit 1", "kill -9 $PPID"], ids=["fails", "kills"])
def test_lost_while_a_user_holds_the_old_one(here, script, asked):
    """The new one, which nobody uses yet, makes way for the next of its name; the old one goes last."""
    (here.folder / "user.yaml").write_text(USER)
    command(here, "umask 077; cat > given")
    here.run("apply", "--yes")
    command(here, f"test -e failed || {{ touch failed; {script}; }}; umask 077; cat > other")
    path = here.folder / "stack.yaml"
    path.write_text(path.read_text().replace("name: ops,", "name: ops2,").replace("]}}", "]}%s}" % asked))
    here.run("apply", "--yes", status=(-9, 7))
    lost = set(world(here, "key-pair"))
    assert len(lost) == 2
    here.run("apply", "--yes")
    assert len(world(here, "key-pair")) == 1 and not lost & set(world(here, "key-pair"))
    assert "nothing to do" in here.run("plan").out
    assert secret(here.folder / "other")


def rebuilt(here, status):
    """What is told of a state that was lost."""
    shutil.rmtree(here.folder / ".trueup", ignore_errors=True)
    found = here.run("state", "rebuild", "--force", "--yes", "--output", "json", status=status).json["findings"]
    return [(each["class"], each["what"]) for each in found if each["class"] != "left"]


@pytest.mark.parametrize("before", [False, True], ids=["made", "replaced"])
def test_lost_with_the_state(here, before):
    """Nothing but the missing file tells that its key is nowhere."""
    place = here.folder / "later" / "ops.pem"
    if before:
        (here.folder / "user.yaml").write_text(USER)
        here.run("apply", "--yes")
    here.write("stack.yaml", (SPEC % "{file: later/ops.pem}").replace("ops,", "ops2,"))
    here.run("apply", "--yes", status=7 if before else (1, 7))
    lost = set(world(here, "key-pair"))
    assert len(lost) == 1 + before
    place.parent.mkdir()
    assert ("lost", "secret_to") in rebuilt(here, 7)
    assert "unset -> {file: later/ops.pem}" in here.run("plan").out
    here.run("apply", "--yes")
    (made,) = world(here, "key-pair")
    assert made not in lost and secret(place)
    assert "nothing to do" in here.run("plan").out


def test_not_lost_with_the_state(here):
    """Where it is there, or comes back, and where only a program knows whether it got it."""
    here.run("apply", "--yes")
    made, path = world(here, "key-pair"), here.folder / "ops.pem"
    assert rebuilt(here, 0) == [("assumed", "secret_to")]
    key = path.read_bytes()
    path.unlink()
    assert rebuilt(here, 7) == [("lost", "secret_to")]
    path.write_bytes(key)
    assert rebuilt(here, 0) == [("assumed", "secret_to")]
    assert "nothing to do" in here.run("plan").out
    command(here, "cat > given")
    assert rebuilt(here, 0) == [("assumed", "secret_to")]
    here.run("apply", "--yes")
    assert world(here, "key-pair") == made


def test_saved_plan_puts_it_there_too(here):
    here.run("plan", "--out", "plan")
    here.run("apply", "plan")
    assert_only_in(here, here.folder / "ops.pem")


def test_program_that_fails(here):
    """What it printed is shown to nobody."""
    command(here, "umask 077; tee given; exit 3")
    failed = here.run("apply", "--yes", status=(1, 7))
    assert "'sh' failed with status 3" in failed.err
    assert secret(here.folder / "given") not in failed.out + failed.err


def test_place_that_is_there_only_later(here):
    """The spec stays as it was, so that nothing but what was lost is a reason to make another."""
    here.write("stack.yaml", SPEC % "{file: later/ops.pem}")
    here.run("apply", "--yes", status=(1, 7))
    lost = set(world(here, "key-pair"))
    (here.folder / "later").mkdir()
    assert_made_anew(here, here.folder / "later" / "ops.pem", lost)


def test_what_its_environment_holds(here):
    """No secret of trueup's own, but what it needs to log in somewhere."""
    command(here, "umask 077; env > environment; cat > given")
    path = here.folder / "stack.yaml"
    path.write_text(
        path.read_text()
        + "vars:\n  password: {type: string, secret: true}\n"
        + "providers:\n  aws: {region: eu-central-1}\n  metal: {user: root, password_env: BMC_PASSWORD}\n"
    )
    withheld = {
        "TRUEUP_SEALING_KEY": "5e" * 32,
        "TRUEUP_NEW_SEALING_KEY": "6f" * 32,
        "TRUEUP_VAR_password": "a-secret-of-mine",
        "TRUEUP_VAR": "password=another-of-mine",
        "BMC_PASSWORD": "calvin-and-hobbes",
    }
    kept = {"AWS_SECRET_ACCESS_KEY": "sim", "VAULT_TOKEN": "of-the-vault", "BMC_PASSWORD_2": "of-others"}
    here.run("apply", "--yes", **withheld, **kept)
    there = dict(line.split("=", 1) for line in (here.folder / "environment").read_text().splitlines())
    assert not withheld.keys() & there.keys()
    assert kept.items() <= there.items() and "PATH" in there
    assert_only_in(here, here.folder / "given")


def pairs(here, **files):
    names = "".join(f"  {name}: {{name: ops{name}, secret_to: {{file: {file}}}}}\n" for name, file in files.items())
    here.write("stack.yaml", f"stack: keys\naws.key_pair:\n{names}")


@pytest.mark.parametrize("file", ["ops.pem", "./ops.pem", "here/ops.pem"])
def test_no_other_pair_takes_the_file(here, file):
    """Until what has its key there is gone: cut off between, that would be there still, and nobody had its key."""
    pairs(here, a="ops.pem")
    here.run("apply", "--yes")
    (here.folder / "here").symlink_to(".")
    key, there = secret(here.folder / "ops.pem"), world(here, "key-pair")
    pairs(here, b=file)
    told = "'aws.key_pair.a' is there and has its key in it, which is shown only once"
    assert told in here.run("plan", status=1).err and told in here.run("apply", "--yes", status=1).err
    pairs(here, a="other.pem", b=file)
    for words in [[], ["--target", "aws.key_pair.b"]]:
        assert told in here.run("apply", "--yes", *words, status=1).err
    assert key == secret(here.folder / "ops.pem") and there == world(here, "key-pair")
    here.write("stack.yaml", "stack: keys\n")
    here.run("apply", "--yes")
    pairs(here, b="ops.pem")
    here.run("apply", "--yes")
    assert key != secret(here.folder / "ops.pem") and len(world(here, "key-pair")) == 1


def test_the_file_of_a_pair_that_is_gone_is_free(here):
    pairs(here, a="ops.pem")
    here.run("apply", "--yes")
    here.run("sim", "--region", "eu-central-1", "remove", "key-pair", *world(here, "key-pair"))
    pairs(here, b="ops.pem")
    here.run("apply", "--yes")
    assert len(world(here, "key-pair")) == 1


OVER_A_KEY = {
    "as it was made": [],
    "the spec has it no more": [("write", "stack.yaml", "stack: keys\n")],
    "a mistake in the spec": [("write", "stack.yaml", "stack: keys\nfoo: [\n")],
    "and nobody answers": [
        ("write", "stack.yaml", "stack: keys\n"),
        ("run", "sim", "fault", "GetCallerIdentity", "deny"),
    ],
}
COMMANDS = ["plan", "apply --yes", "drift", "recover", "validate", "state list", "state rebuild --force --yes"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", OVER_A_KEY)
def test_an_output_is_written_over_no_key(here, case, command):
    here.run("apply", "--yes")
    key, there = secret(here.folder / "ops.pem"), world(here, "key-pair")
    for act, *words in OVER_A_KEY[case]:
        getattr(here, act)(*words)
    told = here.run(*command.split(), "--output", "json=ops.pem", status=1).err
    assert "cannot write 'ops.pem': a private key is in it" in told
    assert key == secret(here.folder / "ops.pem") and there == world(here, "key-pair")


def test_a_backup_is_put_over_no_key(here):
    here.run("apply", "--yes")
    key = secret(here.folder / "ops.pem")
    told = here.run("state", "backup", "ops.pem", "--force", status=1).err
    assert "cannot write 'ops.pem': a private key is in it" in told
    assert key == secret(here.folder / "ops.pem")


KEYS_OF_OTHERS = {
    "parameters before it": "-----BEGIN EC PARAMETERS-----\nBg==\n-----END EC PARAMETERS-----\n-----BEGIN EC PRIVATE KEY-----\nx\n",
    "certificates before it": "-----BEGIN CERTIFICATE-----\n" + "x" * 6000 + "\n-----BEGIN PRIVATE KEY-----\nx\n",
    "an empty line": "\n-----BEGIN OPENSSH PRIVATE KEY-----\nx\n",
    "of PuTTY": "PuTTY-User-Key-File-3: ssh-ed25519\n",
}


@pytest.mark.parametrize("text", KEYS_OF_OTHERS.values(), ids=KEYS_OF_OTHERS)
def test_no_report_goes_over_a_key_of_others(here, text):
    (here.folder / "other.pem").write_text(text)
    told = here.run("plan", "--output", "json=other.pem", status=1).err
    assert "cannot write 'other.pem': a private key is in it" in told
    assert (here.folder / "other.pem").read_text() == text
    (here.folder / "other.pem").write_text("-----BEGIN CERTIFICATE-----\nx\n")
    here.run("plan", "--output", "json=other.pem")
