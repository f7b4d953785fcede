#include "providers/sim/sim_setting.h"

#include "providers/sim/sim_state.h"

/* AWS's own quotas are lower by default and raised on request; a test sets the one it is about. */
static const struct {
	const char *name;
	int64_t value;
} settings[SIM_SETTING_COUNT] = {
	[SIM_SETTING_ACCOUNT] = {"account", 123456789012},
	[SIM_SETTING_LAG_MS] = {"lag_ms", 500},
	[SIM_SETTING_LAG_CALLS] = {"lag_calls", 0},
	[SIM_SETTING_LATENCY_MS] = {"latency_ms", 20},
	[SIM_SETTING_LATENCY_SPREAD_MS] = {"latency_spread_ms", 60},
	[SIM_SETTING_PACE_PERCENT] = {"pace_percent", 100},
	[SIM_SETTING_SIGNATURES] = {"signatures", 1},
	[SIM_SETTING_SIGNATURE_AGE] = {"signature_age", 1},
	[SIM_SETTING_VPCS] = {"vpcs", 100000},
	[SIM_SETTING_SUBNETS_PER_VPC] = {"subnets_per_vpc", 100000},
	[SIM_SETTING_INTERNET_GATEWAYS] = {"internet_gateways", 100000},
	[SIM_SETTING_ROUTE_TABLES_PER_VPC] = {"route_tables_per_vpc", 100000},
	[SIM_SETTING_ROUTES_PER_TABLE] = {"routes_per_table", 1000},
	[SIM_SETTING_SECURITY_GROUPS] = {"security_groups", 200000},
	[SIM_SETTING_RULES_PER_GROUP] = {"rules_per_group", 1000},
	[SIM_SETTING_VPN_GATEWAYS] = {"vpn_gateways", 100000},
	[SIM_SETTING_CUSTOMER_GATEWAYS] = {"customer_gateways", 100000},
	[SIM_SETTING_VPN_CONNECTIONS] = {"vpn_connections", 100000},
	[SIM_SETTING_CONNECTIONS_PER_VPN_GATEWAY] = {"connections_per_vpn_gateway", 100},
	[SIM_SETTING_KEY_PAIRS] = {"key_pairs", 100000},
	[SIM_SETTING_LAUNCH_TEMPLATES] = {"launch_templates", 100000},
	[SIM_SETTING_INSTANCES] = {"instances", 100000},
	[SIM_SETTING_AUTOSCALING_GROUPS] = {"autoscaling_groups", 100000},
};

int64_t sim_setting(const struct sim *sim, enum sim_setting setting)
{
	return sim->settings[setting];
}

void sim_settings_default(struct sim *sim)
{
	for (size_t i = 0; i < SIM_SETTING_COUNT; i++)
		sim->settings[i] = settings[i].value;
}

int64_t sim_pace(const struct sim *sim, int64_t ms)
{
	return ms * sim->settings[SIM_SETTING_PACE_PERCENT] / 100;
}

static void settings_changed(struct sim *sim, struct sim_object *object)
{
	for (size_t i = 0; i < SIM_SETTING_COUNT; i++)
		sim->settings[i] = node_integer(&object->body, settings[i].name, settings[i].value);
}

const struct sim_type sim_settings_type = {
	.number = SIM_SETTINGS,
	.name = "settings",
	.changed = settings_changed,
	.untagged = true,
	.worldwide = true,
};
