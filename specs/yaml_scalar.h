#ifndef TRUEUP_SPECS_YAML_SCALAR_H
#define TRUEUP_SPECS_YAML_SCALAR_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/slice.h"
#include "base/value.h"

/*
 * What a plain scalar stands for, by the core schema of YAML 1.2 (section 10.3.2). What
 * YAML 1.1 and 1.2 read differently (yes, off, 010) is refused, so that nobody is surprised.
 * text is borrowed by a string. False after a diagnostic.
 */
__attribute__((warn_unused_result)) bool yaml_scalar_plain(struct slice text, struct position position,
							   struct value *ret, struct diagnostics *diagnostics);

/* Whether a plain text stands for null, true or false in some YAML, so that it cannot be written as a value. */
bool yaml_scalar_is_word(struct slice text);

/* Whether a plain text may be anything but a string; nearly all are not. */
static inline bool yaml_scalar_may_be_other(struct slice text)
{
	static const bool begins[256] = {
		['~'] = true, ['.'] = true, ['+'] = true, ['-'] = true, ['0'] = true, ['1'] = true,
		['2'] = true, ['3'] = true, ['4'] = true, ['5'] = true, ['6'] = true, ['7'] = true,
		['8'] = true, ['9'] = true, ['n'] = true, ['N'] = true, ['t'] = true, ['T'] = true,
		['f'] = true, ['F'] = true, ['y'] = true, ['Y'] = true, ['o'] = true, ['O'] = true,
	};

	return text.size == 0 || begins[(unsigned char)text.data[0]];
}

/* "!!int", "!!str" and the others in their long form: "tag:yaml.org,2002:int". False after
 * a diagnostic: the tag is none of the core schema's, or the text does not fit it. */
__attribute__((warn_unused_result)) bool yaml_scalar_tagged(const char *tag, struct slice text,
							    struct position position, struct value *ret,
							    struct diagnostics *diagnostics);

/* Whether a list or map may carry this tag; NULL always may. False after a diagnostic. */
__attribute__((warn_unused_result)) bool yaml_collection_tag(const char *tag, enum value_type type,
							     struct position position, struct diagnostics *diagnostics);

#endif
