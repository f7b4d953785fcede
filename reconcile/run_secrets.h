#ifndef TRUEUP_RECONCILE_RUN_SECRETS_H
#define TRUEUP_RECONCILE_RUN_SECRETS_H

/* Below, not included: who only hands them on has no need of them. */
struct json_style;
struct redaction;

/* The secrets of a run: how they are written, and which are known. A value; both are borrowed. */
struct run_secrets {
	/* Writes each as its fingerprint under the stack's key; may be NULL where nothing is secret. */
	const struct json_style *style;
	/* Those that are known in clear, for who looks for them where nothing marks them; NULL: none. */
	const struct redaction *known;
};

#endif
