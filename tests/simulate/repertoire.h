#ifndef TRUEUP_TESTS_SIMULATE_REPERTOIRE_H
#define TRUEUP_TESTS_SIMULATE_REPERTOIRE_H

/* All that the program can ask of AWS, from the tables of its kinds: so that no operation is forgotten here. */

/* Calls visit with each operation that a kind sends, reads too; one that several calls send comes several times. */
void repertoire_each(void (*visit)(void *context, const char *kind, const char *operation), void *context);

#endif
