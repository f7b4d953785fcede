"""The generated tables of the AWS API are those of the pinned botocore."""

import ast
import pathlib
import re
import shutil
import subprocess
import sys

import botocore
import botocore.session
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


def copy_of_generator(folder):
    """And of what it looks at."""
    (folder / "tools").mkdir()
    shutil.copytree(ROOT / "providers" / "aws", folder / "providers" / "aws")
    return pathlib.Path(shutil.copy(GENERATOR, folder / "tools"))


def test_a_changed_table_is_found(tmp_path):
    """The check itself can fail: one name changed in a copy is told by its file's name."""
    script = copy_of_generator(tmp_path)
    table = tmp_path / "providers" / "aws" / "shapes" / "ec2.c"
    table.write_text(table.read_text().replace('T("cidrBlock")', 'T("cidrBlok")'))
    done = check(script)
    assert done.returncode == 1
    assert done.stdout == "out of date: providers/aws/shapes/ec2.c\n"


# The tables would carry the shapes of what nobody calls. A kind names the second as left out, for a reason; the third
# is in the table of limits on requests.
@pytest.mark.parametrize("name", ["DescribeVpcEndpoints", "ModifySecurityGroupRules", "DescribeVolumes"])
def test_an_operation_that_nothing_calls_is_refused(tmp_path, name):
    script = copy_of_generator(tmp_path)
    script.write_text(script.read_text().replace(" DescribeVpcs ", f" DescribeVpcs {name} "))
    done = check(script)
    assert done.returncode == 1
    assert f"nothing in providers/aws calls {name}: it has no place in OPERATIONS" in done.stdout.splitlines()


# Reads, what makes or ends an object, and what is done to a machine once.
NO_UPDATE = re.compile(
    "(Accept|Authorize|Bundle|Cancel|Complete|Create|Delete|Describe|Execute|Export|Get|Import|Launch|List|Monitor|"
    "Provision|Deprovision|Reboot|Record|Reject|Report|Revoke|Rollback|Run|Search|Send|Start|Stop|Terminate|Unmonitor)"
)


KINDS = {path.name: path.read_text() for path in sorted((ROOT / "providers" / "aws" / "kinds").glob("*.c"))}


def own(kinds):
    """What names an object of the kinds in calls about it, by service: their ids, and what their calls are sent with."""
    names, shared = {}, set()
    for table in kinds.values():
        service = re.search(r'\.service = "([a-z0-9-]+)"', table)
        paths = {path.split(".")[0] for path in re.findall(r'\.id = "([^"]+)"', table)}
        if service:
            (id,) = re.findall(r'\.name = "id",.*?\.read = "(\w+)"', table, re.DOTALL)
            names.setdefault(service.group(1), set()).update({id}, paths)
        else:
            shared |= paths  # a part of a kind, in a file of its own: of whichever service has that member
    return {service: own | shared for service, own in names.items()}


def updates(service, names):
    """The operations of a service that change an object of one of the kinds."""
    model = botocore.session.get_session().get_service_model(service)
    for name in model.operation_names:
        shape = model.operation_model(name).input_shape
        if shape and not NO_UPDATE.match(name) and set(shape.required_members) & names:
            yield name


def test_every_kind_is_asked_for_its_updates():
    """Each line of kinds.h has a table with a service and an id; and one that is new would be asked."""
    listed = re.findall(r"row\((\w+)\)", (ROOT / "providers" / "aws" / "kinds" / "kinds.h").read_text())
    found = [name for table in KINDS.values() for name in re.findall(r"^const struct aws_kind (\w+) = ", table, re.MULTILINE)]
    assert found == listed and sum(".service = " in table for table in KINDS.values()) == len(listed)
    asked = {service: set(updates(service, names)) for service, names in own(KINDS).items()}
    assert len(asked["ec2"]) > 60 and len(asked["autoscaling"]) > 20
    gateway = '.outputs = {{.output = {.name = "id", .pattern = "nat-.*"}, .read = "NatGatewayId"}}, .service = "ec2"'
    more = own({**KINDS, "nat_gateway.c": gateway})["ec2"]
    assert "AssociateNatGatewayAddress" in set(updates("ec2", more)) - asked["ec2"]


@pytest.mark.parametrize("service", own(KINDS))
def test_every_update_is_called_or_left_out_for_a_reason(service):
    tables = "".join(KINDS.values())
    named = set(re.findall(r'"([A-Z][A-Za-z0-9]+)"', tables))
    left_out = re.findall(r'\{"([A-Z][A-Za-z0-9]+)", NULL,', tables)
    called = set(re.findall(r'\.(?:operation|OPERATION) = "([A-Z][A-Za-z0-9]+)"', tables))
    wanted = set(updates(service, own(KINDS)[service]))
    assert wanted and len(left_out) == len(set(left_out))
    assert wanted - named == set(), "neither called by a kind nor among its omissions"
    assert set(left_out) & called == set(), "called, and left out"


def listed_permissions(page):
    """What the page that is installed with the program says it calls, by service."""
    rows = page.split("\n## Permissions\n")[1].split("\n## ")[0]
    named = {}
    for service, operations in re.findall(r"^\| .+ \| `([a-z0-9]+):` ([A-Za-z0-9, ]+) \|$", rows, re.MULTILINE):
        named.setdefault(service, []).extend(operations.split(", "))
    return named


def test_the_permissions_that_are_written_down_are_those_of_what_is_called():
    listed = ast.literal_eval(re.search(r"^OPERATIONS = (\{.*?^\})", GENERATOR.read_text(), re.MULTILINE | re.DOTALL)[1])
    named = listed_permissions((ROOT / "docs" / "operations.md").read_text())
    assert {service: sorted(names) for service, names in named.items()} == {
        service: sorted(names.split()) for service, names in listed.items()
    }


RECIPES = {"TOKEN": "token", "TAG": "tag", "NATURAL": "natural key", "DISCARD": "discard"}


def unnamed_recipes(kinds, page):
    """The calls that make an object of a kind, of which the page's table of recipes says nothing, or another thing."""
    rows = dict(reversed(re.findall(r"^\| ([a-z ]+) \| ([^|]+) \| [^|]+ \|$", page, re.MULTILINE)))
    creates = re.findall(r'\.create(?:_shown)? = \{\.operation = "(\w+)",[^{}]*?\.recipe = RECIPE_(\w+)', "".join(kinds.values()))
    assert len(creates) >= sum(".service = " in table for table in kinds.values()) > 0
    return [call for call, recipe in creates if not re.search(rf"\b{call}\b", rows[RECIPES[recipe]])]


def test_the_recipe_of_every_create_is_written_down():
    page = (ROOT / "docs" / "reliability.md").read_text()
    assert unnamed_recipes(KINDS, page) == []
    assert unnamed_recipes(KINDS, page.replace("CreateVpnGateway, ", "", 1)) == ["CreateVpnGateway"]
    gateway = '.create = {.operation = "CreateNatGateway",\n\t\t   .recipe = RECIPE_TOKEN,'
    assert unnamed_recipes({**KINDS, "nat_gateway.c": gateway}, page) == ["CreateNatGateway"]
