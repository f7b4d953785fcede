#include "providers/sim/sim_call.h"

/* Every type of thing and every family of actions, once. */

extern const struct sim_type sim_settings_type, sim_fault_type, sim_access_key_type, sim_machine_type;
extern const struct sim_type sim_vpc_type, sim_subnet_type, sim_internet_gateway_type, sim_route_table_type;
extern const struct sim_type sim_security_group_type, sim_security_group_rule_type;
extern const struct sim_type sim_vpn_gateway_type, sim_customer_gateway_type, sim_vpn_connection_type;
extern const struct sim_type sim_key_pair_type, sim_launch_template_type, sim_launch_template_version_type;
extern const struct sim_type sim_instance_type, sim_autoscaling_group_type, sim_lifecycle_hook_type;
extern const struct sim_type sim_image_type, sim_volume_type, sim_token_type;

const struct sim_type *const sim_types[SIM_TYPE_COUNT] = {
	[SIM_SETTINGS] = &sim_settings_type,
	[SIM_FAULT] = &sim_fault_type,
	[SIM_ACCESS_KEY] = &sim_access_key_type,
	[SIM_MACHINE] = &sim_machine_type,
	[SIM_VPC] = &sim_vpc_type,
	[SIM_SUBNET] = &sim_subnet_type,
	[SIM_INTERNET_GATEWAY] = &sim_internet_gateway_type,
	[SIM_ROUTE_TABLE] = &sim_route_table_type,
	[SIM_SECURITY_GROUP] = &sim_security_group_type,
	[SIM_SECURITY_GROUP_RULE] = &sim_security_group_rule_type,
	[SIM_VPN_GATEWAY] = &sim_vpn_gateway_type,
	[SIM_CUSTOMER_GATEWAY] = &sim_customer_gateway_type,
	[SIM_VPN_CONNECTION] = &sim_vpn_connection_type,
	[SIM_KEY_PAIR] = &sim_key_pair_type,
	[SIM_LAUNCH_TEMPLATE] = &sim_launch_template_type,
	[SIM_LAUNCH_TEMPLATE_VERSION] = &sim_launch_template_version_type,
	[SIM_INSTANCE] = &sim_instance_type,
	[SIM_AUTOSCALING_GROUP] = &sim_autoscaling_group_type,
	[SIM_LIFECYCLE_HOOK] = &sim_lifecycle_hook_type,
	[SIM_VOLUME] = &sim_volume_type,
	[SIM_IMAGE] = &sim_image_type,
	[SIM_TOKEN] = &sim_token_type,
};

extern const struct sim_family sim_tag_family, sim_account_family, sim_identity_family, sim_vpc_family,
	sim_subnet_family, sim_internet_gateway_family, sim_route_table_family, sim_route_family,
	sim_security_group_family, sim_security_rule_family, sim_vpn_gateway_family, sim_vpn_connection_family,
	sim_key_pair_family, sim_launch_template_family, sim_launch_version_family, sim_image_family,
	sim_instance_family, sim_instance_state_family, sim_instance_attribute_family, sim_instance_profile_family,
	sim_interface_family, sim_interface_address_family, sim_autoscaling_family, sim_autoscaling_part_family,
	sim_autoscaling_listing_family;

const struct sim_family *const sim_families[] = {
	&sim_tag_family,
	&sim_account_family,
	&sim_identity_family,
	&sim_vpc_family,
	&sim_subnet_family,
	&sim_internet_gateway_family,
	&sim_route_table_family,
	&sim_route_family,
	&sim_security_group_family,
	&sim_security_rule_family,
	&sim_vpn_gateway_family,
	&sim_vpn_connection_family,
	&sim_key_pair_family,
	&sim_launch_template_family,
	&sim_launch_version_family,
	&sim_image_family,
	&sim_instance_family,
	&sim_instance_state_family,
	&sim_instance_attribute_family,
	&sim_instance_profile_family,
	&sim_interface_family,
	&sim_interface_address_family,
	&sim_autoscaling_family,
	&sim_autoscaling_part_family,
	&sim_autoscaling_listing_family,
	NULL,
};
