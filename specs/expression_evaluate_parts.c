#include "specs/expression_evaluate.h"

#include <stdlib.h>

#include "base/memory.h"
#include "specs/expression_function.h"
#include "specs/expression_parser.h"

/* The scalar as text; a diagnostic where it is none. */
static bool part_text(struct evaluator *evaluator, const struct node *node, struct slice *ret)
{
	const struct value *value = &node->literal.value;

	if (scalar_text(evaluator->arena, value, ret))
		return true;
	diag_error(evaluator->diagnostics, FAULT_USER, node->position, "%s cannot become part of a string",
		   value_type_name((enum value_type)value->type));
	if (value->type == VALUE_NULL)
		diag_hint(evaluator->diagnostics, "give another value for null with coalesce()");
	else
		diag_hint(evaluator->diagnostics, "make a string of it with join() or json_encode()");
	return false;
}

/* All parts are literals. Each keeps its own mark. */
static const struct node *template_known(struct evaluator *evaluator, const struct node *node,
					 const struct node *const *parts)
{
	size_t segment_count = 0, size = 0, used = 0;
	struct segment *segments;

	for (uint32_t i = 0; i < node->child_count; i++) {
		const struct value *value = &parts[i]->literal.value;

		segment_count += value->type == VALUE_STRING && value->segmented ? value->segments->count : 1;
	}
	segments = arena_new_array(evaluator->arena, segment_count, struct segment);
	for (uint32_t i = 0; i < node->child_count; i++) {
		const struct value *value = &parts[i]->literal.value;
		struct slice text;

		if (!part_text(evaluator, parts[i], &text))
			return NULL;
		size += text.size;
		if (value->type != VALUE_STRING || !value->segmented) {
			segments[used++] = (struct segment){text, parts[i]->secret};
			continue;
		}
		memcpy(&segments[used], value->segments->segments, value->segments->count * sizeof(*segments));
		used += value->segments->count;
	}
	if (size > EXPRESSION_LONGEST_BYTES) {
		diag_error(evaluator->diagnostics, FAULT_USER, node->position,
			   "the string would be longer than %d bytes", EXPRESSION_LONGEST_BYTES);
		return NULL;
	}
	return evaluate_known(evaluator, node, parts, value_segments(evaluator->arena, segments, used), false);
}

/* What is left of a string while it is put together. */
struct remains {
	struct nodes parts;
	struct buffer run;	   /* known text since the last part */
	const struct node *single; /* the literal that is all of run, or NULL */
	struct position position;  /* of run */
};

static void end_run(struct evaluator *evaluator, struct remains *remains)
{
	struct slice text = buffer_slice(&remains->run);

	if (text.size > 0)
		nodes_add(&remains->parts, remains->single
						   ? remains->single
						   : node_string(evaluator->arena, arena_copy(evaluator->arena, text),
								 remains->position));
	buffer_clear(&remains->run);
	remains->single = NULL;
}

static bool add_remains(struct evaluator *evaluator, struct remains *remains, const struct node *part)
{
	struct slice text;

	if (part->type == NODE_TEMPLATE) {
		for (uint32_t i = 0; i < part->child_count; i++) {
			if (!add_remains(evaluator, remains, part->children[i]))
				return false;
		}
		return true;
	}
	if (part->type == NODE_LITERAL && !part_text(evaluator, part, &text))
		return false;
	if (part->type != NODE_LITERAL || part->secret) {
		end_run(evaluator, remains);
		nodes_add(&remains->parts, part);
		return true;
	}
	if (remains->run.size == 0)
		remains->position = part->position;
	remains->single = remains->run.size == 0 && node_has_type(part, VALUE_STRING) ? part : NULL;
	return buffer_append(&remains->run, text) ||
	       diag_error(evaluator->diagnostics, FAULT_USER, part->position,
			  "the string would be longer than %d bytes", EXPRESSION_LONGEST_BYTES);
}

/* Some part is not known: the known ones beside each other become one. */
static const struct node *template_open(struct evaluator *evaluator, const struct node *node,
					const struct node *const *parts)
{
	struct remains remains = {0};
	const struct node *result = NULL;
	bool done = true, same;

	buffer_init(&remains.run, EXPRESSION_LONGEST_BYTES);
	for (uint32_t i = 0; done && i < node->child_count; i++)
		done = add_remains(evaluator, &remains, parts[i]);
	end_run(evaluator, &remains);
	same = remains.parts.count == node->child_count;
	for (uint32_t i = 0; same && i < node->child_count; i++)
		same = remains.parts.items[i] == node->children[i];
	if (done && same) {
		result = node;
	} else if (done && remains.parts.count == 1) {
		/* Alone it would keep its type; as part of a string it has become one. */
		struct node call = {.type = NODE_CALL, .position = node->position, .child_count = 1};
		const struct node **argument_nodes = arena_new_array(evaluator->arena, 1, const struct node *);

		argument_nodes[0] = remains.parts.items[0];
		call.children = argument_nodes;
		call.function = function_find(SLICE("tostring"));
		result = node_new(evaluator->arena, call);
	} else if (done) {
		result = nodes_parent(&remains.parts, evaluator->arena, NODE_TEMPLATE, node->position);
	}
	nodes_release(&remains.parts);
	buffer_release(&remains.run);
	return result;
}

const struct node *evaluate_template(struct evaluator *evaluator, const struct node *node)
{
	const struct node *const *children;
	bool known;

	if (!evaluate_children(evaluator, node, &children, &known))
		return NULL;
	return known ? template_known(evaluator, node, children) : template_open(evaluator, node, children);
}

const struct node *evaluate_list(struct evaluator *evaluator, const struct node *node)
{
	const struct node *const *children;
	const struct node *list;
	bool known;

	if (!evaluate_children(evaluator, node, &children, &known))
		return NULL;
	list = node_with_children(evaluator->arena, node, children);
	return known ? evaluate_items(evaluator, list, children, node->child_count) : list;
}

struct map_key {
	struct slice text;
	struct position position;
	bool secret;
};

static int map_key_compare(const void *a, const void *b)
{
	const struct map_key *first = (const struct map_key *)a, *second = (const struct map_key *)b;
	int order = slice_compare(first->text, second->text);

	return order != 0 ? order : position_compare(first->position, second->position);
}

static bool check_unique(struct evaluator *evaluator, struct map_key *keys, size_t count)
{
	bool unique = true;

	qsort(keys, count, sizeof(*keys), map_key_compare);
	for (size_t i = 1; i < count; i++) {
		if (!slice_equal(keys[i - 1].text, keys[i].text))
			continue;
		if (keys[i - 1].secret || keys[i].secret)
			unique = diag_error(evaluator->diagnostics, FAULT_USER, keys[i].position,
					    "the map has two members of one name");
		else
			unique = diag_error(evaluator->diagnostics, FAULT_USER, keys[i].position,
					    "the map has two members called '%.*s'",
					    SLICE_ARGUMENTS(slice_first(keys[i].text, 64)));
		diag_related(evaluator->diagnostics, keys[i - 1].position, "the first is here");
	}
	return unique;
}

/* Makes strings of the keys that are known; *ret_secret: one of them is secret. */
static bool map_keys(struct evaluator *evaluator, const struct node **children, size_t pairs, bool *ret_secret)
{
	struct map_key *keys = (struct map_key *)memory_get((pairs + 1) * sizeof(*keys));
	bool done = true;
	size_t known = 0;

	*ret_secret = false;
	for (size_t i = 0; done && i < pairs; i++) {
		const struct node *key = children[2 * i];
		struct slice text;

		if (key->type != NODE_LITERAL)
			continue;
		done = part_text(evaluator, key, &text);
		if (!done)
			break;
		keys[known++] = (struct map_key){text, key->position, key->secret};
		*ret_secret = *ret_secret || key->secret;
		if (key->literal.value.type != VALUE_STRING && !key->secret)
			children[2 * i] = node_string(evaluator->arena, text, key->position);
	}
	done = done && check_unique(evaluator, keys, known);
	free(keys);
	return done;
}

const struct node *evaluate_map(struct evaluator *evaluator, const struct node *node)
{
	const struct node **children = arena_new_array(evaluator->arena, node->child_count, const struct node *);
	size_t pairs = node->child_count / 2;
	const struct node *const *evaluated;
	struct value_member *members;
	bool known, is_secret;

	if (!evaluate_children(evaluator, node, &evaluated, &known))
		return NULL;
	for (uint32_t i = 0; i < node->child_count; i++)
		children[i] = evaluated[i];
	if (!map_keys(evaluator, children, pairs, &is_secret))
		return NULL;
	if (!known)
		return node_with_children(evaluator->arena, node, children);
	members = arena_new_array(evaluator->arena, pairs, struct value_member);
	for (size_t i = 0; i < pairs; i++) {
		const struct node *key = children[2 * i];
		struct slice text;

		if (!part_text(evaluator, key, &text))
			return NULL;
		members[i] = (struct value_member){value_at(value_string(text), key->position),
						   children[2 * i + 1]->literal.value};
	}
	return evaluate_known(evaluator, node, children, value_map(members, pairs), is_secret);
}
