"""What progress leaves on terminals of all sizes (of the block that was redrawn nothing), and what is asked there."""

import re

import pytest

from cli import Terminal, edit, tiny, world  # noqa: F401


def screen(text, rows, columns):
    """All lines that a terminal of that size shows after the text, with those that were scrolled away."""
    lines, row, column, wraps = [""], 0, 0, True
    for token in re.findall(r"\x1b\[[?]?[\d;]*[A-Za-z]|[\r\n]|[^\x1b\r\n]", text):
        top = max(0, len(lines) - rows)
        if token == "\r":
            column = 0
        elif token == "\n":
            row += 1
        elif token in ("\x1b[?7l", "\x1b[?7h"):
            wraps = token.endswith("h")
        elif token.endswith("A") and len(token) > 1:
            row = max(top, row - int(token[2:-1]))
        elif token == "\x1b[J":
            lines[row:] = [lines[row][:column]]
        elif token == "\x1b[K":
            lines[row] = lines[row][:column]
        elif token.startswith("\x1b"):
            assert token.endswith("m"), token
        else:
            if column == columns and wraps:
                row, column = row + 1, 0
            column = min(column, columns - 1)
            lines += [""] * (row + 1 - len(lines))
            lines[row] = lines[row].ljust(column)[:column] + token + lines[row][column + 1 :]
            column += 1
        lines += [""] * (row + 1 - len(lines))
    return lines


def test_the_screen_of_the_tests():
    """As a terminal does it."""
    assert screen("one\r\ntwo", 5, 80) == ["one", "two"]
    assert screen("abcdef", 5, 4) == ["abcd", "ef"]
    assert screen("\x1b[?7labcdef\x1b[?7h\r\nx", 5, 4) == ["abcf", "x"]
    assert screen("one\r\ntwo\r\n\x1b[2A\x1b[Jthree", 5, 80) == ["three"]
    # What was scrolled away cannot be reached.
    assert screen("1\r\n2\r\n3\r\n4\r\n\x1b[4A\x1b[Jx", 3, 80) == ["1", "2", "x"]
    assert screen("reading\r\x1b[Kdone", 5, 80) == ["done"]


MANY = "aws.security_group:\n" + "".join(
    f"  group_with_a_rather_long_name_{number}: {{vpc: main, name: group{number}, description: one of many}}\n"
    for number in range(20)
)


@pytest.mark.parametrize("rows, columns", [(40, 120), (24, 80), (24, 30), (8, 60), (4, 20), (2, 10), (0, 0)])
def test_progress_leaves_no_trace(tiny, rows, columns):
    tiny.write("many.yaml", MANY)
    # A pseudo terminal tells no size where none was set; then nothing is shown that 24 lines would not take.
    terminal = Terminal(tiny, "apply", "--yes", size=(rows, columns))
    terminal.end(0)
    # Which of them: a terminal that lags is shown fewer.
    assert re.search(r"\d+ of 23 done", terminal.text)
    # On so low a terminal the sum of it all is the block.
    assert ("(creating, " in terminal.text) == (rows != 2)
    # A line that was wrapped is whole again.
    whole = "".join(screen(terminal.text, rows or 24, columns or 80))
    assert "of 23 done" not in whole and "(creating, " not in whole
    assert "applied: 23 done" in whole
    # Nobody knows yet how long any of it takes.
    assert "usually" not in terminal.text and " left" not in terminal.text
    # Each line of what ended stands once.
    for number in range(20):
        assert whole.count(f"group_with_a_rather_long_name_{number}  created") == 1


def test_how_long_it_usually_takes(tiny):
    """Beside what is at work, and with the sum of it all."""
    tiny.write("gateway.yaml", "aws.vpn_gateway: {g: {vpc: main}}\n")
    tiny.run("apply", "--yes")
    tiny.run("destroy", "--yes")
    terminal = Terminal(tiny, "apply", "--yes", size=(24, 120))
    terminal.end(0)
    assert re.search(r"  aws\.vpn_gateway\.g \(creating, \d\.\d s, usually 1\d s\)", terminal.text)
    sums = re.findall(r"(\d) of 4 done(?:\x1b\[0?m)?(?:, about (\d+) s left)?", terminal.text)
    # Nothing before there was anything to wait for, then the whole way, and nothing in the end.
    assert sums[0] == ("0", "") and sums[-1] == ("4", "")
    assert [left for _, left in sums if left][0] == "20"
    whole = "".join(screen(terminal.text, 24, 120))
    assert "usually" not in whole and " left" not in whole


def test_usual_time_and_elapsed_time_are_of_one_thing(tiny):
    """A gateway's replace waits minutes until the tunnel has moved; that is no time of its own."""
    tiny.write(
        "vpn.yaml",
        "aws.vpn_gateway: {g: {vpc: main}}\naws.customer_gateway: {c: {address: 198.51.100.7, asn: 65010}}\n"
        "aws.vpn_connection: {v: {vpn_gateway: g, customer_gateway: c, static_routes_only: true}}\n",
    )
    tiny.run("apply", "--yes")
    for old, new in ((65010, 65011), (65011, 65012)):
        edit(tiny, f"asn: {old}", f"asn: {new}", "vpn.yaml")
        err = tiny.run("apply", "--yes").err
        assert re.search(r"^  aws\.customer_gateway\.c  replaced after \d+(\.\d)? s$", err, re.MULTILINE), err
    usual = re.search(r"^  aws\.customer_gateway\.c  replacing, usually (\d+(?:\.\d)? s)$", err, re.MULTILINE).group(1)
    assert "at work: aws.vpn_connection.v (" in err and float(usual.removesuffix(" s")) < 30


def test_a_destroy_asks_for_what_it_does(tiny):
    tiny.run("apply", "--yes")
    terminal = Terminal(tiny, "destroy")
    terminal.read_until("Destroy all this\\? Only 'yes' will do: ")
    terminal.type("no\n")
    terminal.end(1)
    assert "Apply" not in terminal.text
    assert "whether to destroy all this" in tiny.run("destroy", status=64).err


def test_what_is_typed_ahead_answers_nothing(tiny):
    """Whoever typed it had not read the plan."""
    terminal = Terminal(tiny, "apply")
    terminal.type("yes\n")
    terminal.read_until("Only 'yes' will do: ")
    terminal.type("no\n")
    terminal.end(status=1)
    assert "the answer was not 'yes'" in terminal.text and not tiny.run("state", "list").out


def test_where_nobody_can_be_asked_the_hint_saves_the_same_plan(tiny):
    def hint(*arguments):
        err = tiny.run(*arguments, status=64).err
        return re.search(r"hint: say --yes, or save a plan with 'trueup (.*) --out FILE' and apply that", err).group(1)

    assert hint("apply") == "plan"
    targets = ["--target", "aws.vpc.main", "--target", "aws.subnet.a"]
    assert hint("apply", *targets) == " ".join(["plan", *targets])
    tiny.run("apply", "--yes")
    assert hint("destroy") == "plan --destroy"
    assert hint("destroy", "--target", "aws.subnet.a") == "plan --destroy --target aws.subnet.a"
    run = tiny.run("state", "history", "--output", "json").json["runs"][0]["id"][:8]
    command = hint("undo", run)
    assert command == f"undo {run}"
    tiny.run(*command.split(), "--out", "plan.json")
    tiny.run("apply", "plan.json")
    assert tiny.run("state", "list").out == ""


def test_nobody_is_asked_about_what_was_not_shown(tiny):
    terminal = Terminal(tiny, "apply", stdout="/dev/full")
    terminal.end(1)
    assert "nothing was done: what is to be asked about could not be shown" in terminal.text
    assert "Only 'yes'" not in terminal.text
    assert tiny.run("state", "list").out == ""


@pytest.mark.parametrize("command", ["apply", "destroy"])
@pytest.mark.parametrize(
    "arguments, settings",
    [
        (["--output", "json"], {}),
        (["--output", "text=plan.txt"], {}),
        (["--output", "text=/dev/null"], {}),
        ([], {"TRUEUP_OUTPUT": "json=plan.json"}),
        ([], {"stdout": "plan.log"}),
    ],
    ids=["json", "text file", "nowhere", "environment", "redirected"],
)
def test_whoever_is_asked_was_shown_the_plan(tiny, command, arguments, settings):
    """Though it goes into a file, or into a document that is written at the end."""
    if command == "destroy":
        tiny.run("apply", "--yes")
    if "stdout" in settings:
        tiny.write("plan.log", "")
    terminal = Terminal(tiny, command, *arguments, NO_COLOR="1", **settings)
    terminal.read_until("Only 'yes' will do: ")
    shown, _, _ = terminal.text.partition("Only 'yes'")
    assert "aws.vpc.main" in shown and "aws.subnet.b" in shown and "0 unread" in shown
    terminal.type("no\n")
    terminal.end(1)


def test_a_plan_is_shown_once(tiny):
    for arguments in ([], ["--output", "text", "--output", "json=plan.json"], ["--output", "text=/dev/stderr"]):
        terminal = Terminal(tiny, "apply", *arguments, NO_COLOR="1")
        terminal.read_until("Only 'yes' will do: ")
        assert terminal.text.count("+ aws.vpc.main") == 1
        terminal.type("no\n")
        terminal.end(1)


def test_a_list_that_is_let_go_is_shown(tiny):
    ends = "aws.vpn_gateway: {g: {vpc: main}}\naws.customer_gateway: {c: {address: 198.51.100.7, asn: 65010}}\n"
    spec = "aws.vpn_connection: {v: {vpn_gateway: g, customer_gateway: c%s}}\n"
    tiny.write("vpn.yaml", ends + spec % ", tunnels: [{dpd_timeout_s: 40}, {dpd_timeout_s: 50}]")
    tiny.run("apply", "--yes")
    tiny.write("vpn.yaml", ends + spec % "")
    plan = tiny.run("plan").out
    assert "no longer managed" in plan and "dpd_timeout_s: 40" in plan and "dpd_timeout_s: 50" in plan


def plain(terminal):
    """What a terminal was shown, without colours."""
    return re.sub("\x1b\\[[0-9;]*m", "", terminal.text)


def test_asks_on_a_terminal(tiny):
    terminal = Terminal(tiny, "apply")
    terminal.read_until("Only 'yes' will do: ")
    terminal.type("y\n")
    terminal.end(1)
    assert "nothing was done: the answer was not 'yes'" in terminal.text
    assert world(tiny, "vpc") == {}
    terminal = Terminal(tiny, "apply")
    terminal.read_until("Only 'yes' will do: ")
    terminal.type("yes\n")
    terminal.end(0)
    assert "applied" in terminal.text and "3 of 3 done" in terminal.text
    assert len(world(tiny, "vpc")) == 1
    # A plan that was looked at is not asked about again.
    edit(tiny, "team: red", "team: blue")
    tiny.run("plan", "--out", "p.plan")
    terminal = Terminal(tiny, "apply", "p.plan")
    terminal.end(0)
    assert "Only 'yes'" not in terminal.text


def test_somebody_else_was_faster(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    terminal = Terminal(tiny, "apply")
    terminal.read_until("Only 'yes' will do: ")
    tiny.run("apply", "--yes")
    terminal.type("yes\n")
    terminal.end(4)
    assert "another run has changed the stack since this plan was made" in terminal.text


def test_interrupted_while_asked(tiny):
    terminal = Terminal(tiny, "apply")
    terminal.read_until("Only 'yes' will do: ")
    terminal.interrupt()
    terminal.end(130)
    assert "will do: \r\nerror: nothing was done: interrupted\r\n" in plain(terminal)
    assert world(tiny, "vpc") == {}


def test_no_answer(tiny):
    """Ctrl-D."""
    terminal = Terminal(tiny, "apply")
    terminal.read_until("Only 'yes' will do: ")
    terminal.type("\x04")
    terminal.end(1)
    assert "will do: \r\nerror: nothing was done: no answer\r\n" in plain(terminal)
    assert world(tiny, "vpc") == {}
