#include "providers/aws/protocol.h"

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/memory.h"

enum {
	DEPTH_MOST = 64,
	XML_BYTES_MOST = 1 << 30,
	/* What is made of an element may be forty times its text. A page of a listing is a thousand things at the most,
	 * of some hundred elements each. */
	ELEMENTS_MOST = 1000 * 1000,
	/* Of one element: the largest that AWS sends, a template's user data, has some ten thousand bytes. */
	TEXT_BYTES_MOST = 1024 * 1024,
};

_Static_assert(AWS_MEMBERS_MOST <= 128, "struct frame marks members in two words");

/* What EC2 answers where its model has no output: whether it was done. */
static const struct aws_shape truth = {.type = AWS_BOOLEAN};
static const struct aws_member bare_members[] = {{.name = {"Return", 6}, .response_name = {"return", 6}, &truth, 0}};
static const uint8_t bare_order[] = {0};
static const struct aws_shape bare = {
	.type = AWS_STRUCTURE, .members = bare_members, .member_count = 1, .by_response = bare_order};

/* An open element that the shapes know. */
struct frame {
	const struct aws_shape *shape;
	struct slice key; /* in the structure above; empty for an item and for the output */
	uint64_t seen[2]; /* members of a structure that have come already */
	struct value_builder parts;
};

struct reader {
	const struct aws_operation_shape *operation;
	XML_Parser parser;
	struct arena *arena;
	size_t elements; /* open */
	size_t element_count;
	size_t skipped; /* of these, the innermost that nothing is read from */
	struct frame frames[DEPTH_MOST];
	size_t frame_count;
	size_t frames_used; /* those whose builders hold memory */
	struct buffer text; /* of the innermost element, where it is a scalar */
	struct value output;
	bool has_output;
	const char *failure; /* what stopped the parser, or NULL */
};

static void fail(struct reader *reader, const char *failure)
{
	if (reader->failure)
		return;
	reader->failure = failure;
	XML_StopParser(reader->parser, XML_FALSE);
}

static void push(struct reader *reader, const struct aws_shape *shape, struct slice key)
{
	struct frame *frame = &reader->frames[reader->frame_count++];

	if (reader->frame_count > reader->frames_used) {
		value_builder_init(&frame->parts);
		reader->frames_used = reader->frame_count;
	}
	frame->shape = shape;
	frame->key = key;
	frame->seen[0] = 0;
	frame->seen[1] = 0;
	if (shape->type != AWS_STRUCTURE && shape->type != AWS_LIST)
		buffer_clear(&reader->text);
}

/* Of two lists in the place of one nobody knows which tells what there is: no service answers so. */
static const struct aws_member *new_member(struct reader *reader, struct frame *frame, struct slice name)
{
	const struct aws_member *member = aws_response_member(frame->shape, name);
	size_t at;

	if (!member)
		return NULL;
	at = (size_t)(member - frame->shape->members);
	if ((frame->seen[at / 64] >> (at % 64) & 1) != 0)
		fail(reader, "it has an element twice that comes once");
	frame->seen[at / 64] |= (uint64_t)1 << (at % 64);
	return member;
}

/* "DescribeVpcsResponse" to DescribeVpcs. What another call was answered would tell here that there is nothing. */
static bool is_answer_to(const struct aws_operation_shape *operation, struct slice root)
{
	return slice_starts_with(root, operation->name) && slice_is(slice_from(root, operation->name.size), "Response");
}

static const struct aws_shape *output_of(const struct aws_operation_shape *operation)
{
	return operation->output ? operation->output : &bare;
}

/* The outermost elements: the root is the output, or holds the wrapper that is. */
static void start_outside(struct reader *reader, struct slice name)
{
	struct slice wrapper = reader->operation->result_wrapper;

	if (reader->elements == 1) {
		if (!is_answer_to(reader->operation, name)) {
			fail(reader, "it answers something else");
			return;
		}
	}
	if (reader->has_output) {
		reader->skipped = 1;
		return;
	}
	if (reader->elements == 1 && wrapper.size > 0)
		return;
	if (reader->elements == 1 || slice_equal(name, wrapper)) {
		reader->has_output = true;
		push(reader, output_of(reader->operation), (struct slice){NULL, 0});
		return;
	}
	reader->skipped = 1;
}

static void start_inside(struct reader *reader, struct slice name)
{
	struct frame *frame = &reader->frames[reader->frame_count - 1];
	const struct aws_member *member;

	if (frame->shape->type == AWS_LIST) {
		push(reader, frame->shape->item, (struct slice){NULL, 0});
		return;
	}
	member = frame->shape->type == AWS_STRUCTURE ? new_member(reader, frame, name) : NULL;
	if (member)
		push(reader, member->shape, member->name);
	else
		reader->skipped = 1;
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
	struct reader *reader = context;
	const char *colon = strchr(name, ':');

	(void)attributes;
	if (reader->failure)
		return;
	if (++reader->elements > DEPTH_MOST) {
		fail(reader, "its elements lie too deep");
		return;
	}
	if (++reader->element_count > ELEMENTS_MOST) {
		fail(reader, "it holds more than 1,000,000 elements");
		return;
	}
	if (reader->skipped > 0)
		reader->skipped++;
	else if (reader->frame_count == 0)
		start_outside(reader, slice_of(colon ? colon + 1 : name));
	else
		start_inside(reader, slice_of(colon ? colon + 1 : name));
}

static void XMLCALL on_text(void *context, const XML_Char *text, int size)
{
	struct reader *reader = context;
	const struct frame *frame;

	if (reader->failure || reader->skipped > 0 || reader->frame_count == 0)
		return;
	frame = &reader->frames[reader->frame_count - 1];
	if (frame->shape->type != AWS_STRUCTURE && frame->shape->type != AWS_LIST &&
	    !buffer_append(&reader->text, (struct slice){text, (size_t)size}))
		fail(reader, "it holds a text of more than 1 MiB");
}

static struct value read_structure(struct reader *reader, struct frame *frame)
{
	return value_builder_map(&frame->parts, reader->arena);
}

static struct value read_list(struct reader *reader, struct frame *frame)
{
	return value_builder_list(&frame->parts, reader->arena);
}

static struct value read_text(struct reader *reader, struct frame *frame)
{
	(void)frame;
	return value_string(arena_copy(reader->arena, buffer_slice(&reader->text)));
}

static struct value read_blob(struct reader *reader, struct frame *frame)
{
	struct slice bytes;

	(void)frame;
	if (!base64_decode(reader->arena, buffer_slice(&reader->text), &bytes))
		return value_unread();
	return value_string(bytes);
}

static struct value read_integer(struct reader *reader, struct frame *frame)
{
	int64_t integer;

	(void)frame;
	if (!slice_integer(slice_trim(buffer_slice(&reader->text)), &integer))
		return value_unread();
	return value_integer(integer);
}

static struct value read_double(struct reader *reader, struct frame *frame)
{
	struct slice text = slice_trim(buffer_slice(&reader->text));
	const char *string = arena_string(reader->arena, text);
	char *end;
	double number = strtod(string, &end);

	(void)frame;
	if (text.size == 0 || (size_t)(end - string) != text.size || !isfinite(number))
		return value_unread();
	return value_number(number);
}

static struct value read_boolean(struct reader *reader, struct frame *frame)
{
	struct slice text = slice_trim(buffer_slice(&reader->text));

	(void)frame;
	if (slice_is(text, "true") || slice_is(text, "True"))
		return value_bool(true);
	if (slice_is(text, "false") || slice_is(text, "False"))
		return value_bool(false);
	return value_unread();
}

static struct value (*const readers[])(struct reader *, struct frame *) = {
	/* clang-format off */
	[AWS_STRUCTURE] = read_structure,
	[AWS_LIST] = read_list,
	[AWS_STRING] = read_text,
	[AWS_INTEGER] = read_integer,
	[AWS_LONG] = read_integer,
	[AWS_DOUBLE] = read_double,
	[AWS_FLOAT] = read_double,
	[AWS_BOOLEAN] = read_boolean,
	[AWS_TIMESTAMP] = read_text,
	[AWS_BLOB] = read_blob,
	/* clang-format on */
};

static void XMLCALL on_end(void *context, const XML_Char *name)
{
	struct reader *reader = context;
	struct frame *frame;
	struct frame *above;
	struct value value;

	(void)name;
	if (reader->failure)
		return;
	reader->elements--;
	if (reader->skipped > 0) {
		reader->skipped--;
		return;
	}
	if (reader->frame_count == 0)
		return;
	frame = &reader->frames[--reader->frame_count];
	value = readers[frame->shape->type](reader, frame);
	value.secret = frame->shape->sensitive;
	if (reader->frame_count == 0) {
		reader->output = value;
		return;
	}
	above = &reader->frames[reader->frame_count - 1];
	if (above->shape->type == AWS_LIST)
		value_builder_item(&above->parts, value);
	else
		value_builder_member(&above->parts, frame->key, value);
}

/* Entities can be declared only there: without one, nothing in a text stands for more than itself. */
static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public,
			       int has_subset)
{
	(void)name;
	(void)system;
	(void)public;
	(void)has_subset;
	fail(context, "it declares a document type, as a web page does");
}

static bool report(const struct reader *reader, const char *failure, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_INTERNAL, NOWHERE, "the answer to '%.*s' cannot be read: %s (line %lu)",
		   SLICE_ARGUMENTS(reader->operation->name), failure,
		   (unsigned long)XML_GetCurrentLineNumber(reader->parser));
	diag_hint(diagnostics,
		  "check that the endpoint is an AWS API: a proxy or a login page may have answered in its place");
	return false;
}

static unsigned long salt; /* of expat's tables of names, against names that are made to collide; 0: it draws its own */

static void draw_salt(void)
{
	if (getentropy(&salt, sizeof(salt)) != 0)
		salt = 0;
}

/* "Is true if the request succeeds, and an error otherwise", says EC2's reference. Not every endpoint that speaks its
 * language answers it, so that what says nothing of it is taken for done. */
static bool denies_success(const struct reader *reader)
{
	const struct aws_member *member = aws_response_member(output_of(reader->operation), SLICE("return"));
	const struct value *said = member ? value_get(&reader->output, member->name) : NULL;

	return said && said->type == VALUE_BOOL && !said->boolean;
}

static bool parse(struct reader *reader, struct slice xml, struct diagnostics *diagnostics)
{
	/* Left to itself expat asks the kernel for a salt with each answer. */
	static once_flag once = ONCE_FLAG_INIT;
	enum XML_Status status;

	call_once(&once, draw_salt);
	XML_SetHashSalt(reader->parser, salt);
	XML_SetUserData(reader->parser, reader);
	XML_SetElementHandler(reader->parser, on_start, on_end);
	XML_SetCharacterDataHandler(reader->parser, on_text);
	XML_SetStartDoctypeDeclHandler(reader->parser, on_doctype);
	if (xml.size == 0)
		return report(reader, "it is empty", diagnostics);
	if (xml.size > XML_BYTES_MOST)
		return report(reader, "it is too long", diagnostics);
	status = XML_Parse(reader->parser, xml.data, (int)xml.size, XML_TRUE);
	if (reader->failure)
		return report(reader, reader->failure, diagnostics);
	if (status != XML_STATUS_OK)
		return report(reader, XML_ErrorString(XML_GetErrorCode(reader->parser)), diagnostics);
	if (reader->operation->output && !reader->has_output)
		return report(reader, "it holds no result", diagnostics);
	if (denies_success(reader))
		return report(reader, "it says 'false' of its success, and names no error", diagnostics);
	return true;
}

bool aws_response_read(const struct aws_operation_shape *operation, struct slice xml, struct arena *arena,
		       struct value *ret, struct diagnostics *diagnostics)
{
	static const XML_Memory_Handling_Suite memory = {memory_raw, memory_resize, free};
	struct reader reader = {
		.operation = operation,
		.arena = arena,
		.output = value_map(NULL, 0),
		.parser = XML_ParserCreate_MM(NULL, &memory, NULL),
	};
	bool done;

	buffer_init(&reader.text, TEXT_BYTES_MOST);
	done = parse(&reader, xml, diagnostics);
	if (done)
		*ret = operation->output ? reader.output : value_map(NULL, 0);
	for (size_t i = 0; i < reader.frames_used; i++)
		value_builder_release(&reader.frames[i].parts);
	buffer_release(&reader.text);
	XML_ParserFree(reader.parser);
	return done;
}
