#ifndef TRUEUP_PROVIDERS_SIM_SETTING_H
#define TRUEUP_PROVIDERS_SIM_SETTING_H

#include <stdint.h>

struct sim;

/* What can be set on the thing "settings" of type "settings": whole numbers. */
enum sim_setting {
	SIM_SETTING_ACCOUNT,	       /* the account that every access key belongs to */
	SIM_SETTING_LAG_MS,	       /* most that a listing lags behind a write; 0: never */
	SIM_SETTING_LAG_CALLS,	       /* 1: calls that name what listings do not show yet fail too */
	SIM_SETTING_LATENCY_MS,	       /* least time that an answer takes */
	SIM_SETTING_LATENCY_SPREAD_MS, /* and so much more at most */
	SIM_SETTING_PACE_PERCENT,      /* how long things take to become ready: 100 as at AWS, 0 at once */
	SIM_SETTING_SIGNATURES,	       /* 0: any signature is taken */
	SIM_SETTING_SIGNATURE_AGE,     /* 0: a right signature is taken however old */
	SIM_SETTING_VPCS,	       /* quotas of a region from here on */
	SIM_SETTING_SUBNETS_PER_VPC,
	SIM_SETTING_INTERNET_GATEWAYS,
	SIM_SETTING_ROUTE_TABLES_PER_VPC,
	SIM_SETTING_ROUTES_PER_TABLE,
	SIM_SETTING_SECURITY_GROUPS,
	SIM_SETTING_RULES_PER_GROUP,
	SIM_SETTING_VPN_GATEWAYS,
	SIM_SETTING_CUSTOMER_GATEWAYS,
	SIM_SETTING_VPN_CONNECTIONS,
	SIM_SETTING_CONNECTIONS_PER_VPN_GATEWAY,
	SIM_SETTING_KEY_PAIRS,
	SIM_SETTING_LAUNCH_TEMPLATES,
	SIM_SETTING_INSTANCES,
	SIM_SETTING_AUTOSCALING_GROUPS,
	SIM_SETTING_COUNT,
};

int64_t sim_setting(const struct sim *sim, enum sim_setting setting);
void sim_settings_default(struct sim *sim);
/* ms of real life, at the pace that is set. */
int64_t sim_pace(const struct sim *sim, int64_t ms);

#endif
