#include "providers/aws/kinds/instance_rules.h"

#include "providers/aws/kinds/field_rules.h"
#include "providers/aws/kinds/instance_network.h"
#include "providers/aws/kinds/launch_rules.h"

static const char *const spot[] = {"spot", NULL};
static const char *const persistent[] = {"persistent", NULL};
static const char *const one_time[] = {"one-time", NULL};
static const char *const terminate[] = {"terminate", NULL};
static const char *const no_hibernation[] = {"stop", "terminate", NULL};
static const char *const off[] = {"false", NULL};

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html */
static const struct field_rule rules[] = {
	/* "You can't enable Amazon Web Services Nitro Enclaves and hibernation on the same instance." */
	{{{"enclave", aws_true, false}, {"hibernation", aws_true, false}},
	 "an instance that can hibernate holds no Nitro enclaves: not both 'hibernation' and 'enclave'",
	 "set one of them to false"},
	/* "You can't enable termination protection for Spot Instances."
	 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyInstanceAttribute.html) */
	{{{"termination_protection", aws_true, false}, {"market.type", spot, false}},
	 "a spot instance cannot have 'termination_protection'",
	 "leave it out: 'lifecycle: {protect: true}' keeps trueup from deleting it"},
	/* "For RunInstances, persistent Spot Instance requests are only supported when the instance interruption
	 * behavior is either hibernate or stop." Where nothing is said of that, it hibernates where it can, and else is
	 * terminated (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_SpotMarketOptions.html). */
	{{{"market.spot_type", persistent, false}, {"market.interruption", terminate, false}},
	 "an interruption cannot terminate the instance of a persistent spot request",
	 "write 'interruption: stop' or 'hibernate', or 'spot_type: one-time'"},
	{{{"market.spot_type", persistent, false},
	  {"market.interruption", aws_never, true},
	  {"hibernation", off, true}},
	 "a persistent spot request needs 'interruption': by default one terminates the instance",
	 "add 'interruption: stop' or 'hibernate', or write 'spot_type: one-time'"},
	/* StopInstances answers UnsupportedOperation: only spot instances of persistent requests can be stopped
	 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-requests.html). */
	{{{"running", off, false}, {"market.type", spot, false}, {"market.spot_type", one_time, true}},
	 "the spot instance of a one-time request cannot be stopped",
	 "leave out 'running', or write 'spot_type: persistent' and 'interruption: stop'"},
	/* "If you set InstanceInterruptionBehavior to a value other than hibernate, you'll get an error."
	 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_HibernationOptionsRequest.html) */
	{{{"market.interruption", no_hibernation, false}, {"hibernation", aws_true, false}},
	 "an interruption of a spot instance with 'hibernation' hibernates it and does nothing else",
	 "write 'interruption: hibernate', or leave it out"},
};

/* Those of the types with a T and a number have credits, but for t1 (trn1 is none of them): "Valid only for T
 * instances." (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html,
 * CreditSpecification) */
static bool check_credits(const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *credits = value_get_named(desired, "credits");
	const struct value *type = value_get_named(desired, "instance_type");
	struct slice name = value_slice(type);

	if (!value_is(credits, VALUE_STRING) || !value_is(type, VALUE_STRING) ||
	    (name.size > 1 && name.data[0] == 't' && name.data[1] >= '2' && name.data[1] <= '9'))
		return true;
	diag_error(diagnostics, FAULT_USER, credits->position, "an instance of type %.*s has no CPU credits",
		   SLICE_ARGUMENTS(name));
	diag_related(diagnostics, type->position, "its type is said here");
	diag_hint(diagnostics, "leave out 'credits', or take a burstable type: t2, t3, t3a or t4g");
	return false;
}

bool aws_instance_check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	bool good = aws_instance_network_check(kind, desired, diagnostics);

	good = aws_check_rules(rules, sizeof(rules) / sizeof(rules[0]), desired, diagnostics) && good;
	good = check_credits(desired, diagnostics) && good;
	return aws_check_launch(desired, diagnostics) && good;
}
