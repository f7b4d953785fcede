#ifndef TRUEUP_CLI_SEALING_H
#define TRUEUP_CLI_SEALING_H

#include "base/seal.h"
#include "base/world.h"
#include "reconcile/resource.h"
#include "reconcile/store.h"

/*
 * Where the key comes from that the secrets of a stack are sealed under. It lives outside the
 * state: in the environment (TRUEUP_SEALING_KEY), with a program that prints it
 * (TRUEUP_SEALING_KEY_COMMAND), at AWS KMS, which makes it and gives it back encrypted, to be
 * kept in the state (TRUEUP_SEALING_KEY=kms:KEY), or in a file of its own in the user's settings
 * ($XDG_CONFIG_HOME/trueup/LINEAGE-ID.key). The name of a file tells which key is in it, so
 * that neither two users' first runs nor a replacement of the key can mix two of them up.
 */
struct sealing_key {
	struct seal_key key;
	char id[SEAL_KEY_ID_HEX + 1];
	const char *from;     /* for messages: "TRUEUP_SEALING_KEY"; NULL: no key */
	struct slice unmade;  /* why none could be made, where there is none for that; else empty */
	const char *path;     /* of the file, where it is in one, or NULL */
	struct slice wrapped; /* base64: encrypted by the service that made it, or empty */
};

/*
 * Looks in each place; the first that is set counts, and a service that is named before all. record: of the stack, with
 * the id of the key that is needed, or none. stack: whose providers name the variables that no program is given, or
 * NULL. ret->from stays NULL where there is no key at hand. False after a diagnostic: what is set gives no key, or
 * another than wanted.
 */
__attribute__((warn_unused_result)) bool sealing_key_find(struct world *world, struct arena *arena,
							  const struct stack_record *record, const struct stack *stack,
							  struct sealing_key *ret, struct diagnostics *diagnostics);
/*
 * The key that is to take the place of another: TRUEUP_NEW_SEALING_KEY, or empty ret->from where
 * that is not set.
 */
__attribute__((warn_unused_result)) bool sealing_key_new(struct world *world, struct arena *arena, struct slice lineage,
							 struct sealing_key *ret, struct diagnostics *diagnostics);
/* What is recorded of a key: its id, and its wrapped form where it has one. */
struct slice sealing_key_record(struct arena *arena, const struct sealing_key *key);
/* Makes a stack's first key: in a file, or where TRUEUP_SEALING_KEY names a service, there. ret->from is NULL where the
 * file cannot be kept, and ret->unmade says why; a service that fails is false, after a diagnostic. */
__attribute__((warn_unused_result)) bool sealing_key_make(struct world *world, struct arena *arena,
							  struct slice lineage, struct sealing_key *ret,
							  struct diagnostics *diagnostics);
/* The variable of the environment that counts before a file, or NULL where none is set. */
const char *sealing_key_variable(struct world *world);
/* Where keys lie in files, in arena; NULL: nowhere. */
const char *sealing_key_folder(struct world *world, struct arena *arena);
void sealing_key_wipe(struct sealing_key *key);

#endif
