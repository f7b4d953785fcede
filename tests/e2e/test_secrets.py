"""Secrets: sealed where they are needed again, fingerprints where only a change matters, told nowhere."""

import base64
import http.server
import json
import os
import re
import shutil
import sqlite3
import time
import urllib.parse

import pytest

from conftest import Stack, serve
from cli import Terminal, digest

PASSWORD, TOKEN, OTHER = "hunter2<&>hunter2", "t0ken-of-the-tag", "correct horse battery"
HEX, HEX_ID = "11" * 32, re.compile(r"\b[0-9a-f]{16}\b")

SPEC = """\
stack: secrets
vars:
  password: {type: string, secret: true}
  token: {type: string, secret: true}
aws.launch_template:
  t:
    name: template
    user_data: "#!/bin/sh\\necho ${var.password}\\n"
aws.vpc:
  n: {cidr: 10.0.0.0/16, tags: {token: "${aws.launch_template.t.id}-${var.token}"}}
"""


class Home:
    """A stack on a simulated world, and the home of who works on it."""

    def __init__(self, folder, world):
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        (folder / "stack").mkdir()
        self.stack = Stack(folder / "stack")
        self.stack.environment.update(
            HOME=str(self.home),
            AWS_ENDPOINT_URL=f"sim:{world}",
            AWS_ACCESS_KEY_ID="sim",
            AWS_SECRET_ACCESS_KEY="sim",
            TRUEUP_VAR_password=PASSWORD,
            TRUEUP_VAR_token=TOKEN,
        )
        self.said = ""

    def run(self, *arguments, **settings):
        result = self.stack.run(*arguments, **settings)
        self.said += result.out + result.err
        return result

    def keys(self):
        return sorted((self.home / ".config" / "trueup").glob("*.key"))

    def rows(self, query):
        with sqlite3.connect(self.stack.folder / ".trueup" / "state.db") as database:
            return database.execute(query).fetchall()

    def key_id(self):
        return self.rows("SELECT sealing_key FROM stack")[0][0]

    def take_state(self, other):
        shutil.rmtree(self.stack.folder / ".trueup", ignore_errors=True)
        shutil.copytree(other.stack.folder / ".trueup", self.stack.folder / ".trueup")


@pytest.fixture
def here(tmp_path):
    made = Home(tmp_path / "here", tmp_path / "world")
    made.stack.write("stack.yaml", SPEC)
    return made


@pytest.fixture
def there(tmp_path):
    """Another user, without the spec and its variables."""
    made = Home(tmp_path / "there", tmp_path / "world")
    del made.stack.environment["TRUEUP_VAR_password"], made.stack.environment["TRUEUP_VAR_token"]
    return made


def forms(secret):
    """A secret as it is, and within base64 at each alignment, less what neighbours have a share in."""
    yield secret.encode()
    for before in range(3):
        encoded = base64.b64encode(b"#" * before + secret.encode())
        yield encoded[(before * 8 + 5) // 6 : -4]


def assert_untold(text, *secrets):
    for secret in secrets:
        for form in forms(secret):
            assert form not in (text.encode() if isinstance(text, str) else text), f"{secret!r} as {form!r}"


def assert_nowhere(tmp_path, *homes):
    """No file but the spec and the service's own, and nothing that was said, tells a secret."""
    looked = 0
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name not in ("world", "stack.yaml"):
            looked += 1
            assert_untold(path.read_bytes(), PASSWORD, TOKEN, OTHER)
    assert looked >= 2
    for home in homes:
        assert home.said
        assert_untold(home.said, PASSWORD, TOKEN, OTHER)


def test_nothing_tells_them(here, tmp_path):
    here.run("validate")
    here.run("plan", "--out", tmp_path / "plan", "--output", "text", "--output", f"json={tmp_path}/plan.json")
    here.run("show", tmp_path / "plan")
    here.run("show", tmp_path / "plan", "--output", "json")
    here.run("apply", tmp_path / "plan")
    assert "nothing to do" in here.run("plan").out
    assert "no drift" in here.run("drift").out
    here.run("plan", "--output", "json", "--refresh", "none")
    for address in ("aws.vpc.n", "aws.launch_template.t"):
        here.run("state", "show", address)
        here.run("state", "show", address, "--output", "json")
    here.run("apply", "--yes", TRUEUP_VAR_password=OTHER, TRUEUP_VAR_token=OTHER)
    assert "nothing to do" in here.run("plan", TRUEUP_VAR_password=OTHER, TRUEUP_VAR_token=OTHER).out
    here.run("destroy", "--yes")
    assert_nowhere(tmp_path, here)


def test_nothing_tells_them_after_a_kill(here, tmp_path):
    for delay in (0.005, 0.01, 0.02, 0.04, 0.08):
        running = here.stack.start("apply", "--yes", "--output", f"json={tmp_path}/out.json")
        time.sleep(delay)
        running.kill()
        out, err = running.communicate()
        here.said += (out + err).decode()
        assert_untold(b"".join(path.read_bytes() for path in here.stack.folder.rglob(".trueup/*")), PASSWORD, TOKEN)
    here.run("apply", "--yes")
    assert "nothing to do" in here.run("plan").out
    assert_nowhere(tmp_path, here)


def test_saved_plan_applies_in_an_empty_folder(here, there, tmp_path):
    planned = here.run("plan", "--out", tmp_path / "plan")
    there.take_state(here)
    shutil.copytree(here.home / ".config", there.home / ".config")
    applied = there.run("apply", tmp_path / "plan")
    assert digest(planned) == digest(applied)
    here.take_state(there)
    # What was made has the secrets that the spec has.
    assert "nothing to do" in here.run("plan").out
    assert_nowhere(tmp_path, here, there)


def test_second_saved_plan_in_an_empty_folder(here, there, tmp_path):
    here.run("apply", "--yes")
    here.run("plan", "--out", tmp_path / "plan", TRUEUP_VAR_token=OTHER)
    there.take_state(here)
    there.run("apply", tmp_path / "plan", TRUEUP_SEALING_KEY=here.keys()[0].read_text().strip())
    here.take_state(there)
    assert "nothing to do" in here.run("plan", TRUEUP_VAR_token=OTHER).out


def test_another_secret_is_another_plan(here):
    shown = [here.run("plan", TRUEUP_VAR_token=token) for token in (TOKEN, OTHER, TOKEN)]
    assert digest(shown[0]) == digest(shown[2]) != digest(shown[1])
    here.run("apply", "--yes")
    for refresh in ("full", "none"):
        changed = here.run("plan", "--refresh", refresh, "--output", "json", TRUEUP_VAR_token=OTHER).json
        assert [one["address"] for one in changed["actions"]] == ["aws.vpc.n"], refresh


def test_two_users_approve_the_same(here, there, tmp_path):
    """Each under a key of their own, as neither had one when the state was copied."""
    there.stack.write("stack.yaml", SPEC)
    there.stack.environment.update(TRUEUP_VAR_password=PASSWORD, TRUEUP_VAR_token=TOKEN)
    here.run("plan")
    there.take_state(here)
    shown = [one.run("plan", "--out", tmp_path / str(i)) for i, one in enumerate((here, there))]
    assert digest(shown[0]) == digest(shown[1])
    assert here.key_id() != there.key_id()
    refused = here.run("apply", tmp_path / "1", status=4)
    assert here.key_id() in refused.err and there.key_id() in refused.err
    # The digest that one has shown is the one that the other applies.
    assert "done" in here.run("apply", tmp_path / "0", "--digest", digest(shown[1])).out


def test_without_the_key_the_plan_is_the_same(here, there, tmp_path):
    there.stack.write("stack.yaml", SPEC)
    there.stack.environment.update(TRUEUP_VAR_password=PASSWORD, TRUEUP_VAR_token=TOKEN)
    first = here.run("plan", "--out", tmp_path / "sealed")
    there.take_state(here)
    second = there.run("plan", "--out", tmp_path / "bare")
    assert digest(first) == digest(second)
    assert "saved without its secrets" in second.err and here.key_id() in second.err
    assert there.keys() == []
    # Where the spec is, neither file needs the key.
    there.run("apply", tmp_path / "sealed")
    assert there.keys() == []
    assert_nowhere(tmp_path, here, there)


def test_no_key_where_nothing_is_sealed(here):
    here.stack.write("stack.yaml", "stack: secrets\naws.vpc:\n  n: {cidr: 10.0.0.0/16}\n")
    wrong = {"TRUEUP_SEALING_KEY": "no key", "TRUEUP_VAR_password": None, "TRUEUP_VAR_token": None}
    here.run("plan", "--out", "plan", **wrong)
    here.run("apply", "plan", **wrong)
    here.run("drift", **wrong)
    here.run("destroy", "--yes", **wrong)
    assert not (here.home / ".config").exists() and here.key_id() == ""


def test_wrong_key_is_an_error(here, there, tmp_path):
    here.run("plan", "--out", tmp_path / "plan")
    there.take_state(here)
    refused = there.run("apply", tmp_path / "plan", status=1, TRUEUP_SEALING_KEY=HEX)
    assert here.key_id() in refused.err and "TRUEUP_SEALING_KEY gives the key" in refused.err
    assert len(set(HEX_ID.findall(refused.err))) == 2
    refused = here.run("plan", "--out", tmp_path / "again", status=1, TRUEUP_SEALING_KEY=HEX)
    assert here.key_id() in refused.err
    assert not (tmp_path / "again").exists()
    # With none it is said which is needed, and nothing is called.
    refused = there.run("apply", tmp_path / "plan", status=1)
    assert here.key_id() in refused.err and "only its fingerprint" in refused.err
    assert here.run("state", "list").out == ""


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("hex", {"TRUEUP_SEALING_KEY": HEX}),
        ("base64", {"TRUEUP_SEALING_KEY": base64.b64encode(bytes.fromhex(HEX)).decode()}),
        ("a program", {"TRUEUP_SEALING_KEY_COMMAND": f"echo {HEX}"}),
        ("a program's argument in quotes", {"TRUEUP_SEALING_KEY_COMMAND": f"printf '%s \\n' \"{HEX}\""}),
        (
            "the environment first",
            {"TRUEUP_SEALING_KEY": HEX, "TRUEUP_SEALING_KEY_COMMAND": "false"},
        ),
    ],
)
def test_sources(here, there, tmp_path, name, settings):
    here.run("plan", "--out", tmp_path / "plan", **settings)
    assert here.keys() == []
    assert here.key_id() == "e264e05c3bc4c2b9" or len(here.key_id()) == 16
    there.take_state(here)
    there.run("apply", tmp_path / "plan", TRUEUP_SEALING_KEY=HEX)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("false", "'false' failed with status 1"),
        ("no-such-program", "cannot run 'no-such-program'"),
        ("echo 0123", "gives is no sealing key"),
        ("echo $HOME; echo `id`", "gives is no sealing key"),
        ("yes", "'yes' said more than it was asked for"),
        ("echo 'abc", "a quote without its end"),
        ("   ", "names no program"),
        ("sh -c 'kill -9 $$'", "was ended by signal 9"),
    ],
)
def test_program_that_gives_no_key(here, command, said):
    refused = here.run("plan", "--out", "plan", status=1, TRUEUP_SEALING_KEY_COMMAND=command)
    assert said in refused.err
    assert not (here.stack.folder / "plan").exists()
    assert here.key_id() == "" and here.keys() == []


def test_program_that_ends_no_line(here):
    command = "sh -c 'printf huh >&2; exit 3'"
    assert "huh\nerror: " in here.run("plan", "--out", "plan", status=1, TRUEUP_SEALING_KEY_COMMAND=command).err


def test_program_speaks_to_the_user(here):
    script = here.stack.folder / "key"
    script.write_text(f"#!/bin/sh\necho unlocking >&2\nenv > environment\ncat\necho {HEX}\n")
    script.chmod(0o700)
    here.stack.write("stack.yaml", SPEC + "providers:\n  metal: {user: root, password_env: BMC_PASSWORD}\n")
    withheld = {
        "TRUEUP_NEW_SEALING_KEY": "6f" * 32,
        "TRUEUP_VAR_other": "a-secret-of-mine",
        "BMC_PASSWORD": "calvin-and-hobbes",
    }
    for arguments in ("plan", "--out", "plan"), ("apply", "plan"):
        result = here.run(*arguments, TRUEUP_SEALING_KEY_COMMAND="./key", VAULT_TOKEN="mine", **withheld)
        assert "unlocking" in result.err and len(here.key_id()) == 16
        environment = (here.stack.folder / "environment").read_text()
        assert "VAULT_TOKEN=mine\n" in environment
        assert not [name for name in withheld if name in environment]


def lose(home, action, how="lost_answer"):
    """An apply in which no answer to that action comes, however often it is sent."""
    fault = home.run("sim", "fault", action, how).out.split()[-1]
    home.run("apply", "--yes", status=(1, 7))
    home.run("sim", "remove", "fault", fault)


def test_sealed_intent_is_sent_again(here, tmp_path):
    lose(here, "CreateLaunchTemplate", "lost_request")
    ((parameters, sealed),) = here.rows("SELECT parameters, sealed FROM intents")
    assert json.loads(sealed)
    assert set(json.loads(sealed)) <= set(re.findall(r"[0-9a-f]{64}", parameters))
    here.run("apply", "--yes")
    # It was sent again with its token and its secret, so nothing was waited for and nothing is different.
    outcomes = here.rows("SELECT outcome FROM history WHERE operation = 'CreateLaunchTemplate'")
    assert [one for (one,) in outcomes] == ["done"]
    assert "nothing to do" in here.run("plan").out
    assert_nowhere(tmp_path, here)


def test_without_the_key_an_intent_is_looked_for(here, there, tmp_path):
    lose(here, "CreateLaunchTemplate")
    there.take_state(here)
    there.stack.write("stack.yaml", SPEC)
    there.stack.environment.update(TRUEUP_VAR_password=PASSWORD, TRUEUP_VAR_token=TOKEN)
    refused = there.run("recover", status=None, TRUEUP_SEALING_KEY=HEX)
    assert refused.status != 0 or "nothing is open" in refused.out
    there.run("apply", "--yes")
    assert "nothing to do" in there.run("plan").out
    assert there.keys() == []


def test_rekey(here, tmp_path):
    assert "no sealing key yet" in (here.run("plan").out and here.run("state", "rekey").out)
    lose(here, "CreateLaunchTemplate", "lost_request")
    here.run("plan", "--out", tmp_path / "plan")
    (old,) = here.keys()
    old_id = here.key_id()
    ((sealed,),) = here.rows("SELECT sealed FROM intents")
    done = here.run("state", "rekey", "--output", "json").json
    assert (done["old_key"], done["new_key"], done["sealed_anew"]) == (old_id, here.key_id(), 1)
    (new,) = here.keys()
    assert new != old and here.key_id() != old_id
    ((resealed,),) = here.rows("SELECT sealed FROM intents")
    assert json.loads(resealed).keys() == json.loads(sealed).keys() and resealed != sealed
    refused = here.run("apply", tmp_path / "plan", status=4)
    assert old_id in refused.err and here.key_id() in refused.err
    # To a key of the environment, and only with the one at hand that is in use.
    wrong = here.run("state", "rekey", status=1, TRUEUP_SEALING_KEY=HEX, TRUEUP_NEW_SEALING_KEY="22" * 32)
    assert here.key_id() in wrong.err
    assert "TRUEUP_SEALING_KEY from now on" in here.run("state", "rekey", TRUEUP_NEW_SEALING_KEY=HEX).out
    assert here.keys() == []
    assert "has already" in here.run("state", "rekey", status=1, TRUEUP_SEALING_KEY=HEX, TRUEUP_NEW_SEALING_KEY=HEX).err
    missing = here.run("state", "rekey", status=1)
    assert here.key_id() in missing.err and here.keys() == []
    here.run("apply", "--yes", TRUEUP_SEALING_KEY=HEX)
    assert [one for (one,) in here.rows("SELECT outcome FROM history WHERE operation = 'CreateLaunchTemplate'")] == [
        "done"
    ]
    # With nothing sealed in the state, the old key may be lost.
    assert "warning" not in here.run("state", "rekey", TRUEUP_SEALING_KEY=HEX, TRUEUP_NEW_SEALING_KEY="22" * 32).err
    here.run("state", "rekey")
    assert len(here.keys()) == 1
    assert_nowhere(tmp_path, here)


def test_a_key_that_is_replaced_while_a_plan_is_thought_over(here):
    """Nobody could open what that run would seal: the old key is thrown away."""
    lose(here, "CreateLaunchTemplate", "lost_request")
    slow = Terminal(here.stack, "apply")
    slow.read_until("Only 'yes' will do: ")
    here.run("state", "rekey")
    slow.type("yes\n")
    slow.end(4)
    assert "another run has replaced the sealing key of the stack since this plan was made" in slow.text
    here.run("apply", "--yes")
    assert "nothing to do" in here.run("plan").out


class Echo(http.server.BaseHTTPRequestHandler):
    """A service that repeats what it was sent in its errors, in every form it knows."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        action = dict(urllib.parse.parse_qsl(body)).get("Action", "")
        status, text = 200, f"<{action}Response><vpcSet/><launchTemplates/><requestId>r</requestId></{action}Response>"
        if action == "GetCallerIdentity":
            text = (
                "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:root</Arn>"
                "<UserId>u</UserId><Account>123456789012</Account></GetCallerIdentityResult>"
                "</GetCallerIdentityResponse>"
            )
        elif action.startswith("Create"):
            status, text = 400, self.refusal(body, list(dict(urllib.parse.parse_qsl(body)).values()))
        self.send_response(status)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def refusal(self, body, values):
        told = " ".join([*values, json.dumps(values, ensure_ascii=False)])
        escaped = told.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return (
            "<Response><Errors><Error><Code>InvalidParameterValue</Code><Message>no good: "
            f"{body.replace('&', '&amp;')} {escaped} {base64.b64encode(escaped.encode()).decode()}"
            "</Message></Error></Errors><RequestID>r</RequestID></Response>"
        )

    def log_message(self, *arguments):
        pass


def test_error_that_echoes_them(here, tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    serve(server)
    here.stack.write(
        "stack.yaml",
        "stack: secrets\nvars:\n  password: {secret: true}\n  token: {secret: true}\n"
        'aws.vpc:\n  n: {cidr: 10.0.0.0/16, tags: {a: "x-${var.password}", b: "${var.token}"}}\n',
    )
    settings = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}"}
    result = here.run("apply", "--yes", "--output", "json", "--output", f"text={tmp_path}/text", status=(1, 7), **settings)
    server.shutdown()
    assert "no good" in result.err and "(secret)" in result.err
    assert "no good" in result.out and "(secret)" in result.out
    json.loads(result.out)
    assert_nowhere(tmp_path, here)


ESCAPED = {
    "lines": 'line-one-of-key\nline-two "of" key\nline-3-of-it',
    "tab": 'tab-behind\tand"quote-in-it\\back',
    "no width": "left-of-it\u200bright-of-it",
    "beyond ASCII": "Z\u00fcrich-geheim",
}


class Page(Echo):
    """Something on the way to a service, which shows what it did not let through."""

    def refusal(self, body, values):
        return f"<html>no good: {'.' * 60} {values[5]}</html>"


@pytest.mark.parametrize("secret", ESCAPED.values(), ids=ESCAPED)
@pytest.mark.parametrize("service", [Echo, Page])
def test_echo_that_is_shown_with_escapes(here, tmp_path, service, secret):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), service)
    serve(server)
    here.stack.write(
        "stack.yaml",
        "stack: secrets\nvars: {password: {secret: true}, token: {secret: true}}\n"
        'aws.vpc: {n: {cidr: 10.0.0.0/16, tags: {a: "${var.password}"}}}\n',
    )
    endpoint = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}", "TRUEUP_VAR_password": secret}
    files = ["--output", "json", "--output", f"text={tmp_path}/text"]
    result = here.run("apply", "--yes", *files, status=(1, 7), **endpoint)
    server.shutdown()
    said = here.said + (tmp_path / "text").read_text()
    assert "no good" in said and "(secret)" in said
    assert not [word for word in re.findall(r"[a-z][a-z-]{4,}", secret) if word in said], said
    json.loads(result.out)


def test_line_that_is_shown_with_an_error(here):
    here.stack.write(
        "stack.yaml",
        "stack: secrets\naws.vpn_connection:\n  v:\n    tunnels:\n"
        f"      - {{pre_shared_key: {TOKEN}, nonsense: 1}}\n      - {{pre_shared_key: {TOKEN}}}\n",
    )
    result = here.run("validate", status=1, TRUEUP_VAR_password=None, TRUEUP_VAR_token=None)
    assert "nonsense" in result.err and "(secret)" in result.err
    assert_untold(here.said, TOKEN)


@pytest.mark.parametrize("before", ["", "x" * 50 + ": 1, ", "\u20ac: 1, "], ids=["short", "a cut line", "wide"])
def test_mark_under_a_line_without_its_secret(here, before):
    """It stands under what is wrong, however long the secret was; and no cut goes through the secret."""
    here.stack.write(
        "stack.yaml",
        "stack: secrets\naws.vpn_connection:\n  v:\n    tunnels:\n"
        f"      - {{{before}pre_shared_key: {TOKEN * 2}, nonsense: 1}}\n",
    )
    err = here.run("validate", status=1, TRUEUP_VAR_password=None, TRUEUP_VAR_token=None).err
    line, mark = re.search(r"'nonsense'.*\n.*-->.*\n(.*)\n(.*)\n", err).groups()
    assert line[mark.index("^") :].startswith("nonsense") and "(secret)" in line, err
    assert_untold(here.said, TOKEN, TOKEN[:8], TOKEN[-8:])


def test_keys_that_are_none_keep_secrets(here):
    here.stack.write(
        "stack.yaml",
        f"stack: secrets\naws.vpn_connection:\n  v:\n    tunnels:\n      - {{? {{pre_shared_key: {TOKEN}}} : 1, nonsense: 1}}\n"
        "aws.vpc:\n  a: {cidr: 10.0.0.0/16, oops: 1}\n",
    )
    err = here.run("validate", status=1, TRUEUP_VAR_password=None, TRUEUP_VAR_token=None).err
    assert "a key must be text, not a map" in err and "'nonsense'" in err and "'oops'" in err, err


def test_memory_is_kept_private(here):
    running = here.stack.start("plan", "--out", "plan", TRUEUP_SEALING_KEY_COMMAND="sleep 30")
    limits = ""
    for _ in range(200):
        try:
            limits = open(f"/proc/{running.pid}/limits", encoding="ascii").read()
        except OSError:
            pass
        if re.search(r"Max core file size\s+0\s+0", limits):
            break
        time.sleep(0.02)
    running.kill()
    running.communicate()
    assert os.name == "posix" and re.search(r"Max core file size\s+0\s+0", limits), limits


PLACES = {
    "region": '{region: "${var.s}"}',
    "endpoint": '{region: eu-central-1, endpoint: "https://gate.example/${var.s}"}',
    "endpoints": '{region: eu-central-1, endpoints: {ec2: "https://gate.example/${var.s}"}}',
}


@pytest.mark.parametrize("name, settings", PLACES.items(), ids=PLACES)
def test_no_secret_in_a_place(stack, name, settings):
    """Where a provider leads is recorded with each object, and shown."""
    stack.write(
        "stack.yaml",
        f"stack: lab\nvars: {{s: {{type: string, secret: true, default: eu-central-1}}}}\nproviders: {{aws: {settings}}}\n",
    )
    assert f"'{name}' cannot hold a secret" in stack.run("validate", status=1).err


# Whether the spec is there, what it says the output is by then, and what is shown of it.
MADE_OF_ONE = 'outputs:\n  id: "${aws.vpc.n.id}"\n  mixed: "%s:${var.password}@${aws.vpc.n.id}"\n'
UNKNOWN = "(not known here: it is made of a secret that is not at hand)"
SHOWN = {"of the same spec": ("user", "secret~"), "of another": ("other", UNKNOWN), "without a spec": (None, UNKNOWN)}


@pytest.mark.parametrize("says, shown", SHOWN.values(), ids=SHOWN)
def test_output_of_a_plan_without_its_secrets(here, there, tmp_path, says, shown):
    here.run("plan", "--out", tmp_path / "sealed")
    there.take_state(here)
    there.stack.write("stack.yaml", SPEC.replace("${var.password}", "").replace("-${var.token}", ""))
    there.stack.write("outputs.yaml", MADE_OF_ONE % "user")
    there.stack.environment.update(TRUEUP_VAR_password=PASSWORD, TRUEUP_VAR_token=TOKEN)
    assert "saved without its secrets" in there.run("plan", "--out", tmp_path / "plan").err
    if says:
        there.stack.write("outputs.yaml", MADE_OF_ONE % says)
    else:
        for path in there.stack.folder.glob("*.yaml"):
            path.unlink()
    told = there.run("apply", tmp_path / "plan").out
    assert re.search(r"^outputs\n  id  vpc-\w+\n  mixed  .*" + re.escape(shown), told, re.MULTILINE), told
    assert_nowhere(tmp_path, here, there)


def test_output_that_is_not_known_is_null(here):
    outputs = 'outputs: {id: "${aws.internet_gateway.g.id}"}\n'
    here.stack.write("outputs.yaml", "aws.internet_gateway: {g: {vpc: n}}\n" + outputs)
    here.run("sim", "fault", "CreateInternetGateway", "deny")
    assert here.run("apply", "--yes", "--output", "json", status=7).json["outputs"] == {"id": None}
    assert "\n  id  (not known until it is applied)\n" in here.run("apply", "--yes", status=1).out
