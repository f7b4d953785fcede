#include "cli/fingerprint.h"

#include "base/digest.h"

static void write_fingerprint(void *context, struct slice secret, char ret[65])
{
	const struct stack_record *record = context;
	struct digest digest = digest_keyed(record->fingerprint_key, secret);

	digest_hex(&digest, ret);
}

struct json_style fingerprint_style(const struct stack_record *record)
{
	union {
		const struct stack_record *constant;
		void *context;
	} key = {record};

	return (struct json_style){.fingerprint = write_fingerprint, .context = key.context};
}
