"""The EC2 and query protocols against botocore's own serializer and parser, and against a server."""

import base64
import json
import random
import urllib.error
import urllib.parse
import urllib.request
import xml.sax.saxutils

import botocore.loaders
import botocore.model
import botocore.parsers
import botocore.serialize
import pytest

from aws_wire import ROOT, wire  # noqa: F401 (wire is a fixture)

ROUNDS = 12  # for each operation
LETTERS = "abcXYZ019 &=+%/<>\"'-._~äλ語🙂"
STAMP = "2024-02-29T13:05:07Z"


def load(name):
    model = botocore.loaders.Loader().load_service_model(name, "service-2")
    return botocore.model.ServiceModel(model, name)


SERVICES = {name: load(name) for name in ("autoscaling", "ec2", "sts")}


def table_operations(service):
    """Names in the generated table, from the text: the table is what is under test."""
    text = (ROOT / "providers/aws/shapes" / f"{service}.c").read_text()
    rows = text.split("aws_operation_shape operations[]")[1].split("};")[0]
    return [row.split('"')[1] for row in rows.split("{.name = T(")[1:]]


OPERATIONS = [(service, name) for service in SERVICES for name in table_operations(service)]


def random_value(source, shape, whole, depth=0):
    """whole: with every member there is, however deep; otherwise some of them."""
    kind = shape.type_name
    if kind == "structure":
        return {
            name: random_value(source, member, whole, depth + 1)
            for name, member in shape.members.items()
            if whole or name in shape.required_members or source.random() < 0.7 / (1 + depth)
        }
    if kind == "list":
        count = 1 if whole else source.randint(0, 3)
        return [random_value(source, shape.member, whole, depth + 1) for _ in range(count)]
    if kind in ("integer", "long"):
        return source.randint(-(2**31), 2**31 - 1) if kind == "integer" else source.randint(-(2**62), 2**62)
    if kind in ("double", "float"):
        return source.choice([0.5, 1e-7, 123456.75, source.random()])
    if kind == "boolean":
        return source.random() < 0.5
    if kind == "timestamp":
        return STAMP
    return "".join(source.choices(LETTERS, k=source.randint(0, 12)))


def for_botocore(shape, value):
    """Blobs are bytes there."""
    if shape.type_name == "structure":
        return {name: for_botocore(shape.members[name], each) for name, each in value.items()}
    if shape.type_name == "list":
        return [for_botocore(shape.member, each) for each in value]
    return value.encode() if shape.type_name == "blob" else value


def form(text):
    pairs = [pair.split("=") for pair in text.split("&")]
    found = {urllib.parse.unquote(name): urllib.parse.unquote(value) for name, value in pairs}
    assert len(found) == len(pairs), "a name came twice"
    return found


def same_text(ours, theirs):
    if isinstance(theirs, float) or (isinstance(theirs, str) and ours != theirs):
        try:
            return float(ours) == float(theirs)
        except ValueError:
            return False
    return ours == str(theirs)


@pytest.mark.parametrize("service,name", OPERATIONS)
def test_request_as_botocore_writes_it(wire, service, name):  # noqa: F811
    source = random.Random(name)
    operation = SERVICES[service].operation_model(name)
    serializer = botocore.serialize.create_serializer(SERVICES[service].metadata["protocol"], include_validation=False)
    for number in range(ROUNDS):
        parameters = random_value(source, operation.input_shape, number == 0) if operation.input_shape else {}
        given = for_botocore(operation.input_shape, parameters) if operation.input_shape else {}
        wanted = serializer.serialize_to_request(given, operation)["body"]
        shuffled = dict(source.sample(list(parameters.items()), len(parameters)))
        answer = wire.ask("body", service=service, operation=name, parameters=shuffled)
        assert "errors" not in answer, answer
        found = form(answer["body"])
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            assert same_text(found[key], value), (key, found[key], value)


def element(name, content):
    return f"<{name}/>" if content == "" else f"<{name}>{content}</{name}>"


def xml_content(source, shape, value):
    """What stands between the tags of an element; with strangers in between, as a newer API would send them."""
    kind = shape.type_name
    if kind == "structure":
        items = list(value.items())
        source.shuffle(items)
        parts = []
        for name, each in items:
            member = shape.members[name]
            parts.append(element(member.serialization.get("name", name), xml_content(source, member, each)))
            if source.random() < 0.1:
                parts.append("<stranger><item>1</item><b/></stranger>\n ")
        return "".join(parts)
    if kind == "list":
        item = shape.member.serialization.get("name", "member")
        return "".join("\n  " + element(item, xml_content(source, shape.member, each)) for each in value)
    if kind == "boolean":
        return "true" if value else "false"
    if kind == "blob":
        return base64.b64encode(value.encode()).decode()
    if kind in ("string", "timestamp"):
        return xml.sax.saxutils.escape(value)
    return repr(value)


def answer_xml(source, model, operation, value):
    content = xml_content(source, operation.output_shape, value) if operation.output_shape else ""
    wrapper = operation.output_shape.serialization.get("resultWrapper") if operation.output_shape else None
    if wrapper:
        content = element(wrapper, content) + "<ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata>"
    elif model.metadata["protocol"] == "ec2":
        content = "<requestId>r-1</requestId>" + content
    prefix = source.choice(["", "aws:"])
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<Root xmlns="http://x/" xmlns:aws="http://x/">{content}</Root>'
    return text.replace("Root", f"{prefix}{operation.name}Response")


@pytest.mark.parametrize("service,name", OPERATIONS)
def test_answer_as_botocore_reads_it(wire, service, name):  # noqa: F811
    source = random.Random(name)
    operation = SERVICES[service].operation_model(name)
    parser = botocore.parsers.PROTOCOL_PARSERS[SERVICES[service].metadata["protocol"]](
        timestamp_parser=lambda text: text, blob_parser=lambda text: base64.b64decode(text).decode()
    )
    for number in range(ROUNDS):
        value = random_value(source, operation.output_shape, number == 0) if operation.output_shape else {}
        text = answer_xml(source, SERVICES[service], operation, value)
        response = {"status_code": 200, "headers": {}, "body": text.encode()}
        wanted = parser.parse(response, operation.output_shape)
        wanted.pop("ResponseMetadata", None)
        answer = wire.ask("read", service=service, operation=name, xml=text)
        # Whoever says so has done nothing, or nobody knows what: no value is made of it.
        if service == "ec2" and "<return>false</return>" in text:
            assert "says 'false' of its success" in answer["errors"][0], text
        else:
            assert answer == {"value": wanted}, text


class Endpoint:
    """Calls a server through the wire layer alone; the HTTP in between is Python's."""

    def __init__(self, driver, address):
        self.driver = driver
        self.address = address

    def post(self, service, body):
        signed = self.driver.ask(
            "sign",
            method="POST",
            url=self.address + "/",
            headers=[["Content-Type", "application/x-www-form-urlencoded; charset=utf-8"]],
            body=base64.b64encode(body.encode()).decode(),
            access_key="AKIDEXAMPLE",
            secret_key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            service=service,
            region="eu-central-1",
            wall_ms=1700000000000,
        )
        headers = dict(signed["headers"], **{"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"})
        request = urllib.request.Request(self.address + "/", data=body.encode(), headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, list(answer.headers.items()), answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, list(error.headers.items()), error.read().decode()

    def call(self, service, name, parameters):
        body = self.driver.ask("body", service=service, operation=name, parameters=parameters)["body"]
        status, headers, text = self.post(service, body)
        if status >= 300:
            return self.driver.ask("error", status=status, headers=headers, body=text, mutating=True)
        answer = self.driver.ask("read", service=service, operation=name, xml=text)
        assert "errors" not in answer, (answer, text)
        return answer["value"]


FAULT_ABSENT, FAULT_UNSUPPORTED = 3, 8  # enum fault, base/diag.h


def test_calls_to_moto(wire, moto):  # noqa: F811
    endpoint = Endpoint(wire, moto.address)
    assert endpoint.call("sts", "GetCallerIdentity", {})["Account"] == "123456789012"
    tags = [{"ResourceType": "vpc", "Tags": [{"Key": "Name", "Value": "a & b"}]}]
    vpc = endpoint.call("ec2", "CreateVpc", {"CidrBlock": "10.9.0.0/16", "TagSpecifications": tags})["Vpc"]
    live = moto.client("ec2").describe_vpcs(VpcIds=[vpc["VpcId"]])["Vpcs"][0]
    assert (live["CidrBlock"], live["Tags"]) == ("10.9.0.0/16", [{"Key": "Name", "Value": "a & b"}])
    assert json.loads(json.dumps(live)) == endpoint.call("ec2", "DescribeVpcs", {"VpcIds": [vpc["VpcId"]]})["Vpcs"][0]
    assert endpoint.call("autoscaling", "DescribeAutoScalingGroups", {}) == {"AutoScalingGroups": []}

    error = endpoint.call("ec2", "DeleteVpc", {"VpcId": "vpc-0123456789abcdef0"})
    assert (error["code"], error["fault"]) == ("InvalidVpcID.NotFound", FAULT_ABSENT)
    error = endpoint.call("ec2", "MonitorInstances", {"InstanceIds": ["i-0123456789abcdef0"]})
    assert error["fault"] == FAULT_UNSUPPORTED, error
