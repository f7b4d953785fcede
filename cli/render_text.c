#include "cli/plan_section.h"
#include "cli/progress.h"
#include "cli/render_change.h"
#include "cli/render_outlook.h"
#include "cli/render_unread.h"
#include "reconcile/made.h"
#include "reconcile/undo.h"

/* The plan as people read it: drift and intent apart, what destroys first. */

enum { ADDRESS_COLUMN = 34, PATH_WIDTH_LEAST = 12, PATH_WIDTH_MOST = 40, LEFT_MOST = 12 };

static const struct {
	const char *name;
	const char *about;
} sections[SECTION_COUNT] = {
	[SECTION_DRIFT] = {"DRIFT", "reality moved"},
	[SECTION_INTENT] = {"INTENT", "the spec changed"},
	[SECTION_RECORD] = {"RECORD", "nothing is called, only the record follows"},
};

static const struct {
	const char *sign;
	const char *word; /* shown before the reason where it must not be overlooked */
	enum paint paint;
	bool destroys;
} operations[OPERATION_COUNT] = {
	[OPERATION_NONE] = {" ", NULL, PAINT_PLAIN, false},
	[OPERATION_CREATE] = {"+", NULL, PAINT_GOOD, false},
	[OPERATION_UPDATE] = {"~", NULL, PAINT_CHANGE, false},
	[OPERATION_REPLACE] = {"!", "REPLACE", PAINT_LOUD, true},
	[OPERATION_DELETE] = {"-", "DELETE", PAINT_LOUD, true},
	[OPERATION_FORGET] = {"x", "forget", PAINT_FAINT, false},
	[OPERATION_ADOPT] = {"=", "adopt", PAINT_GOOD, false},
	[OPERATION_CONFLICT] = {"#", "CONFLICT", PAINT_LOUD, false},
	[OPERATION_INCOMPLETE] = {"?", "unread", PAINT_CHANGE, false},
	[OPERATION_RECORD] = {"*", NULL, PAINT_FAINT, false},
	[OPERATION_TAKE_BACK] = {"<", "take back", PAINT_GOOD, false},
};

/* Why, with a word before it that cannot be overlooked where something is destroyed. */
static void print_reason(struct buffer *buffer, const struct report *report, const struct action *action,
			 const struct palette *palette)
{
	const char *word = operations[action->operation].word;
	const char *reason = action->reason;
	enum paint color = operations[action->operation].destroys ? PAINT_BAD : PAINT_FAINT;

	if (report->is_drift && action->operation == OPERATION_CREATE) {
		paint(buffer, palette, PAINT_LOUD, "MISSING, ");
	} else if (report->is_drift) {
		word = NULL;
		if (action->operation != OPERATION_CONFLICT)
			reason = "changed outside of this stack";
	}
	if (report->plan->destroy && !report->plan->targeted && action->operation == OPERATION_DELETE &&
	    action->role == OBJECT_CURRENT)
		reason = NULL;
	if (word)
		paint(buffer, palette, operations[action->operation].paint, "%s%s", word, reason ? ", " : "");
	if (reason)
		paint_safe(buffer, palette, color, slice_of(reason));
	/* Else the old one goes first, and there is none for a while. */
	if (action->operation == OPERATION_REPLACE && action->create_before_destroy && !report->is_drift)
		paint(buffer, palette, color, ", made before the old one goes");
}

static void print_padded(struct buffer *buffer, const struct palette *palette, struct slice address)
{
	size_t used = paint_safe(buffer, palette, PAINT_BOLD, address);

	buffer_format(buffer, "%*s", used < ADDRESS_COLUMN ? ADDRESS_COLUMN - (int)used : 0, "");
}

static void print_head(struct buffer *buffer, const struct report *report, const struct action *action,
		       const struct palette *palette)
{
	buffer_string(buffer, "  ");
	paint(buffer, palette, operations[action->operation].paint, "%s", operations[action->operation].sign);
	buffer_byte(buffer, ' ');
	print_padded(buffer, palette, action->address);
	if (action->place.size > 0) {
		buffer_byte(buffer, ' ');
		print_safe(buffer, action->place);
	}
	buffer_string(buffer, "  ");
	print_reason(buffer, report, action, palette);
	bool one_of_several = action->role == OBJECT_DEPOSED || action->operation == OPERATION_TAKE_BACK;
	if (one_of_several && action->provider_id.size > 0) {
		buffer_string(buffer, "  ");
		print_safe(buffer, action->provider_id);
	}
	/* Where everything goes, nothing falls because of another. */
	if (action->takes_down > 0 && !report->plan->destroy && !report->is_drift)
		paint(buffer, palette, PAINT_LOUD, "  takes down %zu", action->takes_down);
	buffer_byte(buffer, '\n');
}

static void print_action(struct buffer *buffer, const struct report *report, const struct action *action,
			 const struct palette *palette)
{
	struct change_view view = {
		.buffer = buffer,
		.palette = palette,
		.style = report->style,
		.redaction = report->redaction,
		.arena = report->arena,
		.width = PATH_WIDTH_LEAST,
		.drift_only = report->is_drift,
		.listed = action->operation == OPERATION_CREATE,
		.replaced = action->operation == OPERATION_REPLACE && !action->kind->found && !report->is_drift,
	};

	print_head(buffer, report, action, palette);
	/* What is missing would be listed as if it were to be made. */
	if (report->is_drift && view.listed)
		return;
	for (size_t i = 0; i < action->change_count; i++)
		if (action->changes[i].path.size < PATH_WIDTH_MOST && (int)action->changes[i].path.size > view.width)
			view.width = (int)action->changes[i].path.size;
	view.width += 2;
	if (!view.listed)
		for (size_t i = 0; i < action->change_count; i++)
			render_change(&view, &action->changes[i]);
	/* In the order of the kind's table, whatever order a spec or a file had. */
	for (size_t k = 0; view.listed && k < action->kind->fields.count; k++)
		for (size_t i = 0; i < action->change_count; i++)
			if (action->changes[i].field == field_at(&action->kind->fields, k))
				render_change(&view, &action->changes[i]);
}

static const char *about_section(const struct plan *plan, enum section section)
{
	if (section == SECTION_INTENT && plan->destroy)
		return plan->targeted ? "what was named is to go, and what refers to it" : "everything is to go";
	if (section == SECTION_INTENT && plan->undoes.size > 0)
		return "back to what was before the run";
	return sections[section].about;
}

static void print_section(struct buffer *buffer, const struct report *report, const enum section *all,
			  enum section section, const struct palette *palette)
{
	const struct plan *plan = report->plan;
	bool begun = false;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < plan->action_count; i++) {
			const struct action *action = &plan->actions[i];

			if (all[i] != section || operations[action->operation].destroys != (pass == 0))
				continue;
			if (!begun) {
				paint(buffer, palette, PAINT_BOLD, "%-7s", sections[section].name);
				buffer_format(buffer, " %s", about_section(plan, section));
				if (section == SECTION_DRIFT)
					buffer_format(buffer, " since #%lld", (long long)plan->serial);
				buffer_byte(buffer, '\n');
			}
			begun = true;
			print_action(buffer, report, action, palette);
		}
	}
}

static void print_running(struct buffer *buffer, const struct plan *plan, const struct palette *palette)
{
	bool held = false;

	if (plan->running_count == 0)
		return;
	paint(buffer, palette, PAINT_BOLD, "RUNNING");
	buffer_string(buffer, " what these have launched, and what becomes of it\n");
	for (size_t i = 0; i < plan->running_count; i++) {
		const struct running *running = &plan->running[i];
		bool stays = running->effect == RUNNING_KEEPS;

		held |= running->effect == RUNNING_HOLDS;
		buffer_string(buffer, "  ");
		paint(buffer, palette, stays ? PAINT_FAINT : PAINT_LOUD, "%s", stays ? "i" : "!");
		buffer_byte(buffer, ' ');
		print_padded(buffer, palette, running->address);
		buffer_string(buffer, "  ");
		paint_safe(buffer, palette, stays ? PAINT_PLAIN : PAINT_BAD, running->what);
		buffer_byte(buffer, '\n');
	}
	if (held)
		buffer_string(buffer,
			      "    an apply does all else, waits, and fails for these as long as they run: replace "
			      "them then, and apply again\n");
}

static void print_notes(struct buffer *buffer, const struct plan *plan, const struct palette *palette)
{
	if (plan->note_count == 0)
		return;
	paint(buffer, palette, PAINT_BOLD, "LOST   ");
	buffer_string(buffer, " what undoing the run does not bring back\n");
	for (size_t i = 0; i < plan->note_count; i++) {
		buffer_string(buffer, "  ");
		paint(buffer, palette, PAINT_LOUD, "!");
		buffer_byte(buffer, ' ');
		print_safe(buffer, plan->notes[i].address);
		buffer_string(buffer, "  ");
		print_safe(buffer, plan->notes[i].what);
		buffer_byte(buffer, '\n');
	}
}

static void print_count(struct buffer *buffer, const struct palette *palette, size_t count, const char *name, bool loud)
{
	paint(buffer, palette, loud && count > 0 ? PAINT_LOUD : PAINT_PLAIN, "%zu %s", count, name);
}

static void print_drift_summary(struct buffer *buffer, const struct plan *plan, const struct palette *palette)
{
	size_t missing = plan->counts[OPERATION_CREATE];

	print_count(buffer, palette, plan->drift_count - missing, "changed  ", false);
	print_count(buffer, palette, missing, "MISSING", true);
	buffer_string(buffer, " | ");
	print_count(buffer, palette, plan->unread_count, "unread", true);
	buffer_byte(buffer, '\n');
}

static void print_summary(struct buffer *buffer, const struct plan *plan, const struct palette *palette)
{
	static const enum operation rare[] = {OPERATION_ADOPT, OPERATION_TAKE_BACK, OPERATION_FORGET, OPERATION_RECORD};

	print_count(buffer, palette, plan->counts[OPERATION_CREATE], "create  ", false);
	print_count(buffer, palette, plan->counts[OPERATION_UPDATE], "update  ", false);
	print_count(buffer, palette, plan->counts[OPERATION_REPLACE], "REPLACE  ", true);
	print_count(buffer, palette, plan->counts[OPERATION_DELETE], "delete", true);
	for (size_t i = 0; i < sizeof(rare) / sizeof(rare[0]); i++)
		if (plan->counts[rare[i]] > 0)
			buffer_format(buffer, "  %zu %s", plan->counts[rare[i]], operation_name(rare[i]));
	buffer_format(buffer, " | %zu drift | ", plan->drift_count);
	print_count(buffer, palette, plan->unread_count, "unread", true);
	buffer_byte(buffer, '\n');
}

static void print_header(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	const struct plan *plan = report->plan;

	paint(buffer, palette, PAINT_BOLD, "%s%s", report->is_drift ? "drift" : "plan ", "");
	if (!report->is_drift)
		paint(buffer, palette, PAINT_BOLD, "%.8s", report->digest.data);
	buffer_string(buffer, "  ");
	print_safe(buffer, plan->stack);
	if (plan->undoes.size > 0)
		buffer_format(buffer, "  undoes run %.8s", plan->undoes.data);
	if (report->spec.size > 0)
		buffer_format(buffer, "  spec %.7s", report->spec.data);
	buffer_format(buffer, "  state #%lld  ", (long long)plan->serial);
	if (plan->refreshed)
		buffer_format(buffer, "read %zu of %zu in %zu call%s\n", plan->read_count, plan->managed_count,
			      report->call_count, report->call_count == 1 ? "" : "s");
	else
		buffer_string(buffer, "nothing read\n");
	if (report->real.size > 0) {
		paint(buffer, palette, PAINT_LOUD, "MIXED");
		buffer_string(buffer, "   simulated: ");
		print_safe(buffer, report->simulated);
		buffer_string(buffer, "; REAL: ");
		print_safe(buffer, report->real);
		buffer_byte(buffer, '\n');
	}
}

/* What a run left, which is no drift, and no good news either; or NULL. */
static const char *but_for(const struct report *report)
{
	if (!report->is_drift)
		return NULL;
	if (report->unfinished_count > 0)
		return "what was begun and not finished: see BEGUN above";
	return report->outlook ? "what the calls of an earlier run came to: see OPEN above" : NULL;
}

static void print_nothing(struct buffer *buffer, const struct report *report)
{
	const struct plan *plan = report->plan;
	const char *what = plan->unread_count > 0 ? report->is_drift ? "what could be read" : "what could be compared"
			   : plan->refreshed	  ? "what is there"
						  : "what is recorded";

	if (report->is_drift && plan->managed_count == 0 && report->unrecorded_count == 0)
		buffer_format(buffer, "nothing is recorded%s%s\n", plan->serial == 0 ? " yet" : "",
			      report->unlooked_count > 0 ? ", and not all could be looked for" : "");
	else if (plan->unread_count > 0 && plan->refreshed && plan->read_count == 0)
		buffer_string(buffer, "nothing could be read, so nothing is known of what is there\n");
	else if (undo_leaves(plan))
		buffer_string(buffer, "nothing to do: what is left of the run cannot be taken back, see LOST above\n");
	else if (report->applied_saved)
		buffer_format(buffer, "nothing to do: the plan does nothing%s, and what is there now was not read\n",
			      plan->older ? ", the state has changed since it was made" : "");
	else if (plan->destroy && report->unrecorded_count > 0)
		buffer_format(buffer, "nothing is recorded, and yet %zu of this stack %s there\n",
			      report->unrecorded_count, report->unrecorded_count == 1 ? "is" : "are");
	else if (plan->destroy)
		buffer_format(buffer, "nothing to do: %s\n",
			      plan->unread_count > 0
				      ? "what is to go could not be read, or what could not be read holds it"
			      : plan->targeted ? "nothing is recorded of what was named"
					       : "nothing is recorded");
	else if (report->undoes_refused)
		buffer_string(buffer, "nothing to do: the run did nothing, each of its calls was refused\n");
	else if (plan->undoes.size > 0)
		buffer_format(buffer, "nothing to do: what the run changed is as it was recorded before%s\n",
			      plan->unread_count > 0 ? ", as far as it could be read" : "");
	else if (report->unrecorded_count > 0)
		buffer_format(buffer, "%s is as recorded, but for %zu of this stack that %s not recorded\n", what,
			      report->unrecorded_count, report->unrecorded_count == 1 ? "is" : "are");
	else if (report->unlooked_count > 0)
		buffer_format(buffer, "no drift to be seen: %s is as recorded, but not all could be looked for\n",
			      what);
	else if (report->is_drift && report->at_work)
		buffer_format(buffer, "no drift to be seen: %s is as recorded, but for what the run at work does\n",
			      what);
	else if (but_for(report))
		buffer_format(buffer, "%s is as recorded, but for %s\n", what, but_for(report));
	else
		buffer_format(buffer, "%s: %s is as %s\n", report->is_drift ? "no drift" : "nothing to do", what,
			      report->is_drift ? "recorded" : "the spec says");
	if (plan->unread_count > 0)
		buffer_format(buffer, "%zu unread\n", plan->unread_count);
}

/* What of its items is compared all the same. */
static void print_seen(struct buffer *buffer, const struct field *field)
{
	if (!made_has_seen(field))
		return;
	buffer_string(buffer, " (except: which there are");
	for (size_t i = 0; i < field->item->members.count; i++) {
		const struct field *member = field_at(&field->item->members, i);

		if (field_is_compared(member))
			buffer_format(buffer, ", %s", member->name);
	}
	buffer_byte(buffer, ')');
}

static void print_uncompared(struct buffer *buffer, const struct report *report)
{
	for (size_t i = 0; i < report->uncompared_count; i++) {
		const struct uncompared *one = &report->uncompared[i];

		buffer_format(buffer, "%s%s.%s of %zu",
			      i > 0 ? ", " : "not compared, as no read gives it back: ", one->kind->name,
			      one->field->name, one->count);
		print_seen(buffer, one->field);
	}
	if (report->uncompared_count > 0)
		buffer_byte(buffer, '\n');
	for (size_t i = 0; i < report->unasked_count; i++)
		buffer_format(buffer, "%s%s.%s of %zu",
			      i > 0 ? ", " : "not asked for, as no spec sets it: ", report->unasked[i].kind->name,
			      report->unasked[i].field->name, report->unasked[i].count);
	if (report->unasked_count > 0)
		buffer_byte(buffer, '\n');
}

static void render_plan(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	const struct plan *plan = report->plan;
	const enum section *all = plan_sections(report);

	print_header(buffer, report, palette);
	for (enum section section = 0; section < SECTION_COUNT; section++)
		print_section(buffer, report, all, section, palette);
	print_running(buffer, plan, palette);
	print_notes(buffer, plan, palette);
	render_unread(buffer, report, palette);
	render_outlook(buffer, report, palette);
	render_unfinished(buffer, report, palette);
	print_uncompared(buffer, report);
	if (plan_is_empty(plan) && report->diagnostics->error_count == 0)
		print_nothing(buffer, report);
	else if (report->is_drift)
		print_drift_summary(buffer, plan, palette);
	else
		print_summary(buffer, plan, palette);
}

static void print_outputs(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	uint32_t next = 0;

	if (report->all_output_count == 0)
		return;
	paint(buffer, palette, PAINT_BOLD, "outputs");
	buffer_byte(buffer, '\n');
	for (size_t i = 0; i < report->all_output_count; i++) {
		const struct stack_output *output = &report->all_outputs[i];

		buffer_string(buffer, "  ");
		print_safe(buffer, output->name);
		buffer_string(buffer, "  ");
		render_output(buffer, output, render_next_output(&report->outputs, output->name, &next), report->style);
		buffer_byte(buffer, '\n');
	}
}

static void print_left(struct buffer *buffer, const struct apply *apply)
{
	static const char *const words[] = {[ENDING_NONE] = NULL,
					    [ENDING_DONE] = NULL,
					    [ENDING_FAILED] = "failed",
					    [ENDING_SKIPPED] = "still to do",
					    [ENDING_UNFINISHED] = "begun, not finished"};
	/* What was begun is what people look for; where many are left, it must not drown. */
	static const enum ending order[] = {ENDING_UNFINISHED, ENDING_FAILED, ENDING_SKIPPED};
	size_t left = apply->failed_count + apply->skipped_count + apply->unfinished_count;
	size_t shown = 0;

	if (left > 0)
		buffer_string(buffer, "left for the next run\n");
	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
		for (size_t i = 0; i < apply->plan->action_count && shown < LEFT_MOST; i++) {
			if (apply->endings[i] != order[k])
				continue;
			buffer_string(buffer, "  ");
			print_safe(buffer, apply->plan->actions[i].address);
			buffer_format(buffer, "  %s\n", words[order[k]]);
			shown++;
		}
	}
	if (left > shown)
		buffer_format(buffer, "  and %zu more\n", left - shown);
}

/* Of a run that changed something and left something. Where not all of it is recorded the error knows why. What failed
 * may fail again as long as nobody does what its error asks for. */
static const char *what_is_next(const struct report *report)
{
	if (report->applied->unrecorded)
		return "not all that was done is recorded: see the error for what to do\n";
	if (report->applied->failed_count > 0)
		return report->applied_saved
			       ? "what was done is recorded: see to the errors, then plan again for what is left\n"
			       : "what was done is recorded: see to the errors, then run it again to resume\n";
	return report->applied_saved ? "plan again for what is left: what was done is recorded\n"
				     : "run it again to resume: what was done is recorded\n";
}

static void print_applied(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	const struct apply *apply = report->applied;
	bool whole = apply->failed_count + apply->skipped_count + apply->unfinished_count == 0 && !apply->interrupted;
	const char *verdict = whole ? "applied" : apply_has_changed(apply) ? "partly applied" : "not applied";

	paint(buffer, palette, whole ? PAINT_GOOD : PAINT_LOUD, "%s", verdict);
	buffer_format(buffer, ": %zu done, %zu failed, %zu skipped", apply->done_count, apply->failed_count,
		      apply->skipped_count);
	if (apply->unfinished_count > 0)
		buffer_format(buffer, ", %zu not finished", apply->unfinished_count);
	if (apply->begun_count > 0)
		buffer_format(buffer, " (%zu halfway)", apply->begun_count);
	buffer_format(buffer, ", %zu call%s in ", apply->request_count, apply->request_count == 1 ? "" : "s");
	print_duration(buffer, report->elapsed_ms);
	buffer_byte(buffer, '\n');
	/* Those that failed, and what needs them, were each told when that came. */
	if (apply->interrupted)
		print_left(buffer, apply);
	if (whole && undo_leaves(report->plan))
		buffer_string(buffer, "not all that the run did is taken back: see LOST above\n");
	if (!whole && !apply_has_changed(apply))
		buffer_string(buffer, "nothing was changed\n");
	else if (!whole)
		buffer_string(buffer, what_is_next(report));
}

/* To be pasted where the user stands, so both places are named as the user named them. */
static void print_command(struct buffer *buffer, const struct report *report)
{
	buffer_string(buffer, "apply exactly this:  trueup ");
	if (report->folder.size > 0) {
		buffer_string(buffer, "-C ");
		print_word(buffer, report->folder);
		buffer_byte(buffer, ' ');
	}
	buffer_string(buffer, "apply ");
	/* Not to be taken for a flag. */
	if (report->plan_path[0] == '-')
		buffer_string(buffer, "./");
	print_word(buffer, slice_of(report->plan_path));
	buffer_format(buffer, " --digest %.8s\n", report->digest.data);
}

static void render_end(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	if (report->plan_path)
		print_command(buffer, report);
	if (!report->plan)
		render_outlook(buffer, report, palette);
	if (report->applied)
		print_applied(buffer, report, palette);
	print_outputs(buffer, report, palette);
	buffer_append(buffer, report->text);
}

const struct renderer render_text = {
	.name = "text",
	.for_people = true,
	.plan = render_plan,
	.end = render_end,
};
