#include "base/value_put.h"
#include "cli/command_list.h"
#include "cli/job_record.h"
#include "cli/recorded.h"

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

/* What was set, with what references stood for; the reference stands behind where it is all of a field. */
static void print_applied(struct buffer *text, const struct job *job, const struct object *object)
{
	const struct value *map = value_is(&object->resolved, VALUE_MAP) ? &object->resolved : &object->applied;

	if (!value_is(map, VALUE_MAP) || map->count == 0)
		return;
	buffer_string(text, "applied\n");
	for (uint32_t i = 0; i < map->count; i++) {
		struct slice name = value_slice(&map->members[i].key);
		const struct value *said = value_get(&object->applied, name);

		buffer_string(text, "  ");
		print_safe(text, name);
		buffer_string(text, "  ");
		render_value(text, &map->members[i].value, &job->style);
		if (said && value_is(said, VALUE_DEFERRED) && !value_is(&map->members[i].value, VALUE_DEFERRED)) {
			buffer_string(text, "  from ");
			print_safe(text, said->deferred->text);
		}
		buffer_byte(text, '\n');
	}
}

static struct value dependencies_value(const struct object *object, struct arena *arena)
{
	VALUE_BUILDER_AUTO list;
	struct map told;

	value_builder_init(&list);
	map_init(&told);
	for (size_t i = 0; i < object->dependency_count; i++)
		if (!map_has(&told, object->dependencies[i].address)) {
			map_mark(&told, object->dependencies[i].address);
			value_builder_item(&list, value_string(object->dependencies[i].address));
		}
	map_release(&told);
	return value_builder_list(&list, arena);
}

static void show_object(struct recorded *recorded, const struct object *object, struct value_builder *list)
{
	const struct job *job = recorded->job;
	struct buffer *text = &recorded->text;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	put_head(&builder, object, job->arena);
	put(&builder, "outputs", object->outputs);
	put(&builder, "applied", object->applied);
	put(&builder, "resolved", object->resolved);
	put(&builder, "observed", object->observed);
	put(&builder, "depends_on", dependencies_value(object, job->arena));
	value_builder_item(list, value_builder_map(&builder, job->arena));
	struct slice identity = identity_text(job->arena, &object->identity);
	print_safe(text, object->address);
	buffer_format(text, "  %s\n  id          ", role_names.words[object->role]);
	print_safe(text, object->provider_id);
	buffer_string(text, "\n  where       ");
	print_safe(text, identity);
	buffer_format(text, "\n  object id   %.*s, generation %lld%s\n", SLICE_ARGUMENTS(object->object_id),
		      (long long)object->generation, object->protect ? ", protected" : "");
	print_applied(text, job, object);
	print_fields(text, job, "outputs", &object->outputs);
	print_fields(text, job, "observed", &object->observed);
}

static int show(struct recorded *recorded)
{
	struct job *job = recorded->job;
	struct slice address = recorded->arguments->operands[0];
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	if (!recorded_has(recorded, address))
		return STATUS_ERROR;
	for (size_t i = 0; i < job->object_count; i++) {
		if (!slice_equal(job->objects[i]->address, address))
			continue;
		if (!job_load_body(job, job->objects[i], job->diagnostics))
			return STATUS_ERROR;
		show_object(recorded, job->objects[i], &list);
	}
	recorded_put(recorded, "objects", value_builder_list(&list, job->arena));
	return STATUS_FINE;
}

static int run_state_show(struct invocation *invocation)
{
	return recorded_run_read(invocation, STATE_READ, show);
}

const struct command command_state_show = {
	.name = "state show",
	.about = "show one recorded object in full",
	.operands = "ADDRESS",
	.least_operands = 1,
	.most_operands = 1,
	.run = run_state_show,
};
