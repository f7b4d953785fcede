#include "providers/aws/kinds/instance_devices.h"

#include "providers/aws/kinds/launch_fields.h"

/*
 * Volumes have a life of their own: they grow, and more come. They are told at launch alone, but for whether one goes
 * with the instance, which is a property of its attachment.
 */

static const struct aws_field device_fields[] = {BLOCK_DEVICE_FIELDS(UNSET_RELEASE, SEEN)};
const struct aws_field aws_instance_device = {
	.field = {.name = "device", .type = FIELD_OBJECT, .members = FIELDS(device_fields)},
};

static const char *const device_unsettled[] = {"InvalidInstanceID.NotFound", "IncorrectInstanceState", NULL};
static const char *const unmapped[] = {
	"InvalidInstanceAttributeValue",
	"no volume is attached there any more: leave 'delete_on_termination' of that device as it was, or attach one",
	NULL};
/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyInstanceAttribute.html */
const struct aws_each aws_instance_devices = {
	.change = {.operation = "ModifyInstanceAttribute",
		   .id = "InstanceId",
		   .recipe = RECIPE_CONVERGE,
		   .settling = device_unsettled,
		   .hints = unmapped},
	.item = "BlockDeviceMappings.0",
	.name = "BlockDeviceMappings.0.DeviceName",
};

const char aws_device_brought_back[] = "attach a volume there again, or take the device out of the spec";

struct value aws_decode_devices(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *list = value_get_named(item, field->member);
	VALUE_BUILDER_AUTO devices;
	value_builder_init(&devices);
	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++) {
		const struct value *name = value_get_named(&list->items[i], "DeviceName");
		const struct value *ends = value_path(&list->items[i], "Ebs.DeleteOnTermination");
		VALUE_BUILDER_AUTO device;
		value_builder_init(&device);
		if (!name || !ends)
			continue;
		value_builder_member(&device, SLICE("device"), *name);
		value_builder_member(&device, SLICE("delete_on_termination"), *ends);
		value_builder_item(&devices, value_builder_map(&device, arena));
	}
	struct value all = value_builder_list(&devices, arena);
	return all.count > 0 ? all : value_null();
}
