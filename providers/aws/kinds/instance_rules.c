#include "providers/aws/kinds/instance_rules.h"

#include "providers/aws/kinds/instance_network.h"

/* "You can't enable Amazon Web Services Nitro Enclaves and hibernation on the same instance."
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html) */
static bool check_enclave(const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *enclave = value_get_named(desired, "enclave");
	const struct value *hibernation = value_get_named(desired, "hibernation");

	if (!value_is_true(enclave) || !value_is_true(hibernation))
		return true;
	diag_error(diagnostics, FAULT_USER, enclave->position,
		   "an instance that can hibernate holds no Nitro enclaves: not both 'hibernation' and 'enclave'");
	diag_related(diagnostics, hibernation->position, "the other one is here");
	diag_hint(diagnostics, "set one of them to false");
	return false;
}

/* "You can't enable termination protection for Spot Instances."
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyInstanceAttribute.html) */
static bool check_spot(const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *protection = value_get_named(desired, "termination_protection");
	const struct value *market = value_get_named(desired, "market");
	const struct value *type = value_is(market, VALUE_MAP) ? value_get_named(market, "type") : NULL;

	if (!value_is_true(protection) || !value_is(type, VALUE_STRING) || !slice_is(value_slice(type), "spot"))
		return true;
	diag_error(diagnostics, FAULT_USER, protection->position,
		   "a spot instance cannot have 'termination_protection'");
	diag_related(diagnostics, type->position, "it is said here to be one");
	diag_hint(diagnostics, "leave it out: 'lifecycle: {protect: true}' keeps trueup from deleting it");
	return false;
}

bool aws_instance_check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	bool good = aws_instance_network_check(kind, desired, diagnostics);

	good = check_enclave(desired, diagnostics) && good;
	return check_spot(desired, diagnostics) && good;
}
