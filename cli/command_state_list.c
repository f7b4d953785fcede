#include "base/time_text.h"
#include "base/value_put.h"
#include "cli/command_list.h"
#include "cli/holder_view.h"
#include "cli/recorded.h"

static void print_object(struct buffer *text, const struct object *object, size_t width)
{
	print_safe(text, object->address);
	buffer_format(text, "%*s  ", (int)(width - object->address.size), "");
	print_safe(text, object->provider_id.size > 0 ? object->provider_id : SLICE("(no id yet)"));
	if (object->role != OBJECT_CURRENT)
		buffer_format(text, "  %s", role_names.words[object->role]);
	if (object->protect)
		buffer_string(text, "  protected");
	buffer_byte(text, '\n');
}

static void list_objects(struct recorded *recorded)
{
	const struct job *job = recorded->job;
	size_t width = 0;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->address.size > width)
			width = job->objects[i]->address.size;
	for (size_t i = 0; i < job->object_count; i++) {
		VALUE_BUILDER_AUTO head;

		value_builder_init(&head);
		put_head(&head, job->objects[i], job->arena);
		value_builder_item(&list, value_builder_map(&head, job->arena));
		print_object(&recorded->text, job->objects[i], width);
	}
	recorded_put(recorded, "objects", value_builder_list(&list, job->arena));
}

static bool is_at_work(const struct lease_holder *holder, struct slice run)
{
	return holder->held && holder->left_ms > 0 && slice_equal(holder->run, run);
}

static void list_intents(struct recorded *recorded, const struct lease_holder *holder)
{
	const struct job *job = recorded->job;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < job->intent_count; i++) {
		const struct intent *intent = &job->intents[i];
		VALUE_BUILDER_AUTO one;

		value_builder_init(&one);
		put(&one, "address", value_string(intent->address));
		put(&one, "operation", value_string(intent->operation));
		put(&one, "object_id", value_string(intent->object_id));
		put(&one, "sent", time_value(job->arena, intent->wall_ms));
		put(&one, "run", value_string(intent->run));
		value_builder_item(&list, value_builder_map(&one, job->arena));
		buffer_string(&recorded->text, "open: ");
		print_safe(&recorded->text, intent->operation);
		buffer_string(&recorded->text, " for ");
		print_safe(&recorded->text, intent->address);
		buffer_string(&recorded->text, is_at_work(holder, intent->run) ? ", by the run that is at work\n"
									       : ", outcome unknown\n");
	}
	recorded_put(recorded, "open", value_builder_list(&list, job->arena));
}

static int list(struct recorded *recorded)
{
	struct job *job = recorded->job;
	struct lease_holder holder;

	if (!job->store->ops->holder(job->store, job->arena, &holder, job->diagnostics))
		return STATUS_ERROR;
	list_objects(recorded);
	list_intents(recorded, &holder);
	if (holder.held) {
		buffer_string(&recorded->text, "held: ");
		print_safe(&recorded->text, holder_text(job->arena, &holder));
		buffer_format(&recorded->text, "%s\n", holder.left_ms > 0 ? "" : ", expired");
	}
	recorded_put(recorded, "holder", holder_value(job->arena, &holder));
	return STATUS_FINE;
}

static int run_state_list(struct invocation *invocation)
{
	return recorded_run_read(invocation, STATE_READ, list);
}

const struct command command_state_list = {
	.name = "state list",
	.about = "list what is recorded, a line each, and who holds the stack",
	.operands = "",
	.run = run_state_list,
};
