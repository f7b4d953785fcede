#include <stdio.h>

#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"

/* Images, the same few in every region, and the disks that instances have of them. */

static const struct {
	const char *id, *name, *architecture, *root, *size;
} images[] = {
	{"ami-0123456789abcdef0", "debian-12-amd64", "x86_64", "/dev/xvda", "8"},
	{"ami-0fedcba9876543210", "debian-12-arm64", "arm64", "/dev/xvda", "8"},
	{"ami-0a1b2c3d4e5f60718", "accelerated-computing-amd64", "x86_64", "/dev/sda1", "100"},
};

const struct sim_type sim_image_type = {
	.number = SIM_IMAGE,
	.name = "image",
	.prefix = "ami",
	.id_name = "imageId",
	.absent_code = "InvalidAMIID.NotFound",
	.absent_message = "The image id '[%s]' does not exist",
	.malformed_code = "InvalidAMIID.Malformed",
	.hidden = true,
};

static const char *const volume_references[] = {"attachmentSet.instanceId", NULL};

const struct sim_type sim_volume_type = {
	.number = SIM_VOLUME,
	.name = "volume",
	.prefix = "vol",
	.id_name = "volumeId",
	.references = volume_references,
	.absent_code = "InvalidVolume.NotFound",
	.absent_message = "The volume '%s' does not exist.",
	.malformed_code = "InvalidVolumeID.Malformed",
};

static void make_image(struct sim *sim, struct sim_region *region, size_t which)
{
	struct sim_object *image = sim_create(sim, region, SIM_IMAGE, slice_of(images[which].id));
	struct node *body = &image->body, *disk, *ebs;

	node_format(body, "imageLocation", "amazon/%s", images[which].name);
	node_set(body, "imageState", "available");
	node_set(body, "imageOwnerId", "136693071363");
	node_set(body, "creationDate", "2026-01-15T00:00:00.000Z");
	node_set(body, "isPublic", "true");
	node_set(body, "architecture", images[which].architecture);
	node_set(body, "imageType", "machine");
	node_set(body, "name", images[which].name);
	node_set(body, "rootDeviceType", "ebs");
	node_set(body, "rootDeviceName", images[which].root);
	node_set(body, "virtualizationType", "hvm");
	node_set(body, "hypervisor", "xen");
	node_set(body, "enaSupport", "true");
	disk = node_append(node_list(body, "blockDeviceMapping"), NODE_MAP);
	node_set(disk, "deviceName", images[which].root);
	ebs = node_map(disk, "ebs");
	node_format(ebs, "snapshotId", "snap-%s", images[which].id + 4);
	node_set(ebs, "volumeSize", images[which].size);
	node_set(ebs, "volumeType", "gp3");
	node_set(ebs, "deleteOnTermination", "true");
	node_set(ebs, "encrypted", "false");
	node_list(body, "tagSet");
}

void sim_images_make(struct sim *sim, struct sim_region *region)
{
	bool immediate = sim->immediate;

	sim->immediate = true;
	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++)
		if (!sim_find(region, SIM_IMAGE, slice_of(images[i].id)))
			make_image(sim, region, i);
	sim->immediate = immediate;
}

static void copy_texts(struct node *to, const struct node *from, const char *const *names)
{
	for (; *names; names++)
		if (node_get(from, *names))
			node_put(to, *names, node_text(from, *names));
}

static void make_volume(struct sim_call *call, struct sim_object *instance, struct slice device, const struct node *ebs)
{
	static const char *const copied[] = {
		"volumeType", "iops", "throughput", "kmsKeyId", "snapshotId", "volumeInitializationRate", NULL};
	static const char *const attached[] = {"ebsCardIndex", NULL};
	struct sim_object *volume = sim_create(call->sim, call->region, SIM_VOLUME, (struct slice){NULL, 0});
	struct node *body = &volume->body, *shown, *held;
	bool ends = !node_is(ebs, "deleteOnTermination", "false");
	char now[32];

	sim_time_text(call->sim->now_ms, now);
	node_put(body, "size", node_get(ebs, "volumeSize") ? node_text(ebs, "volumeSize") : SLICE("8"));
	node_set(body, "volumeType", "gp2");
	copy_texts(body, ebs, copied);
	if (node_is(body, "volumeType", "gp3") && !node_get(body, "iops"))
		node_set(body, "iops", "3000");
	if (node_is(body, "volumeType", "gp3") && !node_get(body, "throughput"))
		node_set(body, "throughput", "125");
	node_put(body, "availabilityZone", node_text(node_get(&instance->body, "placement"), "availabilityZone"));
	node_set(body, "status", "in-use");
	node_set(body, "createTime", now);
	node_set(body, "encrypted", node_is(ebs, "encrypted", "true") ? "true" : "false");
	node_set(body, "multiAttachEnabled", "false");
	held = node_append(node_list(body, "attachmentSet"), NODE_MAP);
	node_put(held, "volumeId", volume->id);
	node_put(held, "instanceId", instance->id);
	node_put(held, "device", device);
	node_set(held, "status", "attached");
	node_set(held, "attachTime", now);
	node_set(held, "deleteOnTermination", ends ? "true" : "false");
	copy_texts(held, ebs, attached);
	node_list(body, "tagSet");
	held = node_append(node_list(&instance->body, "blockDeviceMapping"), NODE_MAP);
	node_put(held, "deviceName", device);
	shown = node_map(held, "ebs");
	node_put(shown, "volumeId", volume->id);
	node_set(shown, "status", "attached");
	node_set(shown, "attachTime", now);
	node_set(shown, "deleteOnTermination", ends ? "true" : "false");
	copy_texts(shown, ebs, attached);
}

/* What the launch data says of a device goes over what the image says of it. */
void sim_volumes_make(struct sim_call *call, struct sim_object *instance, const struct sim_object *image,
		      const struct node *data)
{
	struct node merged = {.type = NODE_LIST};
	const struct node *wanted = node_get(data, "blockDeviceMappingSet");

	node_list(&instance->body, "blockDeviceMapping");
	node_copy(&merged, node_get(&image->body, "blockDeviceMapping"));
	for (uint32_t i = 0; wanted && i < wanted->count; i++) {
		struct slice device = node_text(&wanted->items[i], "deviceName");
		struct node *disk = node_item(&merged, "deviceName", device);

		if (!disk) {
			disk = node_append(&merged, NODE_MAP);
			node_put(disk, "deviceName", device);
		}
		if (node_get(&wanted->items[i], "noDevice"))
			node_set(disk, "noDevice", "");
		const struct node *ebs = node_get(&wanted->items[i], "ebs");
		for (uint32_t at = 0; ebs && at < ebs->count; at++)
			node_put_copy(node_map(disk, "ebs"), ebs->items[at].name, &ebs->items[at]);
	}
	for (uint32_t i = 0; i < merged.count; i++)
		if (!node_get(&merged.items[i], "noDevice") && node_get(&merged.items[i], "ebs"))
			make_volume(call, instance, node_text(&merged.items[i], "deviceName"),
				    node_get(&merged.items[i], "ebs"));
	node_release(&merged);
}

void sim_volumes_end(struct sim *sim, struct sim_object *instance)
{
	struct sim_object *volume;
	size_t cursor = 0;

	while ((volume = sim_referrer(instance, SIM_VOLUME, &cursor)) != NULL) {
		const struct node *held = node_get(&volume->body, "attachmentSet");

		if (held && held->count > 0 && node_is(&held->items[0], "deleteOnTermination", "true")) {
			sim_delete(sim, volume);
			cursor = 0;
			continue;
		}
		struct node *body = sim_edit(sim, volume);
		node_reset(node_list(body, "attachmentSet"), NODE_LIST);
		node_set(body, "status", "available");
	}
}

static bool owner_asked(struct sim_call *call, const struct sim_object *image, const struct node *body)
{
	const struct node *owners = node_get(&call->request, "Owner");

	(void)image;
	for (uint32_t i = 0; owners && i < owners->count; i++) {
		struct slice owner = node_slice(&owners->items[i]);

		if (slice_equal(owner, node_text(body, "imageOwnerId")) || slice_is(owner, "amazon"))
			return true;
	}
	return !owners || owners->count == 0;
}

static const struct sim_filter image_filters[] = {
	{"image-id", "imageId", NULL},
	{"name", "name", NULL},
	{"architecture", "architecture", NULL},
	{"owner-id", "imageOwnerId", NULL},
	{"state", "imageState", NULL},
	{"image-type", "imageType", NULL},
	{"is-public", "isPublic", NULL},
	{"root-device-type", "rootDeviceType", NULL},
	{"root-device-name", "rootDeviceName", NULL},
	{"virtualization-type", "virtualizationType", NULL},
};

static const struct sim_listing image_listing = {
	.type = SIM_IMAGE,
	.set = "imagesSet",
	.ids = "ImageId",
	.filters = image_filters,
	.filter_count = sizeof(image_filters) / sizeof(image_filters[0]),
	.page_least = 1,
	.page_most = 1000,
	.keep = owner_asked,
};

static const struct sim_filter volume_filters[] = {
	{"volume-id", "volumeId", NULL},
	{"attachment.instance-id", "attachmentSet.instanceId", NULL},
	{"attachment.device", "attachmentSet.device", NULL},
	{"attachment.status", "attachmentSet.status", NULL},
	{"attachment.delete-on-termination", "attachmentSet.deleteOnTermination", NULL},
	{"availability-zone", "availabilityZone", NULL},
	{"encrypted", "encrypted", NULL},
	{"size", "size", NULL},
	{"snapshot-id", "snapshotId", NULL},
	{"status", "status", NULL},
	{"volume-type", "volumeType", NULL},
};

static const struct sim_listing volume_listing = {
	.type = SIM_VOLUME,
	.set = "volumeSet",
	.ids = "VolumeId",
	.filters = volume_filters,
	.filter_count = sizeof(volume_filters) / sizeof(volume_filters[0]),
	.page_least = 5,
	.page_most = 1000,
};

static const struct sim_action actions[] = {
	{"DescribeImages", sim_describe,
	 "Filter[]{Name Value[]} ImageId[] Owner[] ExecutableBy[] IncludeDeprecated:b IncludeDisabled:b NextToken "
	 "MaxResults:i",
	 &image_listing},
	{"DescribeVolumes", sim_describe,
	 "Filter[]{Name Value[]} VolumeId[] NextToken MaxResults:i IncludeManagedResources:b", &volume_listing},
};

const struct sim_family sim_image_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
