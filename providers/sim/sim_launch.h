#ifndef TRUEUP_PROVIDERS_SIM_LAUNCH_H
#define TRUEUP_PROVIDERS_SIM_LAUNCH_H

#include "providers/sim/sim_call.h"

/*
 * Launching instances. Launch data is a tree as a launch template version's
 * launchTemplateData; a request to run instances is read into the same form.
 */

/* Where a group of instances comes from. */
struct sim_launch {
	const struct node *data;
	struct slice zone; /* or empty */
	struct slice reservation_id;
	struct slice token;			   /* the client's, or empty */
	const struct sim_object *template_version; /* or NULL */
};

/* The version that a specification {LaunchTemplateId | LaunchTemplateName, Version} names, in the spelling of
 * requests; a failed call and NULL where there is none. */
struct sim_object *sim_template_version(struct sim_call *call, const struct node *specification);
/* The template that LaunchTemplateId or LaunchTemplateName in a request's map names; a failed call and NULL without. */
struct sim_object *sim_template_need(struct sim_call *call, const struct node *request);
/* The version of a template by "$Latest", "$Default", a number, or empty for the default; NULL where there is none. */
struct sim_object *sim_template_find(const struct sim_object *launch_template, struct slice version);
/* Checks launch data as RunInstances does. */
bool sim_launch_check(struct sim_call *call, const struct node *data);
/* One pending instance; sim_launch_check() has passed. Fails the call where the subnet is full. */
struct sim_object *sim_launch_instance(struct sim_call *call, const struct sim_launch *launch, int64_t index);
/* Begins the end of an instance. */
void sim_instance_terminate(struct sim *sim, struct sim_object *instance, const char *reason_code, const char *reason);
/* The groups with these ids, or the VPC's default one, as what the instance is in. */
void sim_instance_groups(struct sim_object *instance, const struct node *ids);
bool sim_instance_type_valid(struct slice type);
/* "pending", "running", ... */
struct slice sim_instance_state(const struct sim_object *instance);
void sim_instance_set_state(struct node *body, const char *name);
/* Makes the images that every region has. */
void sim_images_make(struct sim *sim, struct sim_region *region);
/* The disks of a new instance, and their end. */
void sim_volumes_make(struct sim_call *call, struct sim_object *instance, const struct sim_object *image,
		      const struct node *data);
void sim_volumes_end(struct sim *sim, struct sim_object *instance);
/* The credit option of a type where none is said; empty: it has no CPU credits. */
struct slice sim_usual_credits(struct slice type);
/* "{arn, id}" for a profile given by name or ARN. */
void sim_instance_profile(struct sim_call *call, const struct node *profile, struct node *ret);

/* Members of launch data; see struct sim_action. */
#define SIM_LAUNCH_DATA                                                                                                \
	"KernelId EbsOptimized:b IamInstanceProfile{Arn Name} "                                                        \
	"BlockDeviceMapping=blockDeviceMappingSet[]{DeviceName VirtualName Ebs{Encrypted:b "                           \
	"DeleteOnTermination:b Iops:i KmsKeyId SnapshotId VolumeSize:i VolumeType Throughput:i "                       \
	"VolumeInitializationRate:i EbsCardIndex:i AvailabilityZone AvailabilityZoneId OutpostArn} NoDevice} "         \
	"NetworkInterface=networkInterfaceSet[]{AssociateCarrierIpAddress:b AssociatePublicIpAddress:b "               \
	"DeleteOnTermination:b Description DeviceIndex:i SecurityGroupId=groupSet[] InterfaceType "                    \
	"Ipv6AddressCount:i Ipv6Addresses=ipv6AddressesSet[]{Ipv6Address IsPrimaryIpv6:b} NetworkInterfaceId "         \
	"PrivateIpAddress PrivateIpAddresses=privateIpAddressesSet[]{Primary:b PrivateIpAddress} "                     \
	"SecondaryPrivateIpAddressCount:i SubnetId NetworkCardIndex:i Ipv4Prefix=ipv4PrefixSet[]{Ipv4Prefix} "         \
	"Ipv4PrefixCount:i Ipv6Prefix=ipv6PrefixSet[]{Ipv6Prefix} Ipv6PrefixCount:i PrimaryIpv6:b "                    \
	"EnaSrdSpecification{EnaSrdEnabled:b EnaSrdUdpSpecification{EnaSrdUdpEnabled:b}} "                             \
	"ConnectionTrackingSpecification{TcpEstablishedTimeout:i UdpStreamTimeout:i UdpTimeout:i} "                    \
	"EnaQueueCount:i} ImageId InstanceType KeyName Monitoring{Enabled:b "                                          \
	"MetricCategoryId=metricCategoryIdSet[]} Placement{AvailabilityZone AvailabilityZoneId Affinity "              \
	"GroupName HostId Tenancy SpreadDomain HostResourceGroupArn PartitionNumber:i GroupId} RamDiskId "             \
	"DisableApiTermination:b InstanceInitiatedShutdownBehavior UserData "                                          \
	"TagSpecification=tagSpecificationSet[]{ResourceType Tag=tagSet[]{Key Value}} "                                \
	"ElasticGpuSpecification=elasticGpuSpecificationSet[]{Type!} "                                                 \
	"ElasticInferenceAccelerator=elasticInferenceAcceleratorSet[]{Type! Count:i} "                                 \
	"SecurityGroupId=securityGroupIdSet[] SecurityGroup=securityGroupSet[] "                                       \
	"InstanceMarketOptions{MarketType SpotOptions{MaxPrice SpotInstanceType BlockDurationMinutes:i "               \
	"ValidUntil:t InstanceInterruptionBehavior}} CreditSpecification{CpuCredits!} CpuOptions{CoreCount:i "         \
	"ThreadsPerCore:i AmdSevSnp NestedVirtualization} "                                                            \
	"CapacityReservationSpecification{CapacityReservationPreference "                                              \
	"CapacityReservationTarget{CapacityReservationId CapacityReservationResourceGroupArn}} "                       \
	"LicenseSpecification=licenseSet[]{LicenseConfigurationArn} HibernationOptions{Configured:b} "                 \
	"MetadataOptions{HttpTokens HttpPutResponseHopLimit:i HttpEndpoint HttpProtocolIpv6 "                          \
	"InstanceMetadataTags} EnclaveOptions{Enabled:b} PrivateDnsNameOptions{HostnameType "                          \
	"EnableResourceNameDnsARecord:b EnableResourceNameDnsAAAARecord:b} MaintenanceOptions{AutoRecovery} "          \
	"DisableApiStop:b Operator{Principal} NetworkPerformanceOptions{BandwidthWeighting} "                          \
	"SecondaryInterface=secondaryInterfaceSet[]{DeleteOnTermination:b DeviceIndex:i "                              \
	"PrivateIpAddress=privateIpAddressesSet[]{PrivateIpAddress} PrivateIpAddressCount:i "                          \
	"SecondarySubnetId InterfaceType NetworkCardIndex:i} "
#define SIM_LAUNCH_REQUIREMENTS                                                                                        \
	"InstanceRequirements{VCpuCount!{Min:i! Max:i} MemoryMiB!{Min:i! Max:i} "                                      \
	"CpuManufacturer=cpuManufacturerSet[] MemoryGiBPerVCpu{Min:d Max:d} "                                          \
	"ExcludedInstanceType=excludedInstanceTypeSet[] InstanceGeneration=instanceGenerationSet[] "                   \
	"SpotMaxPricePercentageOverLowestPrice:i OnDemandMaxPricePercentageOverLowestPrice:i BareMetal "               \
	"BurstablePerformance RequireHibernateSupport:b NetworkInterfaceCount{Min:i Max:i} LocalStorage "              \
	"LocalStorageType=localStorageTypeSet[] TotalLocalStorageGB{Min:d Max:d} "                                     \
	"BaselineEbsBandwidthMbps{Min:i Max:i} AcceleratorType=acceleratorTypeSet[] AcceleratorCount{Min:i "           \
	"Max:i} AcceleratorManufacturer=acceleratorManufacturerSet[] AcceleratorName=acceleratorNameSet[] "            \
	"AcceleratorTotalMemoryMiB{Min:i Max:i} NetworkBandwidthGbps{Min:d Max:d} "                                    \
	"AllowedInstanceType=allowedInstanceTypeSet[] MaxSpotPriceAsPercentageOfOptimalOnDemandPrice:i "               \
	"BaselinePerformanceFactors{Cpu{Reference=referenceSet[]{InstanceFamily}}} "                                   \
	"RequireEncryptionInTransit:b} "

/* Whether groups with these ids, or none, can be those of something in subnet; a failed call otherwise. */
bool sim_groups_check(struct sim_call *call, const struct node *ids, const struct sim_object *subnet);

/* The interface that data describes for slot 0 of card 0, or its first one, or NULL. */
const struct node *sim_interface_first(const struct node *data);
/* The private address that data asks for, or empty. */
struct slice sim_interface_wanted(const struct node *data);
/* That address of the subnet, or where it is empty the next free one; none in a subnet of IPv6 alone. The call fails
 * where it cannot be had. */
bool sim_interface_address(struct sim_call *call, struct sim_object *subnet, struct slice wanted, struct slice *ret);
/* Whether an interface in the subnet has an address or a prefix within the range, or one around it. */
bool sim_range_taken(const struct sim_object *subnet, const struct cidr *range);
/* Whether one has a prefix around the address. */
bool sim_prefix_around(const struct sim_object *subnet, const struct cidr *address);
/* A prefix that nobody has, from the end of the range, before the one with that number, which becomes its own;
 * UINT64_MAX: any. False where there is none. */
bool sim_prefix_choose(struct sim_call *call, const struct sim_object *subnet, uint8_t family, uint64_t *below,
		       struct slice *ret);
/* Those of an interface that is described so can be had; and it is given them. */
void sim_prefixes_check(struct sim_call *call, const struct node *interface, const struct sim_object *subnet);
void sim_prefixes_give(struct sim_call *call, const struct node *given, const struct sim_object *subnet,
		       struct node *item);
/* What data says of interfaces, the first of which is in subnet. */
bool sim_interfaces_check(struct sim_call *call, const struct node *data, const struct sim_object *subnet);
/* Gives an instance that has its own addresses and groups its interfaces. */
void sim_interfaces_make(struct sim_call *call, struct sim_object *instance, struct sim_object *subnet,
			 const struct node *data);
/* Takes them away. */
void sim_interfaces_end(struct sim *sim, struct sim_object *instance);
/* As sim_instance_groups(), of one interface. */
void sim_interface_groups(struct sim_object *instance, const struct node *ids, struct node *interface);

/* Whether AWS is to give an instance a public address: while it runs it has one then. */
void sim_public_address_set(struct sim *sim, struct sim_object *instance, bool wanted);
/* At its stop, */
void sim_public_address_release(struct sim *sim, struct sim_object *instance);
/* and at its start. */
void sim_public_address_renew(struct sim *sim, struct sim_object *instance);

/* The IPv6 addresses that data (or NULL), or this interface of it (or NULL), asks for: the call fails where subnet
 * cannot have them. */
bool sim_addresses6_check(struct sim_call *call, const struct node *data, const struct node *interface,
			  const struct sim_object *subnet);
/* Gives them to an interface in an instance's tree. */
void sim_addresses6_give(struct sim_call *call, const struct node *data, const struct node *interface,
			 const struct sim_object *subnet, struct node *item);
/* The subnet's IPv6 range; false without one. */
bool sim_subnet_range6(const struct sim_object *subnet, struct cidr *ret);
/* That of a family, 4 or 6. */
bool sim_subnet_range(const struct sim_object *subnet, uint8_t family, struct cidr *ret);
/* An address of the range, in the call's arena. */
struct slice sim_address6_any(struct sim_call *call, struct cidr range);

#endif
