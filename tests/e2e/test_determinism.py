"""The same spec, state and reality give the same plan to the byte; an edit without a meaning keeps what was approved."""

import json
import os
import random

import jsonschema
import pytest
import yaml

from trueup_runner import apply, ids_of, plan, plan_is_empty

RUNS = 100

# By file. What is applied first, and what is planned then: something of everything.
BEFORE = {
    "10-network.yaml": """
stack: same
vars:
  wide: {type: string, default: 10.20.0.0/16}
aws.vpc:
  home: {cidr: "${var.wide}", dns_hostnames: true, tags: {team: research, Name: home}}
  away: {cidr: 10.30.0.0/16}
""",
    "20-subnets.yaml": "aws.subnet:\n"
    + "".join(f"  s{number}: {{vpc: home, cidr: 10.20.{number * 16}.0/20}}\n" for number in range(8)),
    "30-groups.yaml": """
aws.security_group:
  web:
    name: web
    description: web
    vpc: home
    ingress:
      - {protocol: tcp, from_port: 443, to_port: 443, cidr: 0.0.0.0/0}
      - {protocol: tcp, from_port: 80, to_port: 80, cidr: 0.0.0.0/0}
      - {protocol: tcp, from_port: 5432, to_port: 5432, group: data}
  data:
    name: data
    description: data
    vpc: home
    ingress:
      - {protocol: tcp, from_port: 5432, to_port: 5432, group: web}
    tags: {z: "1", a: "2", m: "3"}
""",
    "40-edge.yaml": """
aws.internet_gateway:
  edge: {vpc: home}
aws.route_table:
  public:
    vpc: home
    subnets: [s0, s1, s2]
    routes:
      - {destination: 0.0.0.0/0, internet_gateway: edge}
outputs:
  vpc: "${aws.vpc.home.id}"
""",
}

AFTER = {
    "10-network.yaml": BEFORE["10-network.yaml"].replace("team: research", "team: operations"),
    "20-subnets.yaml": BEFORE["20-subnets.yaml"]
    .replace("  s3: {vpc: home, cidr: 10.20.48.0/20}\n", "")
    .replace("10.20.64.0/20", "10.20.160.0/20")
    + "  s8: {vpc: home, cidr: 10.20.128.0/20, public: true}\n",
    "30-groups.yaml": BEFORE["30-groups.yaml"].replace("description: data", "description: all data"),
    "40-edge.yaml": BEFORE["40-edge.yaml"].replace("[s0, s1, s2]", "[s8, s1, s0]"),
}

LOCALES = ["C", "C.UTF-8", "POSIX", "de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8", "ja_JP.EUC-JP", "nonsense"]
ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu", ":/nowhere", "XYZ-14:30"]


@pytest.fixture
def changed(stack, cloud):
    """Applied, then edited and moved behind the program's back: creates, updates, replaces, deletes and drift."""
    for name, text in BEFORE.items():
        stack.write(name, text)
    apply(stack)
    plan_is_empty(stack)
    ids = ids_of(stack)
    cloud.remove("subnet", ids["aws.subnet.s7"])
    cloud.sim("change", "vpc", ids["aws.vpc.away"], "tags.by=hand")
    for name, text in AFTER.items():
        stack.write(name, text)
    return stack


def test_a_hundred_runs(changed):
    chance = random.Random(20261121)
    stack = changed
    operations = plan(stack, status=2).operations()
    assert set(operations.values()) == {"create", "update", "replace", "delete", "record"}, operations
    documents, files = set(), set()
    for run in range(RUNS):
        # A folder gives its files in an order of its own, which goes by how they came into it.
        names = list(AFTER)
        chance.shuffle(names)
        for name in names:
            (stack.folder / name).unlink()
        for name in names:
            stack.write(name, AFTER[name])
        path = stack.folder / f"out-{run}.plan"
        umask = os.umask(chance.choice([0o000, 0o022, 0o077]))
        result = stack.run(
            "plan",
            "--output",
            "json",
            "--out",
            path,
            "--parallelism",
            chance.choice([1, 2, 7, 32, 100]),
            LC_ALL=chance.choice(LOCALES),
            LANG=chance.choice(LOCALES),
            TZ=chance.choice(ZONES),
            HOME=chance.choice(["/", "/nowhere", str(stack.folder)]),
            TERM=chance.choice(["dumb", "xterm-256color", None]),
            MALLOC_PERTURB_=chance.choice([None, "85", "170"]),
        )
        os.umask(umask)
        documents.add(result.out.replace(str(path), "PATH"))
        files.add(path.read_bytes())
        path.unlink()
    assert len(documents) == 1 and len(files) == 1, (len(documents), len(files))


def digest(stack):
    return plan(stack).data["digest"]


SPEC = """
stack: same
aws.vpc:
  home:
    cidr: 10.20.0.0/16
    tags: {team: research, Name: home}
aws.subnet:
  a: {vpc: home, cidr: 10.20.0.0/20, public: true}
aws.security_group:
  web:
    name: web
    description: all of the web
    vpc: home
    ingress:
      - {protocol: tcp, from_port: 80, to_port: 80, cidr: 0.0.0.0/0}
      - {protocol: tcp, from_port: 443, to_port: 443, cidr: 0.0.0.0/0}
"""

DOCUMENT = {
    "aws.vpc": {"home": {"cidr": "10.20.0.0/16", "tags": {"team": "research", "Name": "home"}}},
    "stack": "same",
    "aws.subnet": {"a": {"vpc": "home", "cidr": "10.20.0.0/20", "public": True}},
    "aws.security_group": {
        "web": {
            "name": "web",
            "description": "all of the web",
            "vpc": "home",
            "ingress": [
                {"protocol": "tcp", "from_port": port, "to_port": port, "cidr": "0.0.0.0/0"}
                for port in (80, 443)
            ],
        }
    },
}

# {what was done: {file: text}}: each means what SPEC means.
SAME = {
    "comments and blank lines": {
        "stack.yaml": SPEC.replace("\naws", "\n\n# of the network\naws").replace("tags:", "tags:   ")
    },
    "windows line ends": {"stack.yaml": SPEC.replace("\n", "\r\n")},
    "another file name": {"other.yaml": SPEC},
    "order of fields": {
        "stack.yaml": SPEC.replace(
            "{vpc: home, cidr: 10.20.0.0/20, public: true}", "{public: true, cidr: 10.20.0.0/20, vpc: home}"
        ).replace("{team: research, Name: home}", "{Name: home, team: research}")
    },
    "order of kinds": {
        "stack.yaml": SPEC[SPEC.index("aws.security_group") :]
        + SPEC[SPEC.index("aws.subnet") : SPEC.index("aws.security_group")]
        + SPEC[: SPEC.index("aws.subnet")]
    },
    "order within a set": {
        "stack.yaml": SPEC.replace("from_port: 80, to_port: 80", "from_port: 1, to_port: 1")
        .replace("from_port: 443, to_port: 443", "from_port: 80, to_port: 80")
        .replace("from_port: 1, to_port: 1", "from_port: 443, to_port: 443")
    },
    "quotes": {
        "stack.yaml": SPEC.replace("10.20.0.0/16", "'10.20.0.0/16'").replace("all of the web", '"all of\\x20the web"')
    },
    "block for flow": {
        "stack.yaml": SPEC.replace(
            "a: {vpc: home, cidr: 10.20.0.0/20, public: true}",
            "a:\n    vpc: home\n    cidr: >-\n      10.20.0.0/20\n    public: true",
        )
    },
    "JSON": {"stack.yaml": json.dumps(DOCUMENT)},
    "several files": {
        "a.yaml": SPEC[SPEC.index("aws.security_group") :],
        "b.yml": SPEC[SPEC.index("aws.subnet") : SPEC.index("aws.security_group")],
        "c.yaml": SPEC[: SPEC.index("aws.subnet")],
    },
    "addresses for names": {"stack.yaml": SPEC.replace("vpc: home", "vpc: aws.vpc.home")},
    "expressions for names": {"stack.yaml": SPEC.replace("vpc: home", 'vpc: "${aws.vpc.home.id}"')},
    "a variable": {
        "stack.yaml": SPEC.replace("10.20.0.0/20", '"${var.range}"')
        + "vars: {range: {type: string, default: 10.20.0.0/20}}\n"
    },
    "an alias": {
        "stack.yaml": SPEC.replace("cidr: 0.0.0.0/0}", "cidr: &all 0.0.0.0/0}", 1).replace("443, cidr: 0.0.0.0/0", "443, cidr: *all")
    },
    "true by another spelling of its case": {"stack.yaml": SPEC.replace("public: true", "public: True")},
    "a null field": {"stack.yaml": SPEC.replace("public: true", "public: true, zone: null")},
    "null for each sort of field": {
        "stack.yaml": SPEC.replace("Name: home}", "Name: home, by: null}\n    tenancy: null\n    dns_support: null")
        .replace("public: true", "public: true, tags: null, lifecycle: null, depends_on: null, provider: null")
        .replace("to_port: 80,", "to_port: 80, group: null,")
        .replace("    vpc: home\n", "    vpc: home\n    egress: null\n    lifecycle: {protect: null, ignore: null}\n")
        + "providers: {aws: {default_tags: null, endpoints: {ec2: null}}, metal: {user: null}}\n"
        + "settings: {max_delete: null}\naddress_space: {reserved: null}\n"
    },
    "variables that say nothing": {
        "stack.yaml": SPEC.replace("public: true", "public: true, lifecycle: '${var.life}', depends_on: '${var.none}'")
        .replace("  web:\n", "  web:\n    lifecycle: {protect: '${var.life.protect}', ignore: '${var.none}'}\n")
        + "vars: {none: {default: []}, life: {default: {protect: false}}, most: {default: null}}\n"
        + "settings: {max_delete: '${var.most}'}\n"
    },
}

OTHER = {
    "a value": SPEC.replace("10.20.0.0/20", "10.20.16.0/20"),
    "a tag": SPEC.replace("team: research", "team: Research"),
    "a rule less": SPEC[: SPEC.rindex("      - {")],
    "a name": SPEC.replace("  a: {vpc", "  b: {vpc"),
    "white space within a text": SPEC.replace("all of the web", "all  of the web"),
    "protection": SPEC.replace("Name: home}", "Name: home}\n    lifecycle: {protect: true}"),
    "what is left to others": SPEC.replace("Name: home}", "Name: home}\n    lifecycle: {ignore: [dns_support]}"),
}


def write_only(stack, files):
    for path in stack.folder.glob("*.y*ml"):
        path.unlink()
    for name, text in files.items():
        stack.write(name, text)


@pytest.fixture(params=["new", "recorded"])
def base(request, stack, cloud):
    """A stack with SPEC: nothing of it made yet, or all of it and one tag changed since by hand."""
    stack.write("stack.yaml", SPEC)
    # A lineage is random: it comes to be with the first run.
    plan(stack)
    if request.param == "recorded":
        apply(stack)
        plan_is_empty(stack)
        cloud.sim("change", "vpc", ids_of(stack)["aws.vpc.home"], "tags.team=lost")
    return stack


def test_edits_without_a_meaning(base):
    approved = digest(base)
    kept = {}
    for name, files in SAME.items():
        assert files != {"stack.yaml": SPEC}, name
        write_only(base, files)
        kept[name] = digest(base) == approved
    assert all(kept.values()), [name for name, same in kept.items() if not same]


@pytest.mark.parametrize("name", SAME)
def test_the_schema_takes_them(stack, name):
    """An editor calls nothing wrong that means the same. Of what stands in several files each is one by itself."""
    schema = jsonschema.Draft7Validator(json.loads(stack.run("schema").out))
    for text in SAME[name].values():
        schema.validate(yaml.safe_load(text))


def test_edits_with_a_meaning(base):
    approved = digest(base)
    digests = {name: None for name in OTHER}
    for name, text in OTHER.items():
        assert text != SPEC, name
        write_only(base, {"stack.yaml": text})
        digests[name] = digest(base)
    assert approved not in digests.values(), [name for name, told in digests.items() if told == approved]
    assert len(set(digests.values())) == len(digests), digests


def test_what_was_approved_is_applied(base):
    """An edit without a meaning after the approval does not matter, one with a meaning does."""
    approved = digest(base)[:8]
    write_only(base, {"stack.yaml": OTHER["a value"]})
    base.run("apply", "--yes", "--digest", approved, status=4)
    write_only(base, SAME["several files"])
    apply(base, "--digest", approved)
    plan_is_empty(base)
