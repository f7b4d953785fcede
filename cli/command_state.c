#include "cli/command_list.h"
#include "cli/job.h"

enum { TEXT_LIMIT_BYTES = 512 * 1024 * 1024 };

static const char *const role_names[] = {
	[OBJECT_CURRENT] = "current",
	[OBJECT_DEPOSED] = "deposed",
	[OBJECT_INCOMPLETE] = "incomplete",
};

static void put(struct value_builder *builder, const char *name, struct value value)
{
	value_builder_member(builder, slice_of(name), value);
}

static void put_head(struct value_builder *builder, const struct object *object, struct arena *arena)
{
	put(builder, "address", value_string(object->address));
	put(builder, "role", value_text(role_names[object->role]));
	put(builder, "kind", value_string(object->kind));
	put(builder, "provider_id", value_string(object->provider_id));
	put(builder, "identity", value_string(identity_text(arena, &object->identity)));
	put(builder, "object_id", value_string(object->object_id));
	put(builder, "generation", value_integer(object->generation));
	put(builder, "protect", value_bool(object->protect));
}

static void list_objects(const struct job *job, struct buffer *text, struct value_builder *list)
{
	size_t width = 0;

	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->address.size > width)
			width = job->objects[i]->address.size;
	for (size_t i = 0; i < job->object_count; i++) {
		const struct object *object = job->objects[i];
		VALUE_BUILDER_AUTO head;

		value_builder_init(&head);
		put_head(&head, object, job->arena);
		value_builder_item(list, value_builder_map(&head, job->arena));
		print_safe(text, object->address);
		buffer_format(text, "%*s  ", (int)(width - object->address.size), "");
		print_safe(text, object->provider_id.size > 0 ? object->provider_id : SLICE("(no id yet)"));
		if (object->role != OBJECT_CURRENT)
			buffer_format(text, "  %s", role_names[object->role]);
		if (object->protect)
			buffer_string(text, "  protected");
		buffer_byte(text, '\n');
	}
	for (size_t i = 0; i < job->intent_count; i++)
		buffer_format(text, "open: %.*s for %.*s, outcome unknown\n",
			      SLICE_ARGUMENTS(job->intents[i].operation), SLICE_ARGUMENTS(job->intents[i].address));
}

static void print_fields(struct buffer *text, const struct job *job, const char *title, const struct value *map)
{
	if (!value_is(map, VALUE_MAP) || map->count == 0)
		return;
	buffer_format(text, "%s\n", title);
	for (uint32_t i = 0; i < map->count; i++) {
		buffer_string(text, "  ");
		print_safe(text, value_slice(&map->members[i].key));
		buffer_string(text, "  ");
		render_value(text, &map->members[i].value, &job->style);
		buffer_byte(text, '\n');
	}
}

static struct value dependencies_value(const struct object *object, struct arena *arena)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < object->dependency_count; i++)
		value_builder_item(&list, value_string(object->dependencies[i].address));
	return value_builder_list(&list, arena);
}

static void show_object(const struct job *job, const struct object *object, struct buffer *text,
			struct value_builder *list)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	put_head(&builder, object, job->arena);
	put(&builder, "outputs", object->outputs);
	put(&builder, "applied", object->applied);
	put(&builder, "resolved", object->resolved);
	put(&builder, "observed", object->observed);
	put(&builder, "depends_on", dependencies_value(object, job->arena));
	struct value all = value_builder_map(&builder, job->arena);
	struct slice identity = identity_text(job->arena, &object->identity);
	print_safe(text, object->address);
	buffer_format(text, "  %s\n  id          ", role_names[object->role]);
	print_safe(text, object->provider_id);
	buffer_string(text, "\n  where       ");
	print_safe(text, identity);
	buffer_format(text, "\n  object id   %.*s, generation %lld%s\n", SLICE_ARGUMENTS(object->object_id),
		      (long long)object->generation, object->protect ? ", protected" : "");
	print_fields(text, job, "applied", &object->applied);
	print_fields(text, job, "outputs", &object->outputs);
	print_fields(text, job, "observed", &object->observed);
	value_builder_item(list, all);
}

static bool show_objects(struct job *job, struct slice address, struct buffer *text, struct value_builder *list)
{
	struct slice *addresses = arena_new_array(job->arena, job->object_count + 1, struct slice);
	bool found = false;

	for (size_t i = 0; i < job->object_count; i++) {
		struct object *object = job->objects[i];

		addresses[i] = object->address;
		if (!slice_equal(object->address, address))
			continue;
		found = true;
		if (!job_load_body(job, object, job->diagnostics))
			return false;
		show_object(job, object, text, list);
	}
	if (found)
		return true;
	diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE, "nothing is recorded at '%.*s'", SLICE_ARGUMENTS(address));
	int nearest = slice_nearest(address, addresses, job->object_count);
	if (nearest >= 0)
		diag_hint(job->diagnostics, "did you mean '%.*s'?", SLICE_ARGUMENTS(addresses[nearest]));
	else
		diag_hint(job->diagnostics, "'trueup state list' shows what is recorded");
	return false;
}

static bool check_operands(const struct arguments *arguments, struct diagnostics *diagnostics)
{
	bool list = arguments->operand_count == 1 && slice_is(arguments->operands[0], "list");
	bool show = arguments->operand_count == 2 && slice_is(arguments->operands[0], "show");

	if (list || show)
		return true;
	diag_error(diagnostics, FAULT_USAGE, NOWHERE, "'trueup state' takes 'list' or 'show ADDRESS'");
	return false;
}

static int run_state(struct invocation *invocation)
{
	const struct arguments *arguments = invocation->arguments;
	struct report report = invocation_report(invocation);
	struct job job;
	BUFFER_AUTO text;
	VALUE_BUILDER_AUTO list;

	buffer_init(&text, TEXT_LIMIT_BYTES);
	value_builder_init(&list);
	if (!check_operands(arguments, invocation->diagnostics))
		return STATUS_USAGE;
	job_init(&job, invocation);
	bool good = job_open_state(&job, STATE_READ, (struct slice){NULL, 0});
	if (good && arguments->operand_count == 1)
		list_objects(&job, &text, &list);
	else if (good)
		good = show_objects(&job, arguments->operands[1], &text, &list);
	if (good) {
		struct value_member *members = arena_new_array(invocation->arena, 4, struct value_member);

		members[0] = (struct value_member){value_text("stack"), value_string(job.record->name)};
		members[1] = (struct value_member){value_text("lineage"), value_string(job.record->lineage)};
		members[2] = (struct value_member){value_text("serial"), value_integer(job.record->serial)};
		members[3] = (struct value_member){value_text("objects"), value_builder_list(&list, invocation->arena)};
		report.data = value_map(members, 4);
		report.text = buffer_slice(&text);
		report.style = &job.style;
	}
	int status = invocation_end(invocation, &report, good ? STATUS_FINE : STATUS_ERROR);
	job_release(&job);
	return status;
}

const struct command command_state = {
	.name = "state",
	.about = "show what is recorded: all of it in a line each, or one object in full",
	.operands = "list | show ADDRESS",
	.least_operands = 1,
	.most_operands = 2,
	.run = run_state,
};
