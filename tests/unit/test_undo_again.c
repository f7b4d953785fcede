#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "reconcile/undo_again.h"

/*
 * What undoings of a run were the last to change. A row tells the runs that came after it, oldest first, in words:
 * "undo", "apply", or "state" for one that changed the record alone, then what it changed, each as ADDRESS:FOUND>LEFT,
 * or ADDRESS:FOUND>LEFT@ADDRESS where it is left at another one. FOUND and LEFT are "-" for nothing, else a number that
 * tells objects apart, with "?" behind it for one that was begun, "~" for one of which nothing had come,
 * "!" for one that was left behind.
 */

struct row {
	const char *name;
	const char *runs;   /* separated by ";" */
	const char *wanted; /* ADDRESS:FOUND, separated by spaces */
};

static const struct row rows[] = {
	{"nobody", "", ""},
	{"an undoing", "undo a:1>2", "a:1"},
	{"an undoing that made it", "undo a:->2", "a:-"},
	{"killed between the halves of a replace", "undo a:1>-", "a:1"},
	{"killed while it made the second half", "undo a:1>- a:->2?", "a:1"},
	{"told the other way round", "undo a:->2? a:1>-", "a:1"},
	{"what was begun counts where nothing else stood there", "undo a:1?>2", "a:1"},
	{"what nothing had come of counts as nothing", "undo a:1~>-", "a:-"},
	{"what nothing had come of, beside what was left behind", "undo a:1!>1 a:2~>-", "a:-"},
	{"the current one before that", "undo a:1?>- a:2>-", "a:2"},
	{"what the first undoing found", "undo a:1>-;undo a:->2?;undo a:2?>3", "a:1"},
	{"another run did not touch it", "undo a:1>-;apply b:1>2", "a:1"},
	{"another run has changed it since", "undo a:1>2;apply a:2>3", ""},
	{"another run has made it since", "undo a:1>-;apply a:->2", ""},
	{"another run has removed it since", "undo a:1>-;apply a:->2;apply a:2>-", ""},
	{"another run was in between", "undo a:1>2;apply a:2>3;undo a:3>-", "a:3"},
	{"another run came before", "apply a:1>2;undo a:2>-", "a:2"},
	{"another run was refused what it was to make", "undo a:1>-;apply a:->-", "a:1"},
	{"another run deleted what was left behind", "undo a:1>2;apply a:3!>-", "a:1"},
	{"an undoing that only deleted what was left behind", "undo a:3!>-", ""},
	{"only written anew in the record", "undo a:1>2;state a:2>2", "a:1"},
	{"what was begun, too", "undo a:1>-;undo a:->2?;state a:2?>2", "a:1"},
	{"nothing had come of what was dropped from the record", "undo a:1>-;undo a:->2~;state a:2~>-", "a:1"},
	{"left behind by the record alone", "undo a:1>2;state a:2>2!", ""},
	{"dropped from the record", "undo a:1>2;state a:2>-", ""},
	{"put into the record", "undo a:1>-;state a:->2", ""},
	{"renamed in the record", "undo a:1>2;state a:2>2@z", ""},
	{"renamed there and back", "undo a:1>2;state a:2>2@y;state y:2>2@z;state z:2>2@a", "a:1"},
	{"renamed once and back", "undo a:1>2;state a:2>2@z;state z:2>2@a", "a:1"},
	{"twice", "undo a:1>2;state a:2>2@z;state z:2>2@a;state a:2>2@z;state z:2>2@a", "a:1"},
	{"changed meanwhile by another run", "undo a:1>2;state a:2>2@z;apply z:2>2;state z:2>2@a", ""},
	{"replaced meanwhile by another one", "undo a:1>2;state a:2>2@z;apply z:2>-;state b:3>3@a", ""},
	{"another one is renamed to it", "undo a:1>-;state b:2>2@a", ""},
	{"changed by another run before it was renamed", "undo a:1>2;apply a:2>2;state a:2>2@z;state z:2>2@a", ""},
	{"two addresses", "undo b:1>2 a:->1;apply a:1>2;undo c:1>-", "b:1 c:1"},
};

enum { RUNS = 5, CHANGES = 4 };

struct story {
	struct undo_since runs[RUNS];
	struct past_object past[RUNS][CHANGES];
	size_t count;
};

static bool read_form(struct slice address, struct slice text, struct object *ret)
{
	char mark = text.data[text.size - 1];

	ret->address = address;
	if (slice_is(text, "-"))
		return false;
	ret->object_id = slice_first(text, 1);
	ret->provider_id = mark == '~' ? SLICE("") : SLICE("id-1");
	if (mark == '?' || mark == '~')
		ret->role = OBJECT_INCOMPLETE;
	if (mark == '!')
		ret->role = OBJECT_DEPOSED;
	return true;
}

static void read_story(struct story *story, const char *text)
{
	struct slice rest = slice_of(text);

	*story = (struct story){0};
	while (rest.size > 0) {
		struct slice words = slice_cut(&rest, ';');
		struct undo_since *run = &story->runs[story->count];
		struct past_object *past = story->past[story->count++];
		struct slice word = slice_cut(&words, ' ');

		run->undoes = slice_is(word, "undo");
		run->records_only = slice_is(word, "state");
		run->past = past;
		while (words.size > 0) {
			struct past_object *one = &past[run->past_count++];
			struct slice change = slice_cut(&words, ' ');
			struct slice address = slice_cut(&change, ':');
			struct slice found = slice_cut(&change, '>'), left = slice_cut(&change, '@');

			one->was = read_form(address, found, &one->before);
			one->is = read_form(change.size > 0 ? change : address, left, &one->after);
		}
	}
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct story story;
		struct undo_touched *touched;
		struct arena arena;
		size_t count;
		BUFFER_AUTO told;

		buffer_init(&told, 1024);
		arena_init(&arena);
		read_story(&story, rows[i].runs);
		undo_again_gather(story.runs, story.count, &arena, &touched, &count);
		for (size_t k = 0; k < count; k++) {
			struct slice found =
				touched[k].found ? slice_first(touched[k].found->object_id, 1) : SLICE("-");

			buffer_format(&told, "%s%.*s:%.*s", k > 0 ? " " : "", SLICE_ARGUMENTS(touched[k].address),
				      SLICE_ARGUMENTS(found));
		}
		if (!slice_equal(buffer_slice(&told), slice_of(rows[i].wanted)))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(buffer_slice(&told)));
		arena_release(&arena);
	}
}

static void test_past_address(void **state)
{
	(void)state;
	struct past_object past = {.is = true,
				   .before = {.address = SLICE("a"), .object_id = SLICE("1")},
				   .after = {.address = SLICE("b"), .object_id = SLICE("2")}};

	assert_true(slice_is(past_address(&past), "b"));
	assert_true(slice_is(past_object_id(&past), "2"));
	past.was = true;
	assert_true(slice_is(past_address(&past), "a"));
	assert_true(slice_is(past_object_id(&past), "1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_past_address)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
