#ifndef TRUEUP_SPECS_YAML_PLACE_H
#define TRUEUP_SPECS_YAML_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#include "base/diag.h"
#include "base/slice.h"
#include "base/source.h"

/* Between specs/yaml*.c alone: where things stand in a text, and what is wrong with it. */

/*
 * libyaml counts characters where everyone else counts bytes, and takes more for the end of
 * a line than an editor does. Where that makes a difference a cursor follows the marks from
 * one special place of the text to the next: marks come in order, so all of them together
 * cost one pass.
 */
struct yaml_places {
	struct slice text;
	uint16_t file;
	bool plain;		     /* the text has no special place: marks are right as they are */
	size_t special_byte;	     /* the next special place: a character of several bytes, or a lone CR */
	size_t extra;		     /* by how much bytes are ahead of characters there */
	size_t character;	     /* of the last mark */
	size_t line_character;	     /* where its line begins, as libyaml has it */
	size_t line_extra;	     /* extra there */
	size_t false_breaks;	     /* ends of lines that are none, so far */
	size_t line_byte, seen_byte; /* once there are any: where the real line begins; how far that was looked for */
};

void yaml_places_init(struct yaml_places *places, struct slice text, uint16_t file);
struct position yaml_place_slow(struct yaml_places *places, const yaml_mark_t *mark, size_t *ret_byte);

/* *ret_byte: the offset of the mark in the text, clamped to it. */
static inline struct position yaml_place(struct yaml_places *places, const yaml_mark_t *mark, size_t *ret_byte)
{
	if (!places->plain || mark->column >= UINT16_MAX || mark->index > places->text.size)
		return yaml_place_slow(places, mark, ret_byte);
	*ret_byte = mark->index;
	return (struct position){(uint32_t)(mark->line + 1), (uint16_t)(mark->column + 1), places->file};
}

/* Refuses what is no UTF-8 text before anything is parsed. False after a diagnostic. */
__attribute__((warn_unused_result)) bool yaml_text_check(const struct yaml_places *places,
							 struct diagnostics *diagnostics);
/* What stands behind the mark. */
struct slice yaml_rest(struct slice text, const yaml_mark_t *mark);
/* Says in plain words why the parser stopped. */
void yaml_report_syntax(struct yaml_places *places, const yaml_parser_t *parser, struct diagnostics *diagnostics);

#endif
