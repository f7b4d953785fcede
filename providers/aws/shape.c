#include "providers/aws/shape.h"

#include <stdlib.h>

#include "providers/aws/shapes/shapes.h"

const struct aws_service_shape *const aws_services[] = {
	&aws_autoscaling_service,
	&aws_ec2_service,
	&aws_sts_service,
};
const size_t aws_service_count = sizeof(aws_services) / sizeof(aws_services[0]);

static int compare_service(const void *key, const void *entry)
{
	const struct slice *name = key;
	const struct aws_service_shape *const *service = entry;

	return slice_compare(*name, (*service)->name);
}

static int compare_operation(const void *key, const void *entry)
{
	const struct slice *name = key;
	const struct aws_operation_shape *operation = entry;

	return slice_compare(*name, operation->name);
}

static int compare_member(const void *key, const void *entry)
{
	const struct slice *name = key;
	const struct aws_member *member = entry;

	return slice_compare(*name, member->name);
}

static int compare_value(const void *key, const void *entry)
{
	const struct slice *value = key;
	const struct slice *other = entry;

	return slice_compare(*value, *other);
}

const struct aws_service_shape *aws_service(struct slice name)
{
	const struct aws_service_shape *const *found =
		bsearch(&name, aws_services, aws_service_count, sizeof(aws_services[0]), compare_service);

	return found ? *found : NULL;
}

const struct aws_operation_shape *aws_operation(const struct aws_service_shape *service, struct slice name)
{
	return bsearch(&name, service->operations, service->operation_count, sizeof(service->operations[0]),
		       compare_operation);
}

const struct aws_member *aws_member(const struct aws_shape *structure, struct slice name)
{
	if (!structure || structure->member_count == 0)
		return NULL;
	return bsearch(&name, structure->members, structure->member_count, sizeof(structure->members[0]),
		       compare_member);
}

const struct aws_member *aws_response_member(const struct aws_shape *structure, struct slice response_name)
{
	size_t low = 0;
	size_t high = structure ? structure->member_count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct aws_member *member = &structure->members[structure->by_response[middle]];
		int order = slice_compare(response_name, member->response_name);

		if (order == 0)
			return member;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static bool is_number(struct slice part)
{
	return part.size > 0 && part.data[0] >= '0' && part.data[0] <= '9';
}

const struct aws_shape *aws_shape_at(const struct aws_shape *shape, const char *path)
{
	struct slice rest = slice_of(path);

	while (shape && rest.data) {
		struct slice part = slice_cut(&rest, '.');
		const struct aws_member *member;

		if (shape->type == AWS_LIST)
			shape = shape->item;
		if (is_number(part))
			continue;
		member = aws_member(shape, part);
		shape = member ? member->shape : NULL;
	}
	return shape;
}

bool aws_shape_has_value(const struct aws_shape *shape, struct slice value)
{
	return shape->value_count > 0 &&
	       bsearch(&value, shape->values, shape->value_count, sizeof(shape->values[0]), compare_value);
}
