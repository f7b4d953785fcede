#ifndef TRUEUP_BASE_VAULT_H
#define TRUEUP_BASE_VAULT_H

#include "base/diag.h"
#include "base/json.h"
#include "base/map.h"
#include "base/seal.h"
#include "base/value.h"
#include "base/world.h"

/*
 * Where the secrets of values rest that are needed again: a map from the fingerprint of each
 * to its sealed text, beside values that hold the fingerprints alone (see json_seal()). What
 * is compared and digested is so the same whether secrets were sealed or not, and under
 * whichever key.
 */
struct vault {
	struct world *world;		/* for nonces; told of each secret that is opened */
	const struct seal_key *key;	/* NULL: there is none at hand, and nothing is sealed */
	struct slice lineage;		/* of the stack: what was sealed for one opens for no other */
	const struct json_style *style; /* gives fingerprints */
};

/* Collects what is to rest in one place. place: "plan", or "intent" and its id. */
struct vault_filling {
	const struct vault *vault;
	struct slice place; /* borrowed */
	struct arena *arena;
	struct map seen; /* fingerprints */
	struct value_builder sealed;
};

void vault_fill(struct vault_filling *filling, const struct vault *vault, struct slice place, struct arena *arena);
/* Seals every secret within value, each once; one of which only the fingerprint is here is passed over. */
void vault_add(struct vault_filling *filling, const struct value *value);
/* The MAP from fingerprints to sealed texts, empty where there was no secret or no key, sorted; ends the filling. */
struct value vault_filled(struct vault_filling *filling);

/* Reads what rests in one place; vault->key is not NULL. */
struct vault_reading {
	const struct vault *vault;
	struct slice place; /* borrowed */
	struct arena *arena;
	struct diagnostics *diagnostics;
	struct map sealed; /* from a fingerprint to the sealed text, a value */
};

void vault_read(struct vault_reading *reading, const struct vault *vault, struct slice place, struct arena *arena,
		const struct value *sealed, struct diagnostics *diagnostics);
void vault_read_end(struct vault_reading *reading);
/*
 * value with every secret put back in place of its fingerprint; one that was not sealed stays a
 * fingerprint (see value_has_fingerprint()). False after a diagnostic where the key is another or
 * a sealed text is damaged.
 */
__attribute__((warn_unused_result)) bool vault_open(struct vault_reading *reading, const struct value *value,
						    struct value *ret);
/* Every sealed text of a place under another key. False after a diagnostic where one does not open. */
__attribute__((warn_unused_result)) bool vault_reseal(const struct vault *from, const struct vault *to,
						      struct slice place, struct arena *arena,
						      const struct value *sealed, struct value *ret,
						      struct diagnostics *diagnostics);

#endif
