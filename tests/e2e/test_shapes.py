"""The generated tables of the AWS API are those of the pinned botocore."""

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


# What names an object of a kind in the calls about it, by service.
OWN = {
    "ec2": (
        "VpcId SubnetId GroupId InternetGatewayId RouteTableId KeyPairId LaunchTemplateId InstanceId InstanceIds "
        "VpnGatewayId GatewayId CustomerGatewayId VpnConnectionId"
    ),
    "autoscaling": "AutoScalingGroupName",
}
# Reads, what makes or ends an object, and what is done to a machine once.
NO_UPDATE = re.compile(
    "(Accept|Authorize|Bundle|Cancel|Complete|Create|Delete|Describe|Execute|Export|Get|Import|Launch|List|Monitor|"
    "Provision|Deprovision|Reboot|Record|Reject|Report|Revoke|Rollback|Run|Search|Send|Start|Stop|Terminate|Unmonitor)"
)


def updates(service):
    """The operations of a service that change an object of one of the kinds."""
    model = botocore.session.get_session().get_service_model(service)
    for name in model.operation_names:
        shape = model.operation_model(name).input_shape
        if shape and not NO_UPDATE.match(name) and set(shape.required_members) & set(OWN[service].split()):
            yield name


@pytest.mark.parametrize("service", OWN)
def test_every_update_is_called_or_left_out_for_a_reason(service):
    tables = "".join(path.read_text() for path in (ROOT / "providers" / "aws" / "kinds").glob("*.c"))
    named = set(re.findall(r'"([A-Z][A-Za-z0-9]+)"', tables))
    left_out = re.findall(r'\{"([A-Z][A-Za-z0-9]+)", NULL,', tables)
    called = set(re.findall(r'\.(?:operation|OPERATION) = "([A-Z][A-Za-z0-9]+)"', tables))
    wanted = set(updates(service))
    assert len(wanted) > 10 and len(left_out) == len(set(left_out))
    assert wanted - named == set(), "neither called by a kind nor among its omissions"
    assert set(left_out) & called == set(), "called, and left out"
