#ifndef TRUEUP_PROVIDERS_AWS_KINDS_LAUNCH_FIELDS_H
#define TRUEUP_PROVIDERS_AWS_KINDS_LAUNCH_FIELDS_H

#include "providers/aws/kind.h"

/*
 * What a launch template and an instance have in common. The rows take the rule for what is no
 * longer set: a template's version is written anew without it, an instance keeps what it has.
 */

/* Text is base64 within the member. */
struct value aws_encode_base64(const struct aws_field *field, const struct value *value, struct arena *arena);
struct value aws_decode_base64(const struct aws_field *field, const struct value *item, struct arena *arena);
/* true is an empty text within the member; false is no member. */
struct value aws_encode_presence(const struct aws_field *field, const struct value *value, struct arena *arena);
struct value aws_decode_presence(const struct aws_field *field, const struct value *item, struct arena *arena);
/* Times as texts, of which EC2 tells the milliseconds: 12:00:00Z is 12:00:00.000Z. */
bool aws_is_same_time(struct slice a, struct slice b);
/* EC2 takes 16 KiB (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html). */
enum { AWS_USER_DATA_BYTES = 16384 };

extern const char *const aws_enabled_disabled[];
extern const char *const aws_token_uses[];
extern const char *const aws_tenancies[];
extern const char *const aws_hostname_types[];
extern const char *const aws_capacity_preferences[];
extern const char *const aws_volume_types[];
extern const char *const aws_market_types[];
extern const char *const aws_spot_types[];
extern const char *const aws_interruptions[];
extern const char *const aws_shutdown_behaviors[];
extern const char *const aws_recoveries[];
extern const char *const aws_weightings[];
extern const char *const aws_credits[];
/* An item of the license configurations, by its ARN. */
extern const struct aws_field aws_license;

/* Or nothing, which is as if it were not set. */
#define AWS_PRICE_PATTERN "([0-9]+([.][0-9]*)?|[.][0-9]+)?"
#define AWS_PRICE_IN_WORDS "US dollars, as a number in quotes, such as 0.10"
#define AWS_TIME_PATTERN "([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z)?"

#define LAUNCH_FIELD(text, of_type, path, unset, description)                                                          \
	{                                                                                                              \
		.field = {.name = (text), .type = (of_type), .when_unset = (unset), .about = (description)},           \
		.member = (path)                                                                                       \
	}
#define LAUNCH_NUMBER(text, path, low, high, unset, description)                                                       \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_INTEGER,                                                                       \
			  .least = (low),                                                                              \
			  .most = (high),                                                                              \
			  .when_unset = (unset),                                                                       \
			  .about = (description)},                                                                     \
		.member = (path)                                                                                       \
	}
#define LAUNCH_CHOICE(text, path, list, unset, description)                                                            \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_STRING,                                                                        \
			  .choices = (list),                                                                           \
			  .when_unset = (unset),                                                                       \
			  .about = (description)},                                                                     \
		.member = (path)                                                                                       \
	}

#define METADATA_FIELDS(unset)                                                                                         \
	LAUNCH_CHOICE("tokens", "HttpTokens", aws_token_uses, unset, "whether a session token is required"),           \
		LAUNCH_CHOICE("endpoint", "HttpEndpoint", aws_enabled_disabled, unset, "whether it answers"),          \
		LAUNCH_NUMBER("hop_limit", "HttpPutResponseHopLimit", 1, 64, unset, "network hops of an answer"),      \
		LAUNCH_CHOICE("ipv6", "HttpProtocolIpv6", aws_enabled_disabled, unset, "whether it answers by IPv6"),  \
		LAUNCH_CHOICE("tags", "InstanceMetadataTags", aws_enabled_disabled, unset, "whether it tells tags")

#define PLACEMENT_FIELDS(unset)                                                                                        \
	LAUNCH_FIELD("affinity", FIELD_STRING, "Affinity", unset, "default or host: whether a restart stays there"),   \
		LAUNCH_FIELD("group", FIELD_STRING, "GroupName", unset, "placement group, by its name"),               \
		LAUNCH_FIELD("group_id", FIELD_STRING, "GroupId", unset, "placement group, by its id"),                \
		LAUNCH_FIELD("host", FIELD_STRING, "HostId", unset, "dedicated host, by its id"),                      \
		LAUNCH_FIELD("host_resource_group", FIELD_STRING, "HostResourceGroupArn", unset,                       \
			     "ARN of the group that the host is chosen from"),                                         \
		LAUNCH_NUMBER("partition", "PartitionNumber", 1, 7, unset, "partition of a partition group"),          \
		LAUNCH_CHOICE("tenancy", "Tenancy", aws_tenancies, unset, "hardware tenancy")

#define ZONE_FIELDS(unset)                                                                                             \
	{.field = {.name = "zone",                                                                                     \
		   .type = FIELD_STRING,                                                                               \
		   .flags = REGIONAL,                                                                                  \
		   .when_unset = (unset),                                                                              \
		   .about = "availability zone, by its name"},                                                         \
	 .member = "AvailabilityZone"},                                                                                \
		LAUNCH_FIELD("zone_id", FIELD_STRING, "AvailabilityZoneId", unset, "availability zone, by its id"),    \
		LAUNCH_FIELD("spread_domain", FIELD_STRING, "SpreadDomain", unset, "reserved by AWS")

#define CPU_FIELDS(unset)                                                                                              \
	LAUNCH_NUMBER("cores", "CoreCount", 1, 4096, unset, "cores"),                                                  \
		LAUNCH_NUMBER("threads_per_core", "ThreadsPerCore", 1, 2, unset, "1 turns hyper-threading off"),       \
		LAUNCH_CHOICE("nested_virtualization", "NestedVirtualization", aws_enabled_disabled, unset,            \
			      "whether it may run virtual machines itself")

#define CPU_SNP_FIELD(unset)                                                                                           \
	LAUNCH_CHOICE("amd_sev_snp", "AmdSevSnp", aws_enabled_disabled, unset, "memory encryption of AMD")

#define CAPACITY_FIELDS(unset)                                                                                         \
	LAUNCH_CHOICE("preference", "CapacityReservationPreference", aws_capacity_preferences, unset,                  \
		      "which reservations are used"),                                                                  \
		LAUNCH_FIELD("reservation", FIELD_STRING, "CapacityReservationTarget.CapacityReservationId", unset,    \
			     "the reservation to use, by its id"),                                                     \
		LAUNCH_FIELD("resource_group", FIELD_STRING,                                                           \
			     "CapacityReservationTarget.CapacityReservationResourceGroupArn", unset,                   \
			     "ARN of the group of reservations to use")

#define MARKET_FIELDS(unset)                                                                                           \
	LAUNCH_CHOICE("type", "MarketType", aws_market_types, unset, "how it is bought"),                              \
		{.field = {.name = "max_price",                                                                        \
			   .type = FIELD_STRING,                                                                       \
			   .pattern = AWS_PRICE_PATTERN,                                                               \
			   .in_words = AWS_PRICE_IN_WORDS,                                                             \
			   .when_unset = (unset),                                                                      \
			   .about = "spot: highest price an hour, US dollars, in quotes"},                             \
		 .member = "SpotOptions.MaxPrice"},                                                                    \
		LAUNCH_CHOICE("spot_type", "SpotOptions.SpotInstanceType", aws_spot_types, unset,                      \
			      "spot: whether the request lives on after an interruption"),                             \
		{.field = {.name = "valid_until",                                                                      \
			   .type = FIELD_STRING,                                                                       \
			   .pattern = AWS_TIME_PATTERN,                                                                \
			   .in_words = "a time in UTC, such as 2030-01-31T12:00:00Z",                                  \
			   .same = aws_is_same_time,                                                                   \
			   .when_unset = (unset),                                                                      \
			   .about = "spot: end of the request, 2030-01-31T12:00:00Z"},                                 \
		 .member = "SpotOptions.ValidUntil"},                                                                  \
		LAUNCH_CHOICE("interruption", "SpotOptions.InstanceInterruptionBehavior", aws_interruptions, unset,    \
			      "spot: what an interruption does")

#define PRIVATE_DNS_FIELDS(unset)                                                                                      \
	{.field = {.name = "hostname_type",                                                                            \
		   .type = FIELD_STRING,                                                                               \
		   .choices = aws_hostname_types,                                                                      \
		   .when_unset = (unset),                                                                              \
		   .about = "what host names are made of"},                                                            \
	 .member = "HostnameType",                                                                                     \
	 .change = "PrivateDnsHostnameType"},                                                                          \
		LAUNCH_FIELD("a_record", FIELD_BOOL, "EnableResourceNameDnsARecord", unset,                            \
			     "whether the resource name resolves to the IPv4 address"),                                \
		LAUNCH_FIELD("aaaa_record", FIELD_BOOL, "EnableResourceNameDnsAAAARecord", unset,                      \
			     "whether the resource name resolves to the IPv6 address")

/* end_flags: more flags of what can be said of a volume's end. */
#define BLOCK_DEVICE_FIELDS(unset, end_flags)                                                                          \
	{.field = {.name = "device",                                                                                   \
		   .type = FIELD_STRING,                                                                               \
		   .flags = REQUIRED | KEY,                                                                            \
		   .least = 1,                                                                                         \
		   .about = "name of the device, such as /dev/xvda"},                                                  \
	 .member = "DeviceName"},                                                                                      \
		{.field = {.name = "suppressed",                                                                       \
			   .type = FIELD_BOOL,                                                                         \
			   .when_unset = (unset),                                                                      \
			   .none = "false",                                                                            \
			   .about = "true: the image's device of that name is left out"},                              \
		 .member = "NoDevice",                                                                                 \
		 .encode = aws_encode_presence,                                                                        \
		 .decode = aws_decode_presence},                                                                       \
		LAUNCH_FIELD("virtual_name", FIELD_STRING, "VirtualName", unset, "instance store volume: ephemeral0"), \
		LAUNCH_NUMBER("size_gib", "Ebs.VolumeSize", 1, 65536, unset, "size of the volume"),                    \
		LAUNCH_CHOICE("type", "Ebs.VolumeType", aws_volume_types, unset, "type of the volume"),                \
		LAUNCH_NUMBER("iops", "Ebs.Iops", 100, 256000, unset, "operations a second"),                          \
		LAUNCH_NUMBER("throughput_mib_s", "Ebs.Throughput", 125, 2000, unset, "MiB a second"),                 \
		LAUNCH_FIELD("encrypted", FIELD_BOOL, "Ebs.Encrypted", unset, "whether the volume is encrypted"),      \
		LAUNCH_FIELD("kms_key", FIELD_STRING, "Ebs.KmsKeyId", unset, "key that encrypts it"),                  \
		LAUNCH_FIELD("snapshot", FIELD_STRING, "Ebs.SnapshotId", unset, "snapshot it begins as"),              \
		{.field = {.name = "delete_on_termination",                                                            \
			   .type = FIELD_BOOL,                                                                         \
			   .flags = (end_flags),                                                                       \
			   .when_unset = (unset),                                                                      \
			   .about = "whether the volume goes with the instance"},                                      \
		 .member = "Ebs.DeleteOnTermination"},                                                                 \
		LAUNCH_NUMBER("initialization_rate_mib_s", "Ebs.VolumeInitializationRate", 100, 300, unset,            \
			      "MiB a second at which the snapshot is loaded"),                                         \
		LAUNCH_NUMBER("ebs_card", "Ebs.EbsCardIndex", 0, 64, unset, "storage card it is attached to")

#endif
