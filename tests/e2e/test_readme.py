"""What the README says to type works as it stands there, and its spec is one."""

import re
import shutil
import subprocess

import pytest

from conftest import BINARY, clean_environment


@pytest.fixture(scope="module")
def readme(root):
    return (root / "README.md").read_text()


def blocks(readme, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)


def test_what_is_to_be_typed_works(root, readme, tmp_path):
    [commands] = blocks(readme, "sh")
    # The program is built already, and the tests have a folder of their own.
    lines = [line.replace("/tmp/try", "try") for line in commands.splitlines() if not line.startswith("make")]
    assert len(lines) == len(commands.splitlines()) - 1
    shutil.copytree(root / "examples", tmp_path / "examples")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "trueup").symlink_to(BINARY)
    environment = clean_environment(HOME=tmp_path)
    done = subprocess.run(
        ["bash", "-ec", "\n".join(lines)],
        cwd=tmp_path,
        env={**environment, "PATH": f"{tmp_path}/bin:{environment['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for said in "apply exactly this:  trueup apply first.plan", "nothing to do", '"subnet', "applied: ":
        assert said in done.stdout, done.stdout


def test_the_spec_is_one(readme, stack):
    [spec] = blocks(readme, "yaml")
    stack.write("network.yaml", spec)
    assert stack.run("validate").out == "research-west: 4 resources in 1 file, no errors\n"
