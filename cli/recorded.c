#include "cli/recorded.h"

#include "base/value_put.h"
#include "cli/job_record.h"

enum { TEXT_LIMIT_BYTES = 512 * 1024 * 1024 };

void recorded_put(struct recorded *recorded, const char *name, struct value value)
{
	put(&recorded->members, name, value);
}

void put_head(struct value_builder *builder, const struct object *object, struct arena *arena)
{
	put(builder, "address", value_string(object->address));
	put(builder, "role", value_text(role_names.words[object->role]));
	put(builder, "kind", value_string(object->kind));
	put(builder, "provider_id", value_string(object->provider_id));
	put(builder, "identity", value_string(identity_text(arena, &object->identity)));
	put(builder, "object_id", value_string(object->object_id));
	put(builder, "generation", value_integer(object->generation));
	put(builder, "protect", value_bool(object->protect));
}

/* The objects come sorted by address. */
static bool is_recorded(const struct job *job, struct slice address)
{
	size_t low = 0, high = job->object_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (slice_compare(job->objects[middle]->address, address) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < job->object_count && slice_equal(job->objects[low]->address, address);
}

/* Made once, however many are not found. */
static const struct slice *known_addresses(struct recorded *recorded)
{
	const struct job *job = recorded->job;

	if (recorded->addresses)
		return recorded->addresses;
	recorded->addresses = arena_new_array(job->arena, job->object_count + 1, struct slice);
	for (size_t i = 0; i < job->object_count; i++)
		recorded->addresses[i] = job->objects[i]->address;
	return recorded->addresses;
}

bool recorded_has(struct recorded *recorded, struct slice address)
{
	const struct job *job = recorded->job;

	if (is_recorded(job, address))
		return true;
	diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE, "nothing is recorded at '%.*s'", SLICE_ARGUMENTS(address));
	const struct slice *addresses = known_addresses(recorded);
	int nearest = slice_nearest_within(address, addresses, job->object_count, &recorded->compared);
	if (nearest >= 0)
		diag_hint(job->diagnostics, "did you mean '%.*s'?", SLICE_ARGUMENTS(addresses[nearest]));
	else
		diag_hint(job->diagnostics, "'trueup state list' shows what is recorded");
	return false;
}

static void fill_report(struct recorded *recorded, struct report *report)
{
	const struct stack_record *record = recorded->job->record;
	VALUE_BUILDER_AUTO all;

	value_builder_init(&all);
	put(&all, "stack", value_string(record->name));
	put(&all, "lineage", value_string(record->lineage));
	put(&all, "serial", value_integer(record->serial));
	for (size_t i = 0; i < recorded->members.count; i++)
		value_builder_member(&all, value_slice(&recorded->members.members[i].key),
				     recorded->members.members[i].value);
	report->data = value_builder_map(&all, recorded->job->arena);
	report->text = buffer_slice(&recorded->text);
	report->style = &recorded->job->style;
}

/* Looks before it opens for writing, which would make a state where there is none. */
static bool open_store(struct job *job, enum state_access access)
{
	const struct slice any = {NULL, 0};

	if (!job_open_store(job, STATE_READ, any))
		return false;
	if (access == STATE_READ)
		return true;
	job->store->ops->close(job->store);
	job->store = NULL;
	return job_open_store(job, access, any);
}

struct recorded_work {
	enum state_access access;
	bool reads;
	recorded_body *body;
};

static int run_once(struct job *job, const void *about)
{
	const struct recorded_work *work = about;
	struct invocation *invocation = job->invocation;
	struct report report = invocation_report(invocation);
	struct recorded recorded = {.job = job, .arguments = invocation->arguments};
	int status = STATUS_ERROR;

	buffer_init(&recorded.text, TEXT_LIMIT_BYTES);
	value_builder_init(&recorded.members);
	if (open_store(job, work->access) && (!work->reads || job_reload(job))) {
		status = work->body(&recorded);
		fill_report(&recorded, &report);
	}
	if (!job->moved)
		status = invocation_end(invocation, &report, status);
	value_builder_release(&recorded.members);
	buffer_release(&recorded.text);
	return status;
}

int recorded_run(struct invocation *invocation, enum state_access access, recorded_body *body)
{
	return job_attempts(invocation, run_once, &(struct recorded_work){access, false, body});
}

int recorded_run_read(struct invocation *invocation, enum state_access access, recorded_body *body)
{
	return job_attempts(invocation, run_once, &(struct recorded_work){access, true, body});
}
