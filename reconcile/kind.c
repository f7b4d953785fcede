#include "reconcile/kind.h"

const struct output *output_at(const struct outputs *outputs, size_t index)
{
	return (const struct output *)(const void *)((const char *)outputs->first + index * outputs->stride);
}

/* Asked several times for each field of each resource; names mostly differ in their first bytes. */
static inline bool name_is(const char *name, struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (name[i] != text.data[i] || name[i] == '\0')
			return false;
	}
	return name[text.size] == '\0';
}

const struct field *field_named(const struct fields *fields, struct slice name)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);

		if (name_is(field->name, name))
			return field;
	}
	return NULL;
}

bool field_any(const struct field *field, bool (*test)(const struct field *field))
{
	return test(field) || fields_any(&field->members, test) || (field->item && field_any(field->item, test));
}

bool fields_any(const struct fields *fields, bool (*test)(const struct field *field))
{
	for (size_t i = 0; i < fields->count; i++) {
		if (field_any(field_at(fields, i), test))
			return true;
	}
	return false;
}

bool runs_hold(const struct runs *runs, const struct kind *kind)
{
	for (const char *const *name = runs->holds; name && *name; name++)
		if (strcmp(*name, kind->name) == 0)
			return true;
	return false;
}

bool output_renewed_by(const struct output *output, const char *field)
{
	for (const char *const *name = output->renewed_by; name && *name; name++)
		if (strcmp(*name, field) == 0)
			return true;
	return false;
}

const struct output *output_named(const struct outputs *outputs, struct slice name)
{
	for (size_t i = 0; i < outputs->count; i++) {
		const struct output *output = output_at(outputs, i);

		if (name_is(output->name, name))
			return output;
	}
	return NULL;
}

bool output_pattern_matches(const struct output *output, struct slice text)
{
	return pattern_matches(output->pattern, text);
}

const char *kind_excludes(const struct kind *kind, const struct field *field, const struct value *given)
{
	for (size_t i = 0; i < kind->exclusive_count; i++) {
		const struct exclusive *exclusive = &kind->exclusives[i];
		const char *taken = NULL;
		bool concerned = false;

		for (size_t k = 0; !exclusive->field && exclusive->members[k]; k++) {
			concerned |= strcmp(exclusive->members[k], field->name) == 0;
			if (value_if_set(value_get_named(given, exclusive->members[k])))
				taken = exclusive->members[k];
		}
		if (concerned && taken)
			return taken;
	}
	return NULL;
}

const struct output *kind_output(const struct kind *kind, const char *name)
{
	if (name)
		return output_named(&kind->outputs, slice_of(name));
	return kind->outputs.count > 0 ? output_at(&kind->outputs, 0) : NULL;
}

struct slice kind_provider(const struct kind *kind)
{
	struct slice rest = slice_of(kind->name);

	return slice_cut(&rest, '.');
}

static const struct kind *find_sorted(const struct kinds *kinds, struct slice name)
{
	size_t low = 0, high = kinds->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = slice_compare(slice_of(kinds->items[middle]->name), name);

		if (order == 0)
			return kinds->items[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct kind *kinds_find(const struct kinds *kinds, struct slice name)
{
	const struct kind *found = find_sorted(kinds, name);

	/* Nothing forces a caller to sort its list, and what is missing is rarely asked for. */
	for (size_t i = 0; !found && i < kinds->count; i++) {
		if (name_is(kinds->items[i]->name, name))
			found = kinds->items[i];
	}
	return found;
}
