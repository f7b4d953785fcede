#include "providers/aws/kinds/instance_profile.h"

/* A profile is held by an association with an id of its own. */
static const char *const of_instance[] = {
	"Filters.0.Name", "instance-id",	"Filters.1.Name", "state", "Filters.1.Values.0",
	"associating",	  "Filters.1.Values.1", "associated",	  NULL};
static const struct aws_lookup association = {
	.operation = "DescribeIamInstanceProfileAssociations",
	.id = "Filters.0.Values.0",
	.fixed = of_instance,
	.result = "IamInstanceProfileAssociations.0.AssociationId",
	.member = "AssociationId",
};
/* A profile that was just made is not known to EC2 for some seconds. */
static const char *const profile_young[] = {"InvalidParameterValue.IamInstanceProfile", "InvalidParameterValue",
					    "InvalidInstanceID.NotFound", "IncorrectInstanceState", NULL};
const struct aws_call aws_profile_associate = {
	.operation = "AssociateIamInstanceProfile",
	.id = "InstanceId",
	.recipe = RECIPE_NATURAL,
	.settling = profile_young,
};
const struct aws_call aws_profile_replace = {
	.operation = "ReplaceIamInstanceProfileAssociation",
	.recipe = RECIPE_CONVERGE,
	.settling = profile_young,
	.lookup = &association,
};
static const char *const association_gone[] = {"InvalidAssociationID.NotFound", NULL};
const struct aws_call aws_profile_disassociate = {
	.operation = "DisassociateIamInstanceProfile",
	.recipe = RECIPE_CONVERGE,
	.absent = association_gone,
	.lookup = &association,
};

/* The answer has the ARN, which ends in the name. */
struct value aws_decode_profile(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	struct slice rest = value_slice(value_path(item, field->read));
	struct slice name = rest;
	(void)arena;
	while (rest.data && rest.size > 0)
		name = slice_cut(&rest, '/');
	return name.size > 0 ? value_string(name) : value_null();
}
