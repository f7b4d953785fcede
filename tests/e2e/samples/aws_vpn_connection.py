from samples import KEPT, Change, Members, Sample, Unset, picked
from trueup_runner import Ref, found, tags_of


def read(cloud, identity):
    answer = found(
        lambda: cloud.client().describe_vpn_connections(VpnConnectionIds=[identity]),
        "InvalidVpnConnectionID.NotFound",
    )
    if not answer or not answer["VpnConnections"]:
        return None
    connection = answer["VpnConnections"][0]
    if connection["State"] in ("deleting", "deleted"):
        return None
    options = connection.get("Options", {})
    return {
        "customer_gateway": connection["CustomerGatewayId"],
        "vpn_gateway": connection.get("VpnGatewayId"),
        "static_routes_only": options.get("StaticRoutesOnly"),
        "acceleration": options.get("EnableAcceleration"),
        "inside_version": options.get("TunnelInsideIpVersion"),
        "local_cidr": options.get("LocalIpv4NetworkCidr"),
        "remote_cidr": options.get("RemoteIpv4NetworkCidr"),
        "routes": sorted(
            each["DestinationCidrBlock"]
            for each in connection.get("Routes", [])
            if each["State"] not in ("deleting", "deleted")
        ),
        "tunnels": [picked(each, TUNNEL) for each in options.get("TunnelOptions", [])],
        "tags": tags_of(connection.get("Tags")),
    }


TUNNEL = {
    "inside_cidr": "TunnelInsideCidr",
    "pre_shared_key": "PreSharedKey",
    "phase1_lifetime_s": "Phase1LifetimeSeconds",
    "phase2_lifetime_s": "Phase2LifetimeSeconds",
    "rekey_margin_s": "RekeyMarginTimeSeconds",
    "rekey_fuzz_percent": "RekeyFuzzPercentage",
    "replay_window_packets": "ReplayWindowSize",
    "dpd_timeout_s": "DpdTimeoutSeconds",
    "dpd_action": "DpdTimeoutAction",
    "phase1_encryption": ("Phase1EncryptionAlgorithms", "Value"),
    "phase2_encryption": ("Phase2EncryptionAlgorithms", "Value"),
    "phase1_integrity": ("Phase1IntegrityAlgorithms", "Value"),
    "phase2_integrity": ("Phase2IntegrityAlgorithms", "Value"),
    "phase1_dh_groups": ("Phase1DHGroupNumbers", "Value"),
    "phase2_dh_groups": ("Phase2DHGroupNumbers", "Value"),
    "ike_versions": ("IkeVersions", "Value"),
    "startup_action": "StartupAction",
    "lifecycle_control": "EnableTunnelLifecycleControl",
    "log": "LogOptions.CloudWatchLogOptions.LogEnabled",
    "log_group": "LogOptions.CloudWatchLogOptions.LogGroupArn",
    "log_format": "LogOptions.CloudWatchLogOptions.LogOutputFormat",
    "bgp_log": "LogOptions.CloudWatchLogOptions.BgpLogEnabled",
    "bgp_log_group": "LogOptions.CloudWatchLogOptions.BgpLogGroupArn",
    "bgp_log_format": "LogOptions.CloudWatchLogOptions.BgpLogOutputFormat",
}
FIRST_TUNNEL = {
    "inside_cidr": "169.254.10.0/30",
    "pre_shared_key": "made.for_this_test.1",
    "phase1_lifetime_s": 14400,
    "phase2_lifetime_s": 1800,
    "rekey_margin_s": 120,
    "rekey_fuzz_percent": 50,
    "replay_window_packets": 512,
    "dpd_timeout_s": 60,
    "dpd_action": "restart",
    "phase1_encryption": ["AES256"],
    "phase2_encryption": ["AES256", "AES256-GCM-16"],
    "phase1_integrity": ["SHA2-256"],
    "phase2_integrity": ["SHA2-256"],
    "phase1_dh_groups": [14],
    "phase2_dh_groups": [14, 20],
    "ike_versions": ["ikev2"],
    "startup_action": "start",
    "lifecycle_control": True,
    "log": True,
    "log_group": "arn:aws:logs:eu-central-1:123456789012:log-group:vpn",
    "log_format": "json",
    "bgp_log": False,
    "bgp_log_group": "arn:aws:logs:eu-central-1:123456789012:log-group:bgp",
    "bgp_log_format": "text",
}
SECOND_TUNNEL = {
    **FIRST_TUNNEL,
    "inside_cidr": "169.254.11.0/30",
    "pre_shared_key": "made.for_this_test.2",
    "startup_action": "add",
}
CHANGED_TUNNEL = {
    "inside_cidr": "169.254.12.0/30",
    "pre_shared_key": "made.for_this_test.3",
    "phase1_lifetime_s": 28800,
    "phase2_lifetime_s": 3600,
    "rekey_margin_s": 270,
    "rekey_fuzz_percent": 100,
    "replay_window_packets": 1024,
    "dpd_timeout_s": 40,
    "dpd_action": "clear",
    "phase1_encryption": ["AES128", "AES256"],
    "phase2_encryption": ["AES128"],
    "phase1_integrity": ["SHA2-384"],
    "phase2_integrity": ["SHA2-512"],
    "phase1_dh_groups": [20],
    "phase2_dh_groups": [20],
    "ike_versions": ["ikev1", "ikev2"],
    "startup_action": "add",
    "lifecycle_control": False,
    "log": False,
    "log_group": "arn:aws:logs:eu-central-1:123456789012:log-group:other",
    "log_format": "text",
    "bgp_log": True,
    "bgp_log_group": "arn:aws:logs:eu-central-1:123456789012:log-group:other",
    "bgp_log_format": "json",
}
# Those that no default of AWS's takes the place of.
KEPT_MEMBERS = (
    "inside_cidr",
    "pre_shared_key",
    "phase1_encryption",
    "phase2_encryption",
    "phase1_integrity",
    "phase2_integrity",
    "phase1_dh_groups",
    "phase2_dh_groups",
    "ike_versions",
    "lifecycle_control",
    "log",
    "log_group",
    "log_format",
    "bgp_log",
    "bgp_log_group",
    "bgp_log_format",
)

SAMPLE = Sample(
    kind="aws.vpn_connection",
    simulated="vpn-connection",
    needs={
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}, "away": {"cidr": "10.30.0.0/16"}},
        "aws.vpn_gateway": {"home": {"vpc": Ref("aws.vpc.home")}, "away": {"vpc": Ref("aws.vpc.away")}},
        "aws.customer_gateway": {
            "one": {"address": "203.0.113.7", "asn": 65001},
            "two": {"address": "203.0.113.8", "asn": 65001},
        },
    },
    values={
        "customer_gateway": Ref("aws.customer_gateway.one"),
        "vpn_gateway": Ref("aws.vpn_gateway.home"),
        "static_routes_only": True,
        "inside_version": "ipv4",
        "local_cidr": "192.168.0.0/16",
        "remote_cidr": "10.20.0.0/16",
        "routes": ["192.168.10.0/24", "192.168.11.0/24"],
        "tunnels": [FIRST_TUNNEL, SECOND_TUNNEL],
        "tags": {"team": "research"},
    },
    in_place={
        "customer_gateway": Change(Ref("aws.customer_gateway.two")),
        "vpn_gateway": Change(Ref("aws.vpn_gateway.away")),
        "local_cidr": Change("192.168.0.0/17"),
        "remote_cidr": Change("10.20.0.0/17"),
        "routes": Change(["192.168.11.0/24", "192.168.12.0/24"]),
        # Both, one after the other: each change takes its tunnel down.
        "tunnels": Change([CHANGED_TUNNEL, {**SECOND_TUNNEL, "pre_shared_key": "made.for_this_test.4"}]),
        "tags": Change({"team": "operations"}),
    },
    replaces={"static_routes_only": Change(False, given={"routes": []})},
    unset={
        "static_routes_only": Unset(KEPT, given={"routes": []}),
        "inside_version": Unset(KEPT),
        "local_cidr": Unset(KEPT),
        "remote_cidr": Unset(KEPT),
        "routes": Unset([]),
        "tunnels": Unset(KEPT),
        "tags": Unset({}),
    },
    unset_members={
        "tunnels.0.phase1_lifetime_s": Unset(28800),
        "tunnels.1.phase2_lifetime_s": Unset(3600),
        "tunnels.0.rekey_margin_s": Unset(270),
        "tunnels.0.rekey_fuzz_percent": Unset(100),
        "tunnels.0.replay_window_packets": Unset(1024),
        "tunnels.0.dpd_timeout_s": Unset(40),
        "tunnels.0.dpd_action": Unset("clear"),
        "tunnels.0.startup_action": Unset("add"),
    },
    members={
        # One tunnel's at a time: each change takes its tunnel down.
        "tunnels": Members(
            "tunnels",
            first=[FIRST_TUNNEL, SECOND_TUNNEL],
            second=[CHANGED_TUNNEL, SECOND_TUNNEL],
            unset={f"0.{name}": KEPT for name in KEPT_MEMBERS},
        ),
    },
    untried_members={"tunnels.*.inside_cidr6": "only with a transit gateway"},
    untried={
        "transit_gateway": "there is no kind for one yet, and the simulator has none",
        "acceleration": "only with a transit gateway",
        "bandwidth": "only with a transit gateway",
        "outside_ipv6": "only with a transit gateway",
        "inside_version": "another one than ipv4 only with a transit gateway",
        "vpn_gateway": "without it there must be a transit gateway",
        "local_cidr6": "only with a transit gateway",
        "remote_cidr6": "only with a transit gateway",
    },
    moto_lacks={"everything": "DescribeVpnConnections tells no options and no routes, so there is nothing to compare"},
    read=read,
    remove=lambda cloud, identity: cloud.client().delete_vpn_connection(VpnConnectionId=identity),
)
