#include "cli/command_list.h"
#include "cli/job.h"

enum { TEXT_LIMIT_BYTES = 512 * 1024 * 1024 };

/* The outputs of the spec with what is recorded; `values` holds those that are known. */
struct looking {
	struct invocation *invocation;
	struct job job;
	struct value values;
	struct buffer text;
	struct value_builder shown; /* by name, for a document */
};

static void fill_report(struct looking *looking, struct report *report)
{
	VALUE_BUILDER_AUTO all;

	value_builder_init(&all);
	value_builder_member(&all, SLICE("stack"), value_string(looking->job.stack.name));
	value_builder_member(&all, SLICE("outputs"), value_builder_map(&looking->shown, looking->job.arena));
	report->data = value_builder_map(&all, looking->job.arena);
	report->text = buffer_slice(&looking->text);
	report->style = &looking->job.style;
}

static void list_all(struct looking *looking)
{
	const struct stack *stack = &looking->job.stack;
	size_t width = 0;
	uint32_t next = 0;

	for (size_t i = 0; i < stack->output_count; i++)
		if (stack->outputs[i].name.size > width)
			width = stack->outputs[i].name.size;
	for (size_t i = 0; i < stack->output_count; i++) {
		struct slice name = stack->outputs[i].name;
		const struct value *value = render_next_output(&looking->values, name, &next);

		print_safe(&looking->text, name);
		buffer_format(&looking->text, "%*s  ", (int)(width - name.size), "");
		render_output(&looking->text, &stack->outputs[i], value, &looking->job.style);
		buffer_byte(&looking->text, '\n');
		value_builder_member(&looking->shown, name, value ? *value : value_null());
	}
	if (stack->output_count == 0)
		talk(looking->invocation, "the spec has no outputs");
}

static bool refuse_name(struct looking *looking, struct slice name)
{
	const struct stack *stack = &looking->job.stack;
	struct slice *names = arena_new_array(looking->job.arena, stack->output_count + 1, struct slice);
	bool there = false;

	for (size_t i = 0; i < stack->output_count; i++) {
		names[i] = stack->outputs[i].name;
		there |= slice_equal(names[i], name);
	}
	if (there) {
		diag_error(looking->job.diagnostics, FAULT_ABSENT, NOWHERE, "the output '%.*s' is not known yet",
			   SLICE_ARGUMENTS(name));
		diag_hint(looking->job.diagnostics,
			  "'trueup apply' makes what it is taken from; of a secret output only the fingerprint is "
			  "recorded, and nothing can be made of that");
		return false;
	}
	diag_error(looking->job.diagnostics, FAULT_ABSENT, NOWHERE, "the spec has no output '%.*s'",
		   SLICE_ARGUMENTS(name));
	if (!diag_suggest(looking->job.diagnostics, name, names, stack->output_count))
		diag_hint(looking->job.diagnostics, "'trueup output' lists them");
	return false;
}

/* A text as it is, everything else as JSON, on a line. */
static void print_raw(struct buffer *buffer, const struct value *value)
{
	static const struct json_style clear = {.clear = true};

	if (value_is(value, VALUE_STRING))
		buffer_append(buffer, value_slice(value));
	else
		render_as_json(buffer, value, &clear);
	if (buffer->size == 0 || buffer->data[buffer->size - 1] != '\n')
		buffer_byte(buffer, '\n');
}

/* Who asks for a secret by its name is told it, on standard output and nowhere else: past all that hides secrets. */
static bool tell_secret(struct looking *looking, struct slice name, const struct value *value)
{
	struct world *real = looking->invocation->simulated->real;

	if (value_has_fingerprint(value)) {
		diag_error(looking->job.diagnostics, FAULT_ABSENT, NOWHERE,
			   "the output '%.*s' is a secret of which only the fingerprint is recorded",
			   SLICE_ARGUMENTS(name));
		diag_hint(looking->job.diagnostics, "take it from where the spec has it from");
		return false;
	}
	BUFFER_AUTO text;
	buffer_init(&text, TEXT_LIMIT_BYTES);
	print_raw(&text, value);
	return real->write(real, 1, buffer_slice(&text)) ||
	       sinks_forgive(looking->invocation->sinks, 1, looking->job.diagnostics);
}

static bool tell_one(struct looking *looking, struct slice name)
{
	const struct value *value = value_get(&looking->values, name);

	if (!value)
		return refuse_name(looking, name);
	value_builder_member(&looking->shown, name, *value);
	if (value_has_secret(value) && sinks_only_talk(looking->invocation->sinks))
		return tell_secret(looking, name, value);
	if (value_has_secret(value))
		render_value(&looking->text, value, &looking->job.style);
	else
		print_raw(&looking->text, value);
	return true;
}

static bool look(struct looking *looking)
{
	struct job *job = &looking->job;
	const struct arguments *arguments = looking->invocation->arguments;

	if (!job_load_spec(job) || !job_open_state(job, STATE_READ, job->stack.name))
		return false;
	looking->values = job_outputs(job, job->stack.outputs, job->stack.output_count);
	if (arguments->operand_count > 0)
		return tell_one(looking, arguments->operands[0]);
	list_all(looking);
	return true;
}

static int run_output(struct invocation *invocation)
{
	struct looking looking = {.invocation = invocation};
	struct report report = invocation_report(invocation);
	int status = STATUS_ERROR;

	buffer_init(&looking.text, TEXT_LIMIT_BYTES);
	value_builder_init(&looking.shown);
	job_init(&looking.job, invocation);
	if (look(&looking)) {
		status = STATUS_FINE;
		fill_report(&looking, &report);
	}
	status = invocation_end(invocation, &report, status);
	job_release(&looking.job);
	value_builder_release(&looking.shown);
	buffer_release(&looking.text);
	return status;
}

static const enum flag_id output_flags[] = {FLAG_VAR};

const struct command command_output = {
	.name = "output",
	.about = "show the outputs of the spec with what is recorded, or one of them as it is",
	.operands = "[NAME]",
	.details = "With NAME a text is written as it is, anything else as JSON, for scripts: $(trueup output vpc).\n"
		   "A secret is shown as its fingerprint, but in full where it is asked for by its name.\n",
	.most_operands = 1,
	.flags = output_flags,
	.flag_count = sizeof(output_flags) / sizeof(output_flags[0]),
	.run = run_output,
};
