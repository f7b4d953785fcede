#include "base/map.h"
#include "base/value_put.h"
#include "cli/command_list.h"
#include "cli/job_record.h"
#include "cli/job_run.h"
#include "cli/providers.h"
#include "cli/question.h"
#include "cli/rebuild_look.h"
#include "cli/recorded.h"
#include "cli/recovery.h"
#include "reconcile/rebuild.h"

enum { LINEAGES_SHOWN = 5, BACKUPS_MOST = 100 };

/* A state that is made anew. */
struct rebuild {
	struct job *job;
	struct rebuild_past past; /* records that are there, and go */
	bool is_unsettled;	  /* calls of theirs are open, and stay so: nothing is rebuilt */
	struct inventory inventory;
	struct map unseen; /* intents of calls that were given up, of which something has come */
	struct lineage *lineages;
	size_t lineage_count;
	struct slice lineage;
	struct rebuilding rebuilding;
	const char *backup; /* or NULL */
};

static bool is_forced(const struct rebuild *rebuild)
{
	return arguments_has(rebuild->job->invocation->arguments, FLAG_FORCE);
}

/* What is recorded is worth more than what tags tell. */
static bool check_empty(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;

	if ((job->object_count == 0 && job->intent_count == 0) || is_forced(rebuild))
		return true;
	diag_error(job->diagnostics, FAULT_CONFLICT, NOWHERE,
		   "the state file '%s' is there, with %zu object%s and %zu open call%s", job_state_path(job),
		   job->object_count, job->object_count == 1 ? "" : "s", job->intent_count,
		   job->intent_count == 1 ? "" : "s");
	diag_hint(job->diagnostics, "it knows more than tags tell; to rebuild it all the same say --force, which backs "
				    "it up first");
	return false;
}

/* Which records can be relied on. What is wrong with the others is why they are made anew, and not told. */
static bool read_old(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;
	bool *is_sound = arena_new_array(job->arena, job->object_count + 1, bool);
	struct slice *texts = arena_new_array(job->arena, job->object_count + 1, struct slice);
	const struct object **objects = arena_new_array(job->arena, job->object_count + 1, const struct object *);
	struct diagnostics unheard;

	for (size_t i = 0; i < job->object_count; i++)
		objects[i] = job->objects[i];
	/* A file that cannot be read just now says nothing of its records. */
	if (!job->store->ops->bodies(job->store, job->arena, objects, job->object_count, texts, job->diagnostics))
		return false;
	diagnostics_init(&unheard, job->arena);
	for (size_t i = 0; i < job->object_count; i++) {
		struct object *object = job->objects[i];

		is_sound[i] = texts[i].size > 0 && object_body_read(object, texts[i], job->arena, &unheard) &&
			      object_check_id(object, kinds_find(&job->kinds, object->kind), job->arena, &unheard);
	}
	diagnostics_release(&unheard);
	rebuild_past_release(&rebuild->past);
	rebuild_past_init(&rebuild->past, job->objects, is_sound, job->object_count, job->arena);
	return true;
}

/* The others tell nothing of what calls have done. */
static void set_aside_unsound(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;
	struct object **sound = arena_new_array(job->arena, job->object_count + 1, struct object *);
	size_t count = 0, intent_count = 0;
	struct map unsound;

	map_init(&unsound);
	for (size_t i = 0; i < job->object_count; i++)
		if (rebuild->past.is_sound[i])
			sound[count++] = job->objects[i];
		else
			map_mark(&unsound, job->objects[i]->object_id);
	for (size_t i = 0; i < job->intent_count; i++)
		if (!map_has(&unsound, job->intents[i].object_id))
			job->intents[intent_count++] = job->intents[i];
	map_release(&unsound);
	job->objects = sound;
	job->object_count = count;
	job->intent_count = intent_count;
}

/* What it did, or does yet, nobody could tell any more once the record has no such call. */
static void refuse_open(struct rebuild *rebuild, const struct intent *intent)
{
	struct job *job = rebuild->job;
	bool is_sound = map_get(&rebuild->past.by_object_id, intent->object_id) != NULL;

	rebuild->is_unsettled = true;
	diag_error(job->diagnostics, FAULT_AMBIGUOUS, NOWHERE,
		   "nothing is rebuilt as long as it is not known what became of %.*s for '%.*s' (intent %.*s)%s",
		   SLICE_ARGUMENTS(intent->operation), SLICE_ARGUMENTS(intent->address), SLICE_ARGUMENTS(intent->id),
		   is_sound ? "" : ", whose record is damaged");
	diag_address(job->diagnostics, intent->address);
	diag_hint(job->diagnostics, "%s",
		  is_sound ? "run this again once it can be read; 'trueup state rm --force' lets go of it and of what "
			     "it made"
			   : "put back the newest backup of the state file; where there is none, move it away, with "
			     "its -wal and -shm, and run this again once the call is minutes old");
}

/* What the old records alone tell of calls is made use of before they go, as any recovery does. */
static bool settle_old(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;

	job->aim = AIM_LOOK;
	if (!read_old(rebuild))
		return false;
	set_aside_unsound(rebuild);
	if (!job_recover(job) || !job_reload(job) || !read_old(rebuild))
		return false;
	for (size_t i = 0; i < job->intent_count; i++)
		refuse_open(rebuild, &job->intents[i]);
	return !rebuild->is_unsettled;
}

/* What nobody looked for would be made a second time by the next apply. */
static bool open_sessions(struct job *job)
{
	return job_open_sessions(job) && job_all_answer(job, "rebuilt");
}

/* Where there is no state one is made only once it is known who answers. */
static bool open_all(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;
	bool is_first = !job_has_store(job);

	return job_load_spec(job) && (!is_first || open_sessions(job)) &&
	       job_open_state(job, STATE_WRITE, job->stack.name) && check_empty(rebuild) &&
	       (is_first || open_sessions(job)) && settle_old(rebuild);
}

/* What showed its secret in an answer that nobody saw. */
static bool find_unseen(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;
	size_t most = rebuild->inventory.count, count = 0;
	struct past_question *questions = arena_new_array(job->arena, most + 1, struct past_question);
	struct past_call *past = arena_new_array(job->arena, most + 1, struct past_call);

	map_init_in(&rebuild->unseen, job->arena);
	for (size_t i = 0; i < most; i++) {
		const struct stray *stray = &rebuild->inventory.items[i];

		if (field_named(&stray->kind->fields, SLICE(SECRET_TO)) && stray->live->ownership.intent.size > 0)
			questions[count++] = recover_ask(stray);
	}
	if (!job->store->ops->past(job->store, job->arena, questions, count, past, job->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++)
		if (past[i].known && past[i].outcome != OUTCOME_DONE)
			map_mark(&rebuild->unseen, questions[i].intent);
	return true;
}

static void list_lineages(const struct rebuild *rebuild, struct slice intro)
{
	struct job *job = rebuild->job;
	BUFFER_AUTO text;

	buffer_init(&text, 4096);
	for (size_t i = 0; i < rebuild->lineage_count && i < LINEAGES_SHOWN; i++)
		buffer_format(&text, "%s%.*s (%zu of %zu)", i > 0 ? ", " : "", SLICE_ARGUMENTS(rebuild->lineages[i].id),
			      rebuild->lineages[i].matched_count, rebuild->lineages[i].count);
	diag_hint(job->diagnostics, "%.*s%.*s", SLICE_ARGUMENTS(intro), SLICE_ARGUMENTS(buffer_slice(&text)));
}

static bool choose_named(struct rebuild *rebuild, struct slice wanted)
{
	struct job *job = rebuild->job;
	const struct lineage *found = NULL;

	for (size_t i = 0; i < rebuild->lineage_count; i++) {
		if (!slice_starts_with(rebuild->lineages[i].id, wanted))
			continue;
		if (found)
			return diag_error(job->diagnostics, FAULT_USAGE, NOWHERE,
					  "more than one lineage begins with '%.*s'", SLICE_ARGUMENTS(wanted));
		found = &rebuild->lineages[i];
	}
	if (!found) {
		diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE, "nothing carries a lineage that begins with '%.*s'",
			   SLICE_ARGUMENTS(wanted));
		if (rebuild->lineage_count > 0)
			list_lineages(rebuild, SLICE("there are, with how many at addresses of the spec: "));
		return false;
	}
	rebuild->lineage = found->id;
	return true;
}

/* Two stacks of one account may have the same addresses: whose things are meant is not guessed. */
static bool choose_lineage(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;
	struct slice wanted = arguments_text(job->invocation->arguments, FLAG_LINEAGE, NULL);
	size_t matched = 0;

	rebuild->lineages = rebuild_lineages(&rebuild->inventory, &job->stack, &rebuild->lineage_count, job->arena);
	if (wanted.size > 0)
		return choose_named(rebuild, wanted);
	for (size_t i = 0; i < rebuild->lineage_count; i++)
		matched += rebuild->lineages[i].matched_count > 0;
	if (rebuild->past.count > 0 || matched == 0) {
		rebuild->lineage = job->record->lineage;
		return true;
	}
	if (matched == 1) {
		rebuild->lineage = rebuild->lineages[0].id;
		return true;
	}
	diag_error(job->diagnostics, FAULT_CONFLICT, NOWHERE, "the things of %zu stacks carry addresses of this spec",
		   matched);
	list_lineages(rebuild,
		      SLICE("say with --lineage which is this one's; with how many at addresses of the spec: "));
	return false;
}

static bool has_secret(void *context, struct slice file)
{
	const struct job *job = context;

	return state_is_there(job->world, written_secret_path(job->folder, file, job->arena));
}

/* How a finding is shown, and what it means for the exit status. */
struct finding_class {
	const char *name; /* in documents */
	const char *text;
	bool is_of_field; /* of the field that `what` names, not of the whole object */
	int status;
	bool is_there; /* something of the stack, for all that is known, that is not recorded */
	bool is_again; /* the text ends with another rebuild, which is to be forced where something is recorded then */
};

static const struct finding_class classes[REBUILD_CLASS_COUNT] = {
	[REBUILD_TWINS] = {"twins",
			   "is claimed by more than one, and none is recorded: see which is meant, delete the other or "
			   "take its 'trueup:' tags off, and rebuild again",
			   false, STATUS_PARTLY, true, true},
	[REBUILD_BESIDE] = {"twins", "claims the same as one that is recorded, as it was before: it is left alone",
			    false, STATUS_PARTLY, true, false},
	[REBUILD_LEFT] = {"left", "is what a replace left behind: the next plan deletes it, or takes it back", false,
			  STATUS_FINE, false, false},
	[REBUILD_UNUSABLE] = {"unusable", "is not recorded", false, STATUS_PARTLY, true, false},
	[REBUILD_ABSENT] = {"absent", "is not there: the next plan makes it", false, STATUS_FINE, false, false},
	[REBUILD_EXTRA] = {"extra", "is not in the spec: the next plan deletes it, or a machine's record alone", false,
			   STATUS_FINE, false, false},
	[REBUILD_ASSUMED] = {"assumed", "is taken to be as the spec says, because no read gives it back", true,
			     STATUS_FINE, false, false},
	[REBUILD_UNREAD] = {"unread",
			    "could not be read: it is recorded as it was before, or by its tags alone where it was not",
			    false, STATUS_INCOMPLETE, false, false},
	[REBUILD_UNSEEN] = {"unseen", "could not be looked at, and is not recorded", false, STATUS_INCOMPLETE, true,
			    false},
	[REBUILD_LOST] =
		{"lost",
		 "names what does not have its key, which is shown once: the next plan makes another; where it is a "
		 "file that is not there, and you have it, put it there and rebuild again",
		 true, STATUS_PARTLY, false, true},
	[REBUILD_KEPT] = {"kept", "was not finished: its record stays as it was, and the next apply goes on with it",
			  false, STATUS_FINE, false, false},
	[REBUILD_DROPPED] = {"dropped",
			     "was not finished, and its record does not fit what is there: what is left to do about it "
			     "is known no more",
			     false, STATUS_PARTLY, false, false},
	[REBUILD_DAMAGED] = {"damaged", "had a record that could not be read: whether it was finished is not known",
			     false, STATUS_INCOMPLETE, false, false},
};

static bool is_anything_there(const struct rebuild *rebuild)
{
	const struct rebuilding *rebuilding = &rebuild->rebuilding;

	for (size_t i = 0; i < rebuilding->finding_count; i++)
		if (classes[rebuilding->findings[i].class].is_there)
			return true;
	return rebuilding->object_count > 0;
}

static bool make_records(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;

	rebuild->rebuilding = (struct rebuilding){
		.stack = &job->stack,
		.kinds = &job->kinds,
		.providers = &all_providers,
		.resolver = &job->resolver,
		.secrets = job->secrets,
		.lineage = rebuild->lineage,
		.past = &rebuild->past,
		.unseen = &rebuild->unseen,
		.has_secret = has_secret,
		.context = job,
		.arena = job->arena,
	};
	if (!find_unseen(rebuild))
		return false;
	rebuild_match(&rebuild->rebuilding, &rebuild->inventory);
	if (!job_read_rebuilt(job, &rebuild->rebuilding))
		return false;
	job_add_found(job, &rebuild->rebuilding);
	rebuild_add_recorded(&rebuild->rebuilding, job->refresh.unrecorded);
	rebuild_close(&rebuild->rebuilding);
	/* Again, in the order of their addresses, and with those that carry no tags. */
	if (!job_read_rebuilt(job, &rebuild->rebuilding) ||
	    !rebuild_fill(&rebuild->rebuilding, job->refresh.live, job->diagnostics))
		return false;
	if (is_anything_there(rebuild))
		return true;
	diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE, "nothing is there that the stack '%.*s' made",
		   SLICE_ARGUMENTS(job->stack.name));
	diag_hint(job->diagnostics, "is it the right account, region and endpoint? Tags tell what belongs to a stack");
	return false;
}

static bool has_records(const struct rebuild *rebuild)
{
	return rebuild->rebuilding.object_count + rebuild->rebuilding.unseen_count > 0;
}

static void print_finding(const struct rebuild *rebuild, struct buffer *text, const struct rebuild_finding *finding)
{
	const struct finding_class *class = &classes[finding->class];

	buffer_string(text, "  ! ");
	print_safe(text, finding->address.size > 0 ? finding->address : SLICE("(no address)"));
	if (class->is_of_field) {
		buffer_byte(text, '.');
		print_safe(text, finding->what);
	} else if (finding->provider_id.size > 0) {
		buffer_string(text, "  ");
		print_safe(text, finding->provider_id);
	}
	buffer_format(text, "  %s%s", class->text,
		      class->is_again && has_records(rebuild) && !is_forced(rebuild) ? " (--force)" : "");
	if (finding->what.size > 0 && !class->is_of_field) {
		buffer_string(text, ": ");
		print_safe(text, finding->what);
	}
	buffer_byte(text, '\n');
}

static void print_records(const struct rebuild *rebuild, struct buffer *text)
{
	const struct rebuilding *rebuilding = &rebuild->rebuilding;

	for (size_t i = 0; i < rebuilding->object_count; i++) {
		buffer_string(text, "  = ");
		print_safe(text, rebuilding->objects[i]->address);
		buffer_string(text, "  ");
		print_safe(text, rebuilding->objects[i]->provider_id);
		buffer_byte(text, '\n');
	}
	for (size_t i = 0; i < rebuilding->finding_count; i++)
		print_finding(rebuild, text, &rebuilding->findings[i]);
}

static struct value findings_value(const struct rebuild *rebuild)
{
	struct arena *arena = rebuild->job->arena;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < rebuild->rebuilding.finding_count; i++) {
		const struct rebuild_finding *finding = &rebuild->rebuilding.findings[i];
		VALUE_BUILDER_AUTO one;

		value_builder_init(&one);
		put(&one, "class", value_text(classes[finding->class].name));
		put(&one, "address", value_string(finding->address));
		put(&one, "provider_id",
		    finding->provider_id.size > 0 ? value_string(finding->provider_id) : value_null());
		put(&one, "what", finding->what.size > 0 ? value_string(finding->what) : value_null());
		value_builder_item(&list, value_builder_map(&one, arena));
	}
	return value_builder_list(&list, arena);
}

/* Where all that is there is contested the record stays as it is: plan goes on warning of a state that was lost. */
static struct value data_of(const struct rebuild *rebuild)
{
	struct job *job = rebuild->job;
	VALUE_BUILDER_AUTO data;
	VALUE_BUILDER_AUTO objects;

	value_builder_init(&data);
	value_builder_init(&objects);
	for (size_t i = 0; i < rebuild->rebuilding.object_count; i++) {
		VALUE_BUILDER_AUTO head;

		value_builder_init(&head);
		put_head(&head, rebuild->rebuilding.objects[i], job->arena);
		value_builder_item(&objects, value_builder_map(&head, job->arena));
	}
	put(&data, "stack", value_string(job->stack.name));
	put(&data, "lineage", value_string(rebuild->lineage));
	put(&data, "backup", rebuild->backup ? value_text(rebuild->backup) : value_null());
	put(&data, "objects", value_builder_list(&objects, job->arena));
	put(&data, "findings", findings_value(rebuild));
	return value_builder_map(&data, job->arena);
}

static bool is_wanted(const struct rebuild *rebuild)
{
	struct job *job = rebuild->job;
	BUFFER_AUTO question;

	buffer_init(&question, SIZE_MAX);
	if (arguments_has(job->invocation->arguments, FLAG_YES))
		return true;
	print_records(rebuild, &question);
	buffer_format(&question, "Record this as the stack '%.*s', lineage %.8s?", SLICE_ARGUMENTS(job->stack.name),
		      rebuild->lineage.data);
	return question_ask(job->invocation, arena_string(job->arena, buffer_slice(&question)), "record this",
			    "say --yes", NULL);
}

/* A rebuild that came to no end has left its backup, and what is recorded is the same. */
static const char *free_name(struct job *job)
{
	struct slice name =
		arena_format(job->arena, "%s.before-rebuild-%lld", job_state_path(job), (long long)job->record->serial);
	struct slice tried = name;

	for (int number = 2; number <= BACKUPS_MOST && state_is_there(job->world, tried.data); number++)
		tried = arena_format(job->arena, "%.*s-%d", SLICE_ARGUMENTS(name), number);
	return tried.data;
}

/* One moment of what goes, beside the state file. */
static bool back_up(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;

	if (rebuild->past.count == 0)
		return true;
	rebuild->backup = free_name(job);
	return job->store->ops->backup(job->store, rebuild->backup, false, job->diagnostics);
}

static bool commit(const struct rebuild *rebuild)
{
	struct job *job = rebuild->job;
	size_t count = rebuild->rebuilding.object_count;
	const struct object **upserts = arena_new_array(job->arena, count + 1, const struct object *);
	struct slice *bodies = arena_new_array(job->arena, count + 1, struct slice);
	struct removal *removals = arena_new_array(job->arena, rebuild->past.count + 1, struct removal);
	struct commit all = {.upserts = upserts, .bodies = bodies, .upsert_count = count, .lineage = rebuild->lineage};
	struct map kept;

	map_init(&kept);
	for (size_t i = 0; i < count; i++) {
		upserts[i] = rebuild->rebuilding.objects[i];
		bodies[i] = object_body_write(upserts[i], job->arena, &job->style);
		map_mark(&kept, upserts[i]->object_id);
	}
	for (size_t i = 0; i < rebuild->past.count; i++)
		if (!map_has(&kept, rebuild->past.objects[i]->object_id))
			removals[all.removal_count++] = (struct removal){rebuild->past.objects[i]->object_id, true};
	map_release(&kept);
	all.removals = removals;
	return job_commit_and_end(job, &all);
}

static bool record(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;

	return is_wanted(rebuild) && back_up(rebuild) &&
	       job_begin_run(job, SLICE("state rebuild"), (struct slice){NULL, 0}, &job->record->serial) &&
	       commit(rebuild);
}

/* What was not recorded weighs more than what was not read. */
static int status_of(const struct rebuild *rebuild)
{
	int status = STATUS_FINE;

	for (size_t i = 0; i < rebuild->rebuilding.finding_count && status != STATUS_PARTLY; i++)
		if (classes[rebuild->rebuilding.findings[i].class].status != STATUS_FINE)
			status = classes[rebuild->rebuilding.findings[i].class].status;
	return status;
}

static int tell(struct rebuild *rebuild)
{
	struct job *job = rebuild->job;
	struct report report = invocation_report(job->invocation);
	size_t count = rebuild->rebuilding.object_count;
	BUFFER_AUTO text;

	buffer_init(&text, SIZE_MAX);
	print_records(rebuild, &text);
	if (has_records(rebuild))
		buffer_format(&text, "recorded %zu object%s of lineage %.8s\n", count, count == 1 ? "" : "s",
			      rebuild->lineage.data);
	else
		buffer_string(&text, "recorded nothing\n");
	if (rebuild->backup) {
		buffer_string(&text, "what was recorded before is in ");
		print_safe(&text, slice_of(rebuild->backup));
		buffer_byte(&text, '\n');
	}
	report.text = buffer_slice(&text);
	report.data = data_of(rebuild);
	report.style = &job->style;
	return invocation_end(job->invocation, &report, status_of(rebuild));
}

static int rebuild_once(struct job *job, const void *about)
{
	struct rebuild rebuild = {.job = job};
	int status = STATUS_ERROR;

	(void)about;
	rebuild_past_init(&rebuild.past, NULL, NULL, 0, job->arena);
	bool done = open_all(&rebuild) && job_take_inventory(job, &rebuild.past, &rebuild.inventory) &&
		    choose_lineage(&rebuild) && make_records(&rebuild) && (!has_records(&rebuild) || record(&rebuild));
	if (!job->moved)
		status = done ? tell(&rebuild)
			      : invocation_fail(job->invocation, rebuild.is_unsettled ? STATUS_PARTLY : STATUS_ERROR);
	rebuild_past_release(&rebuild.past);
	return status;
}

static int run_state_rebuild(struct invocation *invocation)
{
	return job_attempts(invocation, rebuild_once, NULL);
}

static const enum flag_id rebuild_flags[] = {
	FLAG_YES,	  FLAG_FORCE, FLAG_LINEAGE,	  FLAG_VAR,
	FLAG_PARALLELISM, FLAG_GRACE, FLAG_LEASE_TIMEOUT, FLAG_FORCE_NETWORK_STATE,
};

const struct command command_state_rebuild = {
	.name = "state rebuild",
	.about = "make a state that was lost anew, from the ownership tags of what is there and from the spec",
	.operands = "",
	.details = "Lists every kind everywhere that the providers of the spec reach, and records what\n"
		   "carries the stack's tags. Changes nothing but the record. What cannot be recorded is\n"
		   "listed; where two things claim to be the same both are left alone, and it ends with 7;\n"
		   "so it does where the file of a secret_to is not there: the next plan makes another.\n"
		   "A state with records is replaced only with --force, recovered first, as 'trueup recover'\n"
		   "does, and backed up; what was begun and not finished keeps its record. It is refused\n"
		   "where a place or a kind of the record cannot be looked at; a machine that does not\n"
		   "answer keeps its record, and it ends with 3.\n",
	.flags = rebuild_flags,
	.flag_count = sizeof(rebuild_flags) / sizeof(rebuild_flags[0]),
	.remakes = true,
	.force = "put what the tags tell in the place of what is recorded",
	.run = run_state_rebuild,
};
