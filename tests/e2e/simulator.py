"""The simulator as a server, judged by somebody else's client: boto3 signs, writes and parses every request and answer."""

import datetime
import json
import os
import pathlib
import subprocess
import urllib.error
import urllib.request
import xml.etree.ElementTree

import boto3
import botocore.config
import botocore.exceptions
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TRUEUP_BUILD", ROOT / "build"))
SERVER = pathlib.Path(os.environ.get("TRUEUP_SIM_SERVER", BUILD / "tests" / "sim_server"))

IMAGE = "ami-0123456789abcdef0"
# Whoever runs the tests may have a proxy; these servers are on this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
RSA_KEY = (
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC3F6tyPEFEzV0LX3X8BsXdMsQz1x2cEikKDEY0aIj41qgxMCP/iteneqXSIFZBp5vizPvaoIR3Um9xK7"
    "PGoW8giupGn+EPuxIA4cDM4vzOqOkiMPhz5XK0whEjkVzTo4+S0puvDZuwIsdiW9mxhJc7tgBNL0cYlWSYVkz4G/fslNfRPW5mYAM49f4fhtxPb5ok4Q2Lg9"
    "dPKVHO/Bgeu5woMc7RY0p1ej6D4CKFE6lymSDJpW0YHX/wqE9+cfEauh7xZcG0q9t2ta6F6fmX0agvpFyZo8aFbXeUBr7osSCJNgvavWbM/06niWrOvYX2xw"
    "Wdhmh0G5cr8hs7k1mVzR0l me@example"
)


def sample(shape, name=""):
    """A value for every member that the model has, so that none can be forgotten."""
    if shape.type_name == "structure":
        return {key: sample(member, key) for key, member in shape.members.items()}
    if shape.type_name == "list":
        return [sample(shape.member, name)]
    if shape.type_name in ("integer", "long"):
        return 7
    if shape.type_name in ("double", "float"):
        return 1.5
    if shape.type_name == "boolean":
        return True
    if shape.type_name == "timestamp":
        return datetime.datetime(2026, 11, 21, 8, 45, 22, tzinfo=datetime.timezone.utc)
    known = {"UserData": "aGVsbG8=", "ImageId": IMAGE}
    return known.get(name) or (shape.enum[0] if getattr(shape, "enum", None) else f"the {name}")


def strange_elements(node, shape, path):
    """Elements of an answer that the API's model does not know there: boto3 itself passes them over in silence."""
    name = node.tag.rpartition("}")[2]
    here = f"{path}/{name}"
    if shape is None:
        return []
    if shape.type_name == "list":
        item = shape.member.serialization.get("name", "member")
        wrong = [f"{here}/{child.tag}" for child in node if child.tag.rpartition("}")[2] != item]
        return wrong + [found for child in node for found in strange_elements(child, shape.member, here)]
    if shape.type_name != "structure":
        return [f"{here}/{child.tag}" for child in node]
    members = {member.serialization.get("name", key): member for key, member in shape.members.items()}
    found = []
    for child in node:
        tag = child.tag.rpartition("}")[2]
        if tag in members:
            found += strange_elements(child, members[tag], here)
        else:
            found.append(f"{here}/{tag}")
    return found


def check_answer(operation_model, response_dict, **_):
    if response_dict["status_code"] != 200 or not response_dict["body"].rstrip().endswith(b"Response>"):
        return
    root = xml.etree.ElementTree.fromstring(response_dict["body"])
    shape = operation_model.output_shape
    wrapper = (shape.serialization.get("resultWrapper") if shape else None) or operation_model.name + "Result"
    holder = root if operation_model.service_model.service_name == "ec2" else root.find(f"{{*}}{wrapper}")
    # Operations without a result say "return", as EC2 does, though the model leaves it out.
    ours = {"requestId", "return", "ResponseMetadata"}
    for child in list(holder):
        if child.tag.rpartition("}")[2] in ours and (shape is None or child.tag.rpartition("}")[2] not in shape.members):
            holder.remove(child)
    if shape is None:
        assert len(holder) == 0, f"{operation_model.name} answers more than nothing"
    else:
        assert strange_elements(holder, shape, "") == []


class Simulator:
    """A running server with one world, and clients that talk to it."""

    def __init__(self, endpoint="sim:"):
        self.process = subprocess.Popen([SERVER, endpoint, "7"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("port "), f"{SERVER} did not start"
        self.url = f"http://127.0.0.1:{int(line.split()[1])}"
        # The tests move the clock ahead of the one that boto3 signs with.
        self.settings(signature_age=0)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def client(self, service, key="sim", secret="sim", region="us-west-2", token=None):
        config = botocore.config.Config(
            retries={"total_max_attempts": 1}, proxies={}, connect_timeout=5, read_timeout=20
        )
        client = boto3.client(
            service,
            endpoint_url=self.url,
            region_name=region,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            aws_session_token=token,
            config=config,
        )
        client.meta.events.register("before-parse", check_answer)
        return client

    def steer(self, path, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        with OPENER.open(urllib.request.Request(self.url + "/_sim/" + path, data=data), timeout=20) as answer:
            return json.load(answer)

    def settings(self, **values):
        self.steer("change?&settings&settings", values)

    def change(self, kind, thing, **attributes):
        self.steer(f"change?us-west-2&{kind}&{thing}", attributes)

    def advance(self, seconds):
        self.steer(f"advance?{int(seconds * 1000)}")

    def show(self, region="us-west-2"):
        return self.steer("show").get(region, {})


@pytest.fixture
def simulator():
    simulator = Simulator()
    yield simulator
    simulator.close()
    assert simulator.process.returncode == -9, "the simulator ended before it was told to"


@pytest.fixture
def ec2(simulator):
    return simulator.client("ec2")


@pytest.fixture
def autoscaling(simulator):
    return simulator.client("autoscaling")


def refused(code, call, *arguments, **parameters):
    """The call fails with that code; gives its message and HTTP status."""
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        call(*arguments, **parameters)
    response = caught.value.response
    assert response["Error"]["Code"] == code, response["Error"]
    return response["Error"]["Message"], response["ResponseMetadata"]["HTTPStatusCode"]


def tagged(kind, **tags):
    return [{"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]


def filters(**values):
    return [{"Name": name.replace("_", "-"), "Values": list(value)} for name, value in values.items()]


@pytest.fixture
def vpc(ec2):
    return ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]


@pytest.fixture
def subnet(ec2, vpc):
    return ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.1.0/24", AvailabilityZone="us-west-2b")["Subnet"]["SubnetId"]


def permission(port, **sources):
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, **sources}
