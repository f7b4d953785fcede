#include "providers/aws/kinds/group_instances.h"

/* What a group has launched: in no spec, and not changed with the group. */

/*
 * One whose terminating hook was abandoned, where the group keeps such ones: it "remains until you call
 * TerminateInstanceInAutoScalingGroup"
 * (https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_RetentionTriggers.html).
 */
static bool is_retained(const struct value *instance)
{
	return slice_is(value_slice(value_get_named(instance, "LifecycleState")), "Terminating:Retained");
}

/* An instance that was attached was launched from no template of the group. */
static struct value instance_of(const struct value *instance, struct arena *arena)
{
	static const struct {
		const char *name, *read;
	} members[] = {
		{"id", "InstanceId"},
		{"zone", "AvailabilityZone"},
		{"template", "LaunchTemplate.LaunchTemplateId"},
		{"version", "LaunchTemplate.Version"},
	};
	const struct value *is_protected = value_get_named(instance, "ProtectedFromScaleIn");
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		value_builder_member(&builder, slice_of(members[i].name),
				     value_string(value_slice(value_path(instance, members[i].read))));
	value_builder_member(&builder, SLICE("protected"), value_bool(value_is_true(is_protected)));
	value_builder_member(&builder, SLICE("retained"), value_bool(is_retained(instance)));
	return value_builder_map(&builder, arena);
}

static bool is_leaving(const struct value *instance)
{
	struct slice state = value_slice(value_get_named(instance, "LifecycleState"));

	if (is_retained(instance))
		return false;
	return slice_starts_with(state, SLICE("Terminat")) || slice_starts_with(state, SLICE("Detach"));
}

/* Of items that name what they are about by `name`, or of texts. */
static bool has_process(const struct value *list, const char *name, const char *process)
{
	for (uint32_t i = 0; list && value_is(list, VALUE_LIST) && i < list->count; i++)
		if (slice_is(value_slice(name ? value_get_named(&list->items[i], name) : &list->items[i]), process))
			return true;
	return false;
}

/* https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-instance-protection.html
 * https://docs.aws.amazon.com/autoscaling/ec2/userguide/suspend-resume-considerations.html */
bool aws_group_shrinks(const struct value *item)
{
	const struct value *instances = value_get_named(item, "Instances");
	bool rests = has_process(value_get_named(item, "SuspendedProcesses"), "ProcessName", "Terminate");

	for (uint32_t i = 0; instances && value_is(instances, VALUE_LIST) && i < instances->count; i++)
		if (is_leaving(&instances->items[i]) ||
		    (!rests && !is_retained(&instances->items[i]) &&
		     !value_is_true(value_get_named(&instances->items[i], "ProtectedFromScaleIn"))))
			return true;
	return false;
}

static bool has_any(const struct value *running, const char *trait)
{
	for (uint32_t i = 0; i < running->count; i++)
		if (value_is_true(value_get_named(&running->items[i], trait)))
			return true;
	return false;
}

/* A group that may hold nothing would keep them for ever. By force it goes with them, unless that is refused. */
static const char *stay(const struct value *group, const struct value *running, const char **ret_hint)
{
	static const struct {
		const char *trait; /* of one that it runs; NULL: of the group itself */
		const char *why, *hint, *forced;
	} reasons[] = {
		{NULL, "cannot be emptied while its process 'Terminate' is suspended",
		 "take 'Terminate' out of 'suspended' and apply, then delete it",
		 "take 'Terminate' out of 'suspended' and apply, then delete it; or delete it by force (--force)"},
		{"retained",
		 "cannot be emptied while instances of it are retained, as their terminating hook was abandoned",
		 "end them, in Auto Scaling itself",
		 "end them, in Auto Scaling itself, or delete it by force (--force), which ends them too"},
		{"protected", "cannot be emptied while instances of it are protected from scale-in",
		 "take that protection from its instances, in Auto Scaling itself",
		 "take that protection from its instances, in Auto Scaling itself, or delete it by force (--force), "
		 "which ends them too"},
	};
	bool may_force =
		!slice_is(value_slice(value_get_named(group, "deletion_protection")), "prevent-force-deletion");

	for (size_t i = 0; running->count > 0 && i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		const char *trait = reasons[i].trait;

		if (!(trait ? has_any(running, trait)
			    : has_process(value_get_named(group, "suspended"), NULL, "Terminate")))
			continue;
		*ret_hint = may_force ? reasons[i].forced : reasons[i].hint;
		return reasons[i].why;
	}
	return NULL;
}

struct value aws_group_running(const struct value *item, struct arena *arena)
{
	const struct value *instances = value_get_named(item, "Instances");
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; instances && value_is(instances, VALUE_LIST) && i < instances->count; i++)
		if (!is_leaving(&instances->items[i]))
			value_builder_item(&builder, instance_of(&instances->items[i], arena));
	return value_builder_list(&builder, arena);
}

static bool is_to_be_empty(const struct value *group)
{
	const struct value *most = value_get_named(group, "max");

	return most && value_is(most, VALUE_INTEGER) && most->integer == 0;
}

static bool overrides_template(const struct value *mixed)
{
	const struct value *overrides = value_get_named(mixed, "overrides");

	for (uint32_t i = 0; overrides && value_is(overrides, VALUE_LIST) && i < overrides->count; i++)
		if (value_if_set(value_get_named(&overrides->items[i], "launch_template")))
			return true;
	return false;
}

/* wanted: empty where it is not known yet; source: the template's outputs, without those that will be others, or NULL.
 */
static bool is_left_behind(struct slice wanted, struct slice old_version, const struct value *source)
{
	const char *output = slice_is(wanted, "$Latest")    ? "latest_version"
			     : slice_is(wanted, "$Default") ? "default_version"
							    : NULL;
	const struct value *now = output ? value_get_named(source, output) : NULL;

	if (!output)
		return !slice_equal(wanted, old_version);
	return source && (!now || !slice_equal(value_slice(now), old_version));
}

/*
 * "Existing instances continue to run with the configuration that they were originally launched with"
 * (https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_UpdateAutoScalingGroup.html). Which override an
 * instance is of nobody knows, nor which version "$Latest" is of a template that is not in the stack.
 */
static struct slice keeps(const struct value *instance, const struct value *group, struct arena *arena)
{
	const struct value *mixed = value_if_set(value_get_named(group, "mixed_instances"));
	const struct value *template = value_get_named(mixed ? mixed : group, "launch_template");
	const struct value *version = value_get_named(mixed ? mixed : group, "launch_template_version");
	struct slice old_template = value_slice(value_get_named(instance, "template"));
	struct slice old_version = value_slice(value_get_named(instance, "version"));
	const struct slice none = {0};

	if (old_version.size == 0 || !template || !version || (mixed && overrides_template(mixed)) ||
	    is_to_be_empty(group))
		return none;
	if (value_is(template, VALUE_DEFERRED) || !slice_equal(value_slice(template), old_template))
		return arena_format(arena, "version %.*s of %.*s", SLICE_ARGUMENTS(old_version),
				    SLICE_ARGUMENTS(old_template));
	if (!is_left_behind(value_slice(version), old_version, value_get_named(group, "aws.launch_template")))
		return none;
	return arena_format(arena, "version %.*s", SLICE_ARGUMENTS(old_version));
}

static bool has_weights(const struct value *mixed)
{
	const struct value *overrides = value_get_named(mixed, "overrides");

	for (uint32_t i = 0; overrides && value_is(overrides, VALUE_LIST) && i < overrides->count; i++)
		if (value_if_set(value_get_named(&overrides->items[i], "weight")))
			return true;
	return false;
}

/* Capacity may count other things than instances; and where the group does not launch or does not terminate, it says
 * what nobody sees to. */
static bool is_number(const struct value *group)
{
	const struct value *unit = value_if_set(value_get_named(group, "capacity_unit"));
	const struct value *suspended = value_get_named(group, "suspended");

	return (!unit || slice_is(value_slice(unit), "units")) &&
	       !has_weights(value_if_set(value_get_named(group, "mixed_instances"))) &&
	       !has_process(suspended, NULL, "Launch") && !has_process(suspended, NULL, "Terminate");
}

/* https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-instance-protection.html */
static bool may_end(const struct value *instance)
{
	return !value_is_true(value_get_named(instance, "protected")) &&
	       !value_is_true(value_get_named(instance, "retained"));
}

/*
 * Out of a zone that the group has left, by process AZRebalance, which launches first and then terminates. A hook holds
 * up the one or the other for longer than a deletion waits, if whoever completes it does not.
 * https://docs.aws.amazon.com/autoscaling/ec2/userguide/suspend-resume-considerations.html
 */
static bool moves(const struct value *instance, const struct value *group)
{
	static const char *const processes[] = {"AZRebalance", "Launch", "Terminate"};
	const struct value *suspended = value_get_named(group, "suspended");
	const struct value *hooks = value_get_named(group, "hooks");
	bool moves = may_end(instance) && !(hooks && hooks->count > 0);

	for (size_t i = 0; i < sizeof(processes) / sizeof(processes[0]); i++)
		moves &= !has_process(suspended, NULL, processes[i]);
	return moves;
}

static const char *const held_by_instances[] = {"aws.subnet", "aws.security_group", NULL};
const struct runs aws_group_runs = {.one = "instance",
				    .many = "instances",
				    .keeps = keeps,
				    .number = "desired",
				    .is_number = is_number,
				    .may_end = may_end,
				    .stay = stay,
				    .holds = held_by_instances,
				    .lies_in = "zone",
				    .moves = moves,
				    .source = "aws.launch_template"};
