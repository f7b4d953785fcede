#include "cli/command_list.h"
#include "cli/job.h"
#include "reconcile/unique.h"

struct warning {
	const struct job *job;
	const struct resource *resource;
};

/*
 * What the new object must have to itself while the old one is still there. No error: a replace that changes it too is
 * carried out, and which replace is to come no spec tells.
 */
static void warn_of_one(void *context, const struct field *field, const struct value *value, const struct value *fields)
{
	const struct warning *warning = (const struct warning *)context;
	struct diagnostics *diagnostics = warning->job->diagnostics;
	struct slice address = warning->resource->address;

	(void)fields;
	if (!unique_is_shared(field) || value_has_deferred(value))
		return;
	diag_add(diagnostics, SEVERITY_WARNING, FAULT_USER, value->position,
		 "'%.*s' asks for create_before_destroy, and old and new cannot have the same '%s' at a time",
		 SLICE_ARGUMENTS(address), field->name);
	diag_address(diagnostics, address);
	diag_hint(diagnostics,
		  "change '%s' along with whatever needs a new object: any other replace is refused by plan",
		  field->name);
}

static void warn_of_shared(const struct job *job, const struct resource *resource)
{
	struct warning warning = {job, resource};

	for (size_t i = 0; i < resource->kind->fields.count; i++)
		unique_each(field_at(&resource->kind->fields, i), &resource->desired, warn_of_one, &warning);
}

/* Whether anything but what tells it apart needs a new object. */
static bool is_replaced_otherwise(const struct kind *kind)
{
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		const char *const *name = kind->told_apart_by;

		while (name && *name && strcmp(*name, field->name) != 0)
			name++;
		if ((field->flags & IMMUTABLE) && name && !*name)
			return true;
	}
	return false;
}

/* The same of a kind of which the service tells things apart by several fields together. */
static void warn_of_twins(const struct job *job, const struct resource *resource)
{
	const struct kind *kind = resource->kind;
	const struct json_style clear = {.clear = true};
	const struct identity nowhere = {0};

	if (!is_replaced_otherwise(kind) ||
	    unique_whole(kind, &resource->desired, &nowhere, &clear, job->arena).size == 0)
		return;
	diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_USER, resource->position,
		 "'%.*s' asks for create_before_destroy, and old and new cannot have the same %.*s at a time",
		 SLICE_ARGUMENTS(resource->address),
		 SLICE_ARGUMENTS(unique_names(kind, &resource->desired, &resource->desired, job->arena)));
	diag_address(job->diagnostics, resource->address);
	diag_hint(job->diagnostics,
		  "change one of these along with whatever needs a new object: any other replace is refused by plan");
}

static void warn_of_replaces(const struct job *job)
{
	for (size_t i = 0; i < job->stack.resource_count; i++)
		if (job->stack.resources[i].create_before_destroy == CHOICE_YES) {
			warn_of_shared(job, &job->stack.resources[i]);
			warn_of_twins(job, &job->stack.resources[i]);
		}
}

static int run_validate(struct invocation *invocation)
{
	struct job job;
	struct report report;

	job_init(&job, invocation);
	bool good = job_load_spec(&job);
	report = invocation_report(invocation);
	report.spec = job.spec_digest;
	if (good) {
		warn_of_replaces(&job);
		report.text = arena_format(invocation->arena, "%.*s: %zu resource%s in %zu file%s, no errors\n",
					   SLICE_ARGUMENTS(job.stack.name), job.stack.resource_count,
					   job.stack.resource_count == 1 ? "" : "s", invocation->sources->count,
					   invocation->sources->count == 1 ? "" : "s");
	}
	job_release(&job);
	return invocation_end(invocation, &report, good ? STATUS_FINE : STATUS_ERROR);
}

static const enum flag_id validate_flags[] = {FLAG_VAR};

const struct command command_validate = {
	.name = "validate",
	.about = "check the spec: everything that can be known without credentials, all errors at once",
	.operands = "",
	.flags = validate_flags,
	.flag_count = sizeof(validate_flags) / sizeof(validate_flags[0]),
	.run = run_validate,
};
