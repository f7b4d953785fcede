"""The frame of the project itself: make's targets, and the checks that guard the house."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request

import pytest

from conftest import BINARY, BUILD, clean_environment


def at(root, path):
    """As a target is named: make takes no blank in one, and the folder that it is run in may have one."""
    return os.path.relpath(path, root)


def make(root, *arguments):
    # With the settings that the program was built with, or make would build it anew.
    settings = shlex.split(os.environ.get("TRUEUP_MAKE_SETTINGS", ""))
    return subprocess.run(
        ["make", "-C", root, *settings, f"BUILD={at(root, BUILD)}", *arguments],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def layers(root, tree, *objects):
    return subprocess.run(
        ["bash", root / "tools/layers.sh", tree, *objects],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


TARGETS = ["all", "demo", "test", "lint", "asan", "bench", "layers", "format", "install", "clean", "help"]


@pytest.mark.parametrize("target", TARGETS)
def test_help_names_each_target(root, target):
    done = make(root, "help")
    assert done.returncode == 0, done.stderr
    described = dict(line.split(None, 2)[1:] for line in done.stdout.splitlines())
    assert len(described.get(target, "")) > 10, done.stdout


def test_install_under_destdir_and_prefix(root, tmp_path):
    folder = tmp_path / "a folder"
    # -o: take the program as it is, though a source may be newer.
    done = make(root, "-o", at(root, BINARY), "install", f"DESTDIR={folder}", "PREFIX=/opt/there")
    assert done.returncode == 0, done.stderr
    documents = folder / "opt/there/share/doc/trueup"
    installed = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert {folder / "opt/there/bin/trueup", documents / "LICENSE", documents / "README.md"} < installed
    assert all(path.is_relative_to(documents) for path in installed - {folder / "opt/there/bin/trueup"})
    for page in installed:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()) if page.suffix == ".md" else []:
            assert "://" in link or (page.parent / link).exists(), f"{page.name} leads to {link}"
    program = folder / "opt/there/bin/trueup"
    assert program.read_bytes() == BINARY.read_bytes()
    assert os.access(program, os.X_OK)
    version = subprocess.run([program, "version"], env=clean_environment(), capture_output=True, timeout=10, check=False)
    assert version.returncode == 0, version.stderr


@pytest.mark.parametrize("target", ["test", "thorough", "kill", "faults", "contest"])
def test_a_folder_with_a_blank_in_its_name(root, tmp_path, target):
    copy = tmp_path / "a folder"
    copy.mkdir()
    for path in root.iterdir():
        if not path.name.startswith((".", "build")):
            (copy / path.name).symlink_to(path)
    done = subprocess.run(
        ["make", "-C", copy, "--dry-run", target],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.replace("\\\n", " ").splitlines() if line.startswith("TRUEUP_BINARY=")]
    words = shlex.split(line)
    assert words[:2] == [f"TRUEUP_BINARY={copy}/build/trueup", f"TRUEUP_BUILD={copy}/build"]
    caches = [word for word in words if word.startswith("cache_dir=")]
    assert caches == ([] if "tests/run.sh" in words else [f"cache_dir={copy}/build/test-results/pytest-cache"])


def test_layers_of_the_tree(root):
    done = layers(root, root, BUILD / "obj")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# Where a line is planted, the line, and what the check says of it.
PLANTED = {
    "higher floor": ("base/arena.c", '#include "reconcile/kind.h"', "base/ includes"),
    "highest floor": ("reconcile/planted.c", '#include "cli/command.h"', "reconcile/ includes"),
    "sibling wing": ("specs/planted.c", '#include "state/store.h"', "specs/ includes"),
    "sibling wing from a provider": ("providers/aws/planted.c", '#include "specs/loader.h"', "providers/aws/ includes"),
    "sibling provider": ("providers/metal/planted.c", '#include "providers/aws/sign.h"', "providers/metal/ includes"),
    "simulator from tables": ("providers/sim/planted.c", '#include "providers/aws/shape.h"', "providers/sim/ includes"),
    "a folder deeper": ("providers/aws/kinds/planted.c", '#include "cli/main.h"', "providers/aws/ includes"),
    "in a header": ("base/planted.h", '#include "specs/loader.h"', "base/ includes"),
    "with blanks": ("base/planted.c", '  #  include   "state/store.h"', "base/ includes"),
    "with angle brackets": ("base/planted.c", "#include <state/store.h>", "base/ includes"),
    "through a macro": ("base/planted.c", "#include HEADER", "cannot be checked"),
    "not from the root": ("state/planted.c", '#include "store.h"', "not written from the root"),
    "around the root": ("base/planted.c", '#include "../cli/main.h"', "not written from the root"),
    "a file of no floor": ("providers/planted.c", '#include "base/arena.h"', "belongs to no floor"),
    "libyaml outside specs": ("cli/planted.c", "#include <yaml.h>", "for specs/ alone"),
    "OpenSSL outside base": ("providers/aws/planted.c", "#include <openssl/evp.h>", "for base/ and providers/sim/ alone"),
    "PCRE2 outside reconcile": ("specs/planted.c", "#include <pcre2.h>", "for reconcile/ alone"),
    "jansson outside base": ("providers/metal/planted.c", "#include <jansson.h>", "for base/ alone"),
    "SQLite outside state": ("specs/planted.c", "#include <sqlite3.h>", "for state/ alone"),
    "curl outside net": ("providers/aws/planted.c", "#include <curl/curl.h>", "for providers/net/ alone"),
    "expat outside aws": ("providers/sim/planted.c", "#include <expat.h>", "for providers/aws/ alone"),
}


@pytest.mark.parametrize("where, line, complaint", PLANTED.values(), ids=PLANTED)
def test_layers_finds_a_planted_include(root, source_copy, where, line, complaint):
    path = source_copy / where
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text() if path.exists() else ""
    path.write_text(f"{before}\n{line}\n")
    number = before.count("\n") + 2
    done = layers(root, source_copy)
    assert done.returncode == 1
    told = done.stdout.splitlines()
    assert len(told) == 1, done.stdout
    assert told[0].startswith(where + ":") and complaint in told[0]
    if complaint != "belongs to no floor":
        assert told[0].startswith(f"{where}:{number}: ")


ALLOWED = {
    "a floor below": ("cli/planted.c", '#include "specs/loader.h"'),
    "the ground floor": ("providers/aws/kinds/planted.c", '#include "base/arena.h"'),
    "its own folder": ("providers/aws/kinds/planted.c", '#include "providers/aws/shape.h"'),
    "the HTTP engine": ("providers/metal/planted.c", '#include "providers/net/exchange.h"'),
    "a test reaches everything": ("tests/unit/test_planted.c", '#include "cli/command.h"'),
    "a library in its folder": ("state/planted.c", "#include <sqlite3.h>"),
    "a library of two floors": ("providers/sim/planted.c", "#include <openssl/evp.h>"),
    "the C library": ("base/planted.c", "#include <sys/stat.h>"),
}


@pytest.mark.parametrize("where, line", ALLOWED.values(), ids=ALLOWED)
def test_layers_allows(root, tmp_path, where, line):
    path = tmp_path / where
    path.parent.mkdir(parents=True)
    path.write_text(line + "\n")
    done = layers(root, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# Two files without any include, and what the check says once they are compiled.
CALLS = {
    "up": ({"base/low.c": "int high(void);\nint low(void);\nint low(void)\n{\n\treturn high();\n}\n",
            "reconcile/high.c": "int high(void);\nint high(void)\n{\n\treturn 1;\n}\n"},
           ["base/low.o: uses high() of reconcile/high.o, but base/ may not use reconcile/"]),
    "sideways": ({"specs/one.c": "extern int other;\nint one(void);\nint one(void)\n{\n\treturn other;\n}\n",
                  "state/other.c": "extern int other;\nint other = 1;\n"},
                 ["specs/one.o: uses other() of state/other.o, but specs/ may not use state/"]),
    "down": ({"base/low.c": "int low(void);\nint low(void)\n{\n\treturn 1;\n}\n",
              "cli/high.c": "int low(void);\nint high(void);\nint high(void)\n{\n\treturn low();\n}\n"}, []),
    "printing": ({"reconcile/loud.c": '#include <stdio.h>\nvoid loud(void);\nvoid loud(void)\n{\n\tputs("x");\n}\n'},
                 ["reconcile/loud.o: uses puts, which prints or ends the process; only cli/ may"]),
    "ending": ({"state/last.c": "#include <stdlib.h>\nvoid last(void);\nvoid last(void)\n{\n\texit(1);\n}\n"},
               ["state/last.o: uses exit, which prints or ends the process; only cli/ may"]),
    "one name twice": ({"base/one.c": "int same(void);\nint same(void)\n{\n\treturn 1;\n}\n",
                        "state/two.c": "int same(void);\nint same(void)\n{\n\treturn 2;\n}\n"},
                       ["state/two.o: defines same(), and so does base/one.o"]),
    "printing in cli": ({"cli/loud.c": '#include <stdio.h>\nvoid loud(void);\nvoid loud(void)\n{\n\tputs("x");\n}\n'}, []),
}


@pytest.mark.parametrize("files, complaints", CALLS.values(), ids=CALLS)
def test_layers_looks_at_symbols(root, tmp_path, files, complaints):
    for name, text in files.items():
        source = tmp_path / "tree" / name
        built = tmp_path / "objects" / name.replace(".c", ".o")
        for path in (source, built):
            path.parent.mkdir(parents=True)
        source.write_text(text)
        subprocess.run([os.environ.get("CC", "cc"), "-c", "-o", built, source], check=True, timeout=60)
    assert layers(root, tmp_path / "tree").stdout == ""
    done = layers(root, tmp_path / "tree", tmp_path / "objects")
    assert done.stdout.splitlines() == complaints, done.stderr
    assert done.returncode == (1 if complaints else 0)


def lines(count, line):
    return f"{line}\n" * count


# A file, what is in it, and what the check of lengths says of it; a failure where it is too long, else a remark.
LENGTHS = {
    "a file of C": ("base/planted.c", lines(801, ""), "base/planted.c: a file of 801 lines, too long: more than 800"),
    "a file of the simulation": (
        "tests/simulate/planted.c",
        lines(801, ""),
        "tests/simulate/planted.c: a file of 801 lines, too long: more than 800",
    ),
    "a function of C": (
        "base/planted.c",
        "void planted(void)\n{\n" + lines(99, "\t;") + "}\n",
        "base/planted.c:2: a function of 101 lines, too long: more than 100",
    ),
    "a file of Python": ("tests/e2e/planted.py", lines(801, "1"), "planted.py: a file of 801 lines, too long: more than 800"),
    "a long file of Python": ("tools/planted.py", lines(601, "1"), "tools/planted.py: a file of 601 lines, long: more than 600"),
    "a function of Python": (
        "tools/planted.py",
        "def planted():\n" + lines(100, "    1") + "\n\n1\n",
        "tools/planted.py:1: a function of 101 lines, too long: more than 100",
    ),
    "a function in a class, at the end": (
        "tools/planted.py",
        "class Planted:\n    def planted(\n        self,\n    ):\n" + lines(98, "        1"),
        "tools/planted.py:2: a function of 101 lines, too long: more than 100",
    ),
    "a function within another counts there": (
        "tools/planted.py",
        "def planted():\n" + lines(50, "    1") + "    def inner():\n" + lines(49, "        1"),
        "tools/planted.py:1: a function of 101 lines, too long: more than 100",
    ),
    "a long function of Python": (
        "tools/planted.py",
        "def planted():\n" + lines(60, "    1") + "def other():\n" + lines(50, "    1"),
        "tools/planted.py:1: a function of 61 lines, long: more than 60",
    ),
}


def run_lint(folder, stage):
    return subprocess.run(
        ["bash", folder / "tools/lint.sh", stage],
        env=clean_environment(BUILD=folder / "build"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("where, text, complaint", LENGTHS.values(), ids=LENGTHS)
def test_lint_measures_lengths(source_copy, where, text, complaint):
    (source_copy / where).write_text(text)
    done = run_lint(source_copy, "lengths")
    told = [line for line in done.stdout.splitlines() if "planted" in line]
    assert len(told) == 1 and complaint in told[0], done.stdout
    assert done.returncode == (1 if "too long" in complaint else 0)


# The lines of a function, and the number of the one that leaves it too early; None: none does.
BEGUN = {
    "begun at once": (["BUFFER_AUTO text;", "buffer_init(&text, 1);", "return;"], None),
    "begun by a value": (["FILE_AUTO file;", "file = open_it();", "return;"], None),
    "returns before": (["BUFFER_AUTO text;", "if (is_empty)", "\treturn;", "buffer_init(&text, 1);"], 5),
    "another one is begun": (["BUFFER_AUTO text;", "buffer_init(&texts, 1);", "return;"], 5),
    "one of two": (["BUFFER_AUTO a;", "QUERY_AUTO b;", "begin(&b);", "return;", "begin(&a);"], 6),
    "no return": (["BUFFER_AUTO text;", "int returned = 1;", "buffer_init(&text, returned);"], None),
}


@pytest.mark.parametrize("lines, number", BEGUN.values(), ids=BEGUN)
def test_lint_finds_what_is_released_before_it_is_begun(source_copy, lines, number):
    text = "".join(f"\t{line}\n" for line in lines)
    (source_copy / "base/planted.c").write_text(f"void planted(void)\n{{\n{text}}}\n")
    done = run_lint(source_copy, "begun")
    assert done.returncode == (0 if number is None else 1), done.stdout
    told = [line.strip() for line in done.stdout.splitlines() if "planted" in line]
    assert [line.split(":")[1] for line in told] == ([] if number is None else [str(number)])


def test_layers_does_not_pass_what_it_did_not_see(root, tmp_path):
    assert layers(root, tmp_path).returncode == 2
    (tmp_path / "base").mkdir()
    (tmp_path / "base/one.c").write_text("int one;\n")
    assert layers(root, tmp_path).returncode == 0
    assert layers(root, tmp_path, tmp_path).returncode == 2


# What a unit test program prints, its exit status, and the count that the runner makes of it.
UNIT_PROGRAMS = {
    "all passed": ("1..2\nok 1 - a\nok 2 - b\n", 0, "2 passed, 0 failed"),
    "one failed": ("1..2\nok 1 - a\nnot ok 2 - b\n", 1, "1 passed, 1 failed"),
    "died before its last tests": ("1..3\nok 1 - a\n", 139, "1 passed, 2 failed"),
    "ended early, and well": ("1..3\nok 1 - a\n", 0, "1 passed, 2 failed"),
    "died after its last test": ("1..1\nok 1 - a\n", 1, "1 passed, 1 failed"),
    "no test": ("", 0, "0 passed, 1 failed"),
    "skipped": ("1..2\nok 1 - a\nnot ok 2 # SKIP b\n", 0, "1 passed, 0 failed"),
    "two groups": ("1..1\nok 1 - a\n# ok - one\n1..2\nok 1 - a\nok 2 - b\n# ok - two\n", 0, "3 passed, 0 failed"),
    "its preparation failed": ("1..1\nnot ok 0 - two [  FAILED  ] GROUP SETUP\n", 0, "0 passed, 1 failed"),
}


@pytest.mark.parametrize("printed, status, count", UNIT_PROGRAMS.values(), ids=UNIT_PROGRAMS)
def test_unit_runner_counts(root, tmp_path, printed, status, count):
    program = tmp_path / "test_planted"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{printed}END\nexit {status}\n")
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", root / "tests/unit/run.sh", tmp_path / "results", program],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == count, done.stdout
    assert done.returncode == (0 if count.endswith(" 0 failed") else 1)


@pytest.fixture
def bare_machine(root, tmp_path):
    """A PATH on which expat's package is missing; run(uid, programs) there gives the finished process.

    `programs` are names and scripts of further programs; `installed` in a script is the file that makes expat appear.
    """
    folder = tmp_path / "bin"
    folder.mkdir()
    installed = tmp_path / "installed"

    def put(name, script):
        (folder / name).write_text(f"#!/bin/sh\ninstalled={installed}\n{script}\n")
        (folder / name).chmod(0o755)

    for name in ["bash", "sh", "cat", "env", "grep", "gcc", "ar", "make"]:
        (folder / name).symlink_to(shutil.which(name))
    put("pkg-config", '[ "$2" != expat ] || [ -e "$installed" ]')

    def run(uid, programs):
        put("id", f"echo {uid}")
        for name, script in programs.items():
            put(name, script)
        return subprocess.run(
            [folder / "bash", root / "tools/dependencies.sh", "build"],
            env={"PATH": str(folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def test_a_python_that_is_too_old(root, tmp_path):
    """What the tests need does not install there; said before pip says it of one package after the other."""
    old = tmp_path / "bin" / "python3"
    old.parent.mkdir()
    # It runs what it is given as Python 3.10 would.
    older = "import sys; sys.version_info = (3, 10); exec(sys.argv[1])"
    old.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{older}" "$2"\n')
    old.chmod(0o755)
    script = (root / "tools/python-environment.sh").read_text().replace("/usr/bin/python3", "python3")
    done = subprocess.run(
        ["bash", "-c", script, "bash", tmp_path / "venv", root / "tools/python-requirements.txt"],
        env={"PATH": f"{old.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1 and "no python3 of 3.11 or later" in done.stderr, done.stderr
    assert not (tmp_path / "venv").exists()


# apt-get as the check calls it: the last argument of an installation is the package.
INSTALLS = 'echo "apt-get $*"; for last; do :; done; [ "$last" != libexpat1-dev ] || : > "$installed"'
BY_HAND = "apt-get update && apt-get install -y libexpat1-dev"
MISSING_PACKAGE = {
    "root": (0, {"apt-get": INSTALLS}, 0, "--no-install-recommends libexpat1-dev"),
    "without package lists": (0, {"apt-get": f"[ $7 != update ] || exit 100; {INSTALLS}"}, 0, "trying with those at hand"),
    "with sudo": (1000, {"apt-get": INSTALLS, "sudo": '[ "$1" = -n ] && shift && exec "$@"'}, 0, "libexpat1-dev"),
    "sudo wants a password": (1000, {"apt-get": INSTALLS, "sudo": "exit 1"}, 1, f"sudo sh -c '{BY_HAND}'"),
    "without sudo": (1000, {"apt-get": INSTALLS}, 1, f"sudo sh -c '{BY_HAND}'"),
    "the installation fails": (0, {"apt-get": "exit 100"}, 1, BY_HAND),
    "the installation does nothing": (0, {"apt-get": "exit 0"}, 1, "still missing after the installation: libexpat1-dev"),
    "not a Debian": (0, {}, 1, "there is no apt-get here"),
}


@pytest.mark.parametrize("uid, programs, status, told", MISSING_PACKAGE.values(), ids=MISSING_PACKAGE)
def test_a_missing_package(bare_machine, uid, programs, status, told):
    done = bare_machine(uid, programs)
    assert done.returncode == status, done.stderr
    assert done.stderr.startswith("trueup needs these packages, which are not installed: libexpat1-dev\n")
    assert told in done.stderr
    if status == 1:
        assert told in done.stderr.splitlines()[-1]
    else:
        assert bare_machine(uid, {"apt-get": "exit 1"}).stderr == ""


def test_moto_answers_boto3(moto):
    client = moto.client("ec2")
    made = client.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    assert made in [vpc["VpcId"] for vpc in client.describe_vpcs()["Vpcs"]]
    moto.reset()
    assert made not in [vpc["VpcId"] for vpc in client.describe_vpcs()["Vpcs"]]


def test_redfish_emulator_answers(redfish):
    names = ["first", "second"]
    for start, name in enumerate(names):
        machine = {"uuid": f"00000000-0000-4000-8000-00000000000{start}", "name": name, "power_state": "Off", "nics": []}
        server = redfish([machine])
        with urllib.request.urlopen(f"{server.address}/redfish/v1/Systems/{machine['uuid']}", timeout=30) as answer:
            system = json.load(answer)
        assert (system["Name"], system["PowerState"]) == (name, "Off")
