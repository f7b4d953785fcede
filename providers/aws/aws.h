#ifndef TRUEUP_PROVIDERS_AWS_AWS_H
#define TRUEUP_PROVIDERS_AWS_AWS_H

#include "providers/aws/endpoints.h"
#include "providers/aws/kind.h"
#include "providers/aws/parameters.h"
#include "providers/aws/sign.h"
#include "reconcile/provider.h"

/* The AWS provider: what its files share. */
extern const struct provider aws_provider;

struct aws_session {
	struct session session;
	struct world *world;
	struct aws_credentials credentials;
	struct slice region;
	struct aws_endpoints endpoints;
	struct slice ca_file; /* PEM bundle instead of the system's, or empty */
	struct aws_signing_keys keys;
};

/* Sets task->call to an operation of kind's service that changes nothing. parameters are copied by reference. */
void aws_read_set(struct task *task, struct session *session, const struct aws_kind *kind, const char *operation,
		  const struct aws_parameters *parameters);
/* The same of one that changes something. */
void aws_call_set(struct task *task, struct session *session, const struct aws_kind *kind, const struct aws_call *call,
		  const struct aws_parameters *parameters);
/* The diagnostic of a call that failed, with what the service said. */
void aws_call_failed(struct task *task, const struct answer *answer, const char *doing, struct slice what);
/* Adds to the last diagnostic what to do about such an answer, where something can be said. */
void aws_hint_at(struct diagnostics *diagnostics, const struct answer *answer, const char *operation);

enum step aws_identify(struct reading *reading, const struct answer *answer);
enum step aws_list(struct reading *reading, const struct answer *answer);
bool aws_needs_detail(const struct kind *kind, const struct value *matters);
enum step aws_detail(struct reading *reading, const struct answer *answer);
enum step aws_advance(struct work *work, const struct answer *answer);
void aws_arrange(const struct kind *kind, struct live *live, const struct value *wanted, const struct value *outputs,
		 struct arena *arena);
bool aws_takes_steps(const struct kind *kind, const struct field *field, const struct value *changed);

bool aws_open(const struct provider *provider, struct world *world, struct slice name, const struct value *settings,
	      struct arena *arena, struct session **ret, struct diagnostics *diagnostics);
void aws_close(struct session *session);
struct value aws_settings_of(const struct identity *identity, struct arena *arena);
bool aws_expect(struct world *world, const struct value *settings, struct arena *arena, struct identity *ret);
bool aws_prepare(const struct call *call, int64_t wall_ms, struct arena *arena, struct http_request *ret,
		 struct diagnostics *diagnostics);
void aws_interpret(const struct call *call, const struct http_response *response, struct arena *arena,
		   struct answer *ret);
struct provider_limits aws_limits(const struct call *call);

#endif
