"""The generated tables of the AWS API are those of the pinned botocore."""

import pathlib
import re
import subprocess
import sys

import botocore
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "tools" / "generate-shapes.py"
TABLES = sorted((ROOT / "providers" / "aws" / "shapes").glob("*.c"))


def check(script):
    return subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.name)
def test_table_names_the_pinned_release(table):
    named = re.search(r"from botocore ([0-9.]+) ", table.read_text())
    assert named and named.group(1) == botocore.__version__, (
        f"{table} is of another release: install botocore as tools/python-requirements.txt pins it, or generate anew"
    )


def test_tables_are_what_the_generator_writes():
    done = check(GENERATOR)
    assert done.returncode == 0, f"run tools/generate-shapes.py:\n{done.stdout}{done.stderr}"


def test_a_changed_table_is_found(tmp_path):
    """The check itself can fail: one name changed in a copy is told by its file's name."""
    (tmp_path / "tools").mkdir()
    shapes = tmp_path / "providers" / "aws" / "shapes"
    shapes.mkdir(parents=True)
    script = tmp_path / "tools" / GENERATOR.name
    script.write_text(GENERATOR.read_text())
    for table in TABLES:
        (shapes / table.name).write_text(table.read_text().replace('T("cidrBlock")', 'T("cidrBlok")'))
    done = check(script)
    assert done.returncode == 1
    assert done.stdout == "out of date: providers/aws/shapes/ec2.c\n"
