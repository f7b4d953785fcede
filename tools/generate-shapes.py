#!/usr/bin/env python3
"""Writes providers/aws/shapes/*.c from botocore's service models.

    tools/generate-shapes.py            writes the tables
    tools/generate-shapes.py --check    writes nothing; ends with 1 where a table is out of date, or holds an
                                        operation that no kind calls, nor the provider itself

The tables are committed, so that a build needs no Python. To add an operation, put its name
in OPERATIONS and run this with the botocore release that tools/python-requirements.txt pins. What the
C side cannot carry (maps, flattened lists, recursive shapes) is refused here, not guessed.
"""

import argparse
import pathlib
import re
import sys

import botocore
import botocore.loaders

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "providers" / "aws" / "shapes"

OPERATIONS = {
    "autoscaling": """
        AttachLoadBalancerTargetGroups CreateAutoScalingGroup CreateOrUpdateTags
        DeleteAutoScalingGroup DeleteLifecycleHook DeleteTags DescribeAutoScalingGroups
        DescribeLifecycleHooks DetachLoadBalancerTargetGroups DisableMetricsCollection
        EnableMetricsCollection PutLifecycleHook ResumeProcesses SuspendProcesses
        UpdateAutoScalingGroup
    """,
    "ec2": """
        AssociateDhcpOptions AssociateVpcCidrBlock CreateVpc DeleteVpc DescribeVpcAttribute
        DescribeVpcs DisassociateVpcCidrBlock ModifyVpcAttribute ModifyVpcTenancy

        AssociateSubnetCidrBlock CreateSubnet DeleteSubnet DescribeSubnets
        DisassociateSubnetCidrBlock ModifySubnetAttribute

        AttachInternetGateway CreateInternetGateway DeleteInternetGateway DescribeInternetGateways
        DetachInternetGateway

        AssociateRouteTable CreateRoute CreateRouteTable DeleteRoute DeleteRouteTable
        DescribeRouteTables DisableVgwRoutePropagation DisassociateRouteTable
        EnableVgwRoutePropagation ReplaceRoute

        AuthorizeSecurityGroupEgress AuthorizeSecurityGroupIngress CreateSecurityGroup
        DeleteSecurityGroup DescribeSecurityGroups RevokeSecurityGroupEgress RevokeSecurityGroupIngress
        UpdateSecurityGroupRuleDescriptionsEgress UpdateSecurityGroupRuleDescriptionsIngress

        CreateKeyPair DeleteKeyPair DescribeKeyPairs ImportKeyPair

        CreateLaunchTemplate CreateLaunchTemplateVersion DeleteLaunchTemplate
        DescribeLaunchTemplateVersions DescribeLaunchTemplates ModifyLaunchTemplate

        AssociateIamInstanceProfile CancelSpotInstanceRequests DescribeIamInstanceProfileAssociations
        DescribeInstanceAttribute DescribeInstanceCreditSpecifications DescribeInstances
        DisassociateIamInstanceProfile ModifyInstanceAttribute
        ModifyInstanceCapacityReservationAttributes ModifyInstanceCpuOptions
        ModifyInstanceCreditSpecification ModifyInstanceMaintenanceOptions
        ModifyInstanceMetadataOptions ModifyInstanceNetworkPerformanceOptions
        ModifyInstancePlacement ModifyPrivateDnsNameOptions MonitorInstances
        ReplaceIamInstanceProfileAssociation RunInstances StartInstances StopInstances
        TerminateInstances UnmonitorInstances

        AssignIpv6Addresses ModifyNetworkInterfaceAttribute UnassignIpv6Addresses

        AttachVpnGateway CreateVpnGateway DeleteVpnGateway DescribeVpnGateways DetachVpnGateway
        CreateCustomerGateway DeleteCustomerGateway DescribeCustomerGateways
        CreateVpnConnection CreateVpnConnectionRoute DeleteVpnConnection DeleteVpnConnectionRoute
        DescribeVpnConnections ModifyVpnConnection ModifyVpnConnectionOptions
        ModifyVpnTunnelOptions

        CreateTags DeleteTags
    """,
    "sts": "GetCallerIdentity",
}

PROTOCOLS = {"ec2": "AWS_PROTOCOL_EC2", "query": "AWS_PROTOCOL_QUERY"}
SCALARS = {"string", "integer", "long", "double", "float", "boolean", "timestamp", "blob"}
MEMBERS_MOST = 128  # as in shape.h


def text(string):
    """A C string literal's contents; botocore's texts are ASCII but for some patterns."""
    out = []
    for byte in string.encode():
        if byte in b'"\\':
            out.append("\\" + chr(byte))
        elif 0x20 <= byte < 0x7F and byte != ord("?"):
            out.append(chr(byte))
        elif byte == ord("?"):
            out.append("\\?")  # no trigraphs
        else:
            out.append("\\%03o" % byte)
    return "".join(out)


def slice_text(string):
    return 'T("%s")' % text(string)


class Service:
    def __init__(self, loader, name):
        self.name = name
        self.model = loader.load_service_model(name, "service-2")
        try:
            self.pages = loader.load_service_model(name, "paginators-1")["pagination"]
        except botocore.exceptions.UnknownServiceError:
            self.pages = {}
        self.protocol = self.model["metadata"]["protocol"]
        self.lines = []
        self.symbols = {}  # shape name -> C name, once written
        self.plain = set()  # scalars without a bound, once written: all of a type share one
        self.open = []

    def write(self, line=""):
        self.lines.append(line)

    def request_name(self, name, member):
        """The name a member has in a request (botocore's EC2Serializer and QuerySerializer)."""
        if self.protocol == "ec2":
            if "queryName" in member:
                return member["queryName"]
            location = member.get("locationName", name)
            return location[0].upper() + location[1:] if "locationName" in member else name
        return member.get("locationName", name)

    def constraint(self, shape):
        """The members of struct aws_shape that bound a value, as initialisers."""
        out = []
        if shape.get("sensitive"):
            out.append(".sensitive = true")
        for key, name in (("min", "minimum"), ("max", "maximum")):
            if key in shape:
                if shape[key] != int(shape[key]):
                    raise SystemExit(f"{self.name}: a {key} of {shape[key]} is no whole number")
                out.append(f".has_{name} = true")
                out.append(f".{name} = {int(shape[key])}")
        if "pattern" in shape:
            out.append('.pattern = "%s"' % text(shape["pattern"]))
        return out

    def scalar(self, name, shape):
        body = [f".type = AWS_{shape['type'].upper()}"] + self.constraint(shape)
        if "enum" in shape:
            self.write(f"static const struct slice e_{name}[] = {{")
            for value in sorted(set(shape["enum"])):
                self.write(f"\t{slice_text(value)},")
            self.write("};")
            body += [f".values = e_{name}", f".value_count = COUNT(e_{name})"]
        elif len(self.constraint(shape)) == bool(shape.get("sensitive")):
            name = ("sensitive_" if shape.get("sensitive") else "") + shape["type"]
            if name in self.plain:
                return f"s_{name}"
            self.plain.add(name)
        symbol = f"s_{name}"
        self.write(f"static const struct aws_shape {symbol} = {{{', '.join(['.name = ' + slice_text(name)] + body)}}};")
        return symbol

    def structure(self, name, shape):
        members = sorted(shape["members"].items(), key=lambda item: item[0].encode())
        if len(members) > MEMBERS_MOST:
            raise SystemExit(f"{self.name}: {name} has more than {MEMBERS_MOST} members: raise AWS_MEMBERS_MOST")
        symbols = [self.shape(member["shape"]) for _, member in members]
        required = set(shape.get("required", ()))
        body = [f".name = {slice_text(name)}", ".type = AWS_STRUCTURE"] + self.constraint(shape)
        if members:
            self.write(f"static const struct aws_member m_{name}[] = {{")
            for (key, member), symbol in zip(members, symbols):
                flags = []
                if key in required:
                    flags.append("AWS_MEMBER_REQUIRED")
                if member.get("idempotencyToken"):
                    flags.append("AWS_MEMBER_TOKEN")
                if member.get("deprecated"):
                    flags.append("AWS_MEMBER_DEPRECATED")
                request = self.request_name(key, member)
                response = member.get("locationName", key)
                names = ", ".join(slice_text(each) for each in (key, request, response))
                self.write(f"\t{{{names}, &{symbol}, {' | '.join(flags) or '0'}}},")
            self.write("};")
            order = sorted(range(len(members)), key=lambda at: members[at][1].get("locationName", members[at][0]).encode())
            responses = {member.get("locationName", key) for key, member in members}
            requests = {self.request_name(key, member) for key, member in members}
            if len(responses) != len(members) or len(requests) != len(members):
                raise SystemExit(f"{self.name}: two members of {name} share a wire name")
            self.write(f"static const uint8_t r_{name}[] = {{{', '.join(map(str, order))}}};")
            body += [f".members = m_{name}", f".member_count = COUNT(m_{name})", f".by_response = r_{name}"]
        self.write(f"static const struct aws_shape s_{name} = {{{', '.join(body)}}};")
        return f"s_{name}"

    def list(self, name, shape):
        if shape.get("flattened"):
            raise SystemExit(f"{self.name}: {name} is a flattened list, which protocol.h does not carry")
        item = self.shape(shape["member"]["shape"])
        wire = shape["member"].get("locationName", "member")
        body = [f".name = {slice_text(name)}", ".type = AWS_LIST"] + self.constraint(shape)
        body += [f".item = &{item}", f".item_name = {slice_text(wire)}"]
        self.write(f"static const struct aws_shape s_{name} = {{{', '.join(body)}}};")
        return f"s_{name}"

    def shape(self, name):
        if name in self.symbols:
            return self.symbols[name]
        if name in self.open:
            raise SystemExit(f"{self.name}: {name} contains itself, which protocol.h does not carry")
        self.open.append(name)
        shape = self.model["shapes"][name]
        if shape["type"] in SCALARS:
            symbol = self.scalar(name, shape)
        elif shape["type"] == "structure":
            symbol = self.structure(name, shape)
        elif shape["type"] == "list":
            symbol = self.list(name, shape)
        else:
            raise SystemExit(f"{self.name}: {name} is a {shape['type']}, which protocol.h does not carry")
        self.open.pop()
        self.symbols[name] = symbol
        return symbol

    def error_code(self, name):
        return self.model["shapes"][name].get("error", {}).get("code", name)

    def operation(self, name):
        """Writes what the operation needs and returns its row."""
        model = self.model["operations"][name]
        row = [f".name = {slice_text(name)}", f".service = &aws_{self.name}_service"]
        for side in ("input", "output"):
            if side in model:
                row.append(f".{side} = &{self.shape(model[side]['shape'])}")
        wrapper = model.get("output", {}).get("resultWrapper")
        if wrapper:
            row.append(f".result_wrapper = {slice_text(wrapper)}")
        codes = sorted({self.error_code(error["shape"]) for error in model.get("errors", ())})
        if codes:
            self.write(f"static const struct slice x_{name}[] = {{{', '.join(map(slice_text, codes))}}};")
            row += [f".error_codes = x_{name}", f".error_code_count = COUNT(x_{name})"]
        pages = self.pages.get(name, {})
        for key in ("input_token", "output_token", "result_key", "limit_key"):
            if key in pages:
                if not isinstance(pages[key], str):
                    raise SystemExit(f"{self.name}: {name} pages over several members, which shape.h does not carry")
                row.append(f".pages.{key} = {slice_text(pages[key])}")
        return row

    def source(self):
        self.write("/*")
        self.write(f" * Generated by tools/generate-shapes.py from botocore {botocore.__version__} (Apache-2.0). Not edited by hand.")
        self.write(" */")
        self.write("/* clang-format off */")
        self.write('#include "providers/aws/shapes/shapes.h"')
        self.write()
        self.write("#define T(literal) {literal, sizeof(literal) - 1}")
        self.write("#define COUNT(array) (sizeof(array) / sizeof((array)[0]))")
        self.write()
        names = sorted(OPERATIONS[self.name].split())
        if len(set(names)) != len(names):
            raise SystemExit(f"{self.name}: an operation is listed twice")
        rows = [(name, self.operation(name)) for name in names]
        self.write()
        self.write(f"static const struct aws_operation_shape operations[] = {{")
        for _, row in rows:
            self.write("\t{" + ",\n\t ".join(row) + "},")
        self.write("};")
        metadata = self.model["metadata"]
        self.write()
        self.write(f"const struct aws_service_shape aws_{self.name}_service = {{")
        self.write(f"\t.name = {slice_text(self.name)},")
        self.write(f"\t.variable = {slice_text(metadata['serviceId'].replace(' ', '_').upper())},")
        self.write(f"\t.endpoint_prefix = {slice_text(metadata['endpointPrefix'])},")
        self.write(f"\t.signing_name = {slice_text(metadata.get('signingName', metadata['endpointPrefix']))},")
        self.write(f"\t.api_version = {slice_text(metadata['apiVersion'])},")
        self.write(f"\t.protocol = {PROTOCOLS[self.protocol]},")
        self.write("\t.operations = operations,")
        self.write("\t.operation_count = COUNT(operations),")
        self.write("};")
        return "\n".join(self.lines) + "\n"


def called():
    """What tells the operations that the provider's files call, as a pattern: one may be named by its beginning and a
    direction. A name right after a brace is none: the rows of what is left out, and of the limits on requests."""
    source = "".join(path.read_text() for path in sorted(FOLDER.parent.glob("*.c")) + sorted(FOLDER.parent.glob("kinds/*.c")))
    names = re.findall(r'(?<!\{)"([A-Z][A-Za-z0-9]+)"( direction\b)?', source)
    return re.compile("|".join(name + ("(?:Egress|Ingress)" if directed else "") for name, directed in names))


def uncalled():
    names = called()
    return [name for listed in OPERATIONS.values() for name in listed.split() if not names.fullmatch(name)]


def tables():
    loader = botocore.loaders.Loader()
    return {FOLDER / f"{name}.c": Service(loader, name).source() for name in sorted(OPERATIONS)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a table is out of date")
    arguments = parser.parse_args()
    stale = []
    for path, content in tables().items():
        if not path.exists() or path.read_text() != content:
            stale.append(path)
            if not arguments.check:
                path.write_text(content)
    for path in stale:
        print(("out of date: " if arguments.check else "written: ") + str(path.relative_to(FOLDER.parents[2])))
    unused = uncalled() if arguments.check else []
    for name in unused:
        print(f"nothing in providers/aws calls {name}: it has no place in OPERATIONS")
    return 1 if arguments.check and (stale or unused) else 0


if __name__ == "__main__":
    sys.exit(main())
