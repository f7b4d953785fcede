#include "providers/aws/errors.h"

#include <stdlib.h>

/*
 * The meaning of codes that no pattern tells. Sorted by code. Sources:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html (EC2),
 * https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html (query services),
 * https://docs.aws.amazon.com/autoscaling/ec2/APIReference/CommonErrors.html, and for
 * throttling https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html.
 *
 * FAULT_AMBIGUOUS stands for a fault of the server: FAULT_TRANSIENT where nothing is changed.
 */
static const struct code {
	const char *text;
	enum fault fault;
} codes[] = {
	{"AccessDenied", FAULT_AUTH},
	{"AccessDeniedException", FAULT_AUTH},
	{"AuthFailure", FAULT_AUTH},
	{"BandwidthLimitExceeded", FAULT_THROTTLED},
	{"Blocked", FAULT_AUTH},
	{"ConcurrentModification", FAULT_TRANSIENT},
	{"ConcurrentTagAccess", FAULT_TRANSIENT},
	{"DependencyViolation", FAULT_CONFLICT},
	{"EC2ThrottledException", FAULT_THROTTLED},
	{"ExpiredToken", FAULT_AUTH},
	{"ExpiredTokenException", FAULT_AUTH},
	{"Gateway.NotAttached", FAULT_ABSENT},
	{"IdempotentParameterMismatch", FAULT_CONFLICT},
	{"IncompleteSignature", FAULT_AUTH},
	{"IncompleteSignatureException", FAULT_AUTH},
	{"IncorrectInstanceState", FAULT_CONFLICT},
	{"IncorrectState", FAULT_CONFLICT},
	{"InsufficientInstanceCapacity", FAULT_CONFLICT},
	{"InternalError", FAULT_AMBIGUOUS},
	{"InternalFailure", FAULT_AMBIGUOUS},
	{"InvalidAccessKeyId", FAULT_AUTH},
	{"InvalidAction", FAULT_UNSUPPORTED},
	{"InvalidClientTokenId", FAULT_AUTH},
	{"InvalidSignatureException", FAULT_AUTH},
	{"MissingAuthenticationToken", FAULT_AUTH},
	{"MissingAuthenticationTokenException", FAULT_AUTH},
	{"NoSuchEntity", FAULT_ABSENT},
	{"NoSuchVersion", FAULT_UNSUPPORTED},
	{"NotAuthorized", FAULT_AUTH},
	{"NotImplemented", FAULT_UNSUPPORTED},
	{"OptInRequired", FAULT_AUTH},
	{"PendingVerification", FAULT_AUTH},
	{"PriorRequestNotComplete", FAULT_THROTTLED},
	{"RequestExpired", FAULT_AUTH},
	{"RequestLimitExceeded", FAULT_THROTTLED},
	{"RequestThrottled", FAULT_THROTTLED},
	{"RequestThrottledException", FAULT_THROTTLED},
	{"RequestTimeTooSkewed", FAULT_AUTH},
	{"RequestTimeout", FAULT_AMBIGUOUS},
	{"RequestTimeoutException", FAULT_AMBIGUOUS},
	/* Auto Scaling sends it with status 500: another update of the group is under way, this one was not taken. */
	{"ResourceContention", FAULT_TRANSIENT},
	{"ResourceInUse", FAULT_CONFLICT},
	{"ScalingActivityInProgress", FAULT_CONFLICT},
	{"ServiceUnavailable", FAULT_AMBIGUOUS},
	{"SignatureDoesNotMatch", FAULT_AUTH},
	{"SignatureDoesNotMatch.TooSkewed", FAULT_AUTH},
	{"SlowDown", FAULT_THROTTLED},
	{"ThrottledException", FAULT_THROTTLED},
	{"Throttling", FAULT_THROTTLED},
	{"ThrottlingException", FAULT_THROTTLED},
	{"TooManyRequestsException", FAULT_THROTTLED},
	{"UnauthorizedOperation", FAULT_AUTH},
	{"Unavailable", FAULT_AMBIGUOUS},
	{"UnknownOperation", FAULT_UNSUPPORTED},
	{"UnknownOperationException", FAULT_UNSUPPORTED},
	{"UnrecognizedClientException", FAULT_AUTH},
	{"VolumeInUse", FAULT_CONFLICT},
};

enum part_place { AT_THE_END, ANYWHERE };

/* Families of codes, tried in this order (the EC2 page above). A quota, whose codes end in
 * LimitExceeded, is held by what exists already: waiting does not help. */
static const struct {
	const char *part;
	enum part_place place;
	enum fault fault;
} families[] = {
	/* clang-format off */
	{"NotFound", AT_THE_END, FAULT_ABSENT},
	{"NotFoundException", AT_THE_END, FAULT_ABSENT},
	{".Malformed", AT_THE_END, FAULT_ABSENT},
	{"Already", ANYWHERE, FAULT_CONFLICT},
	{"Duplicate", ANYWHERE, FAULT_CONFLICT},
	{"Conflict", ANYWHERE, FAULT_CONFLICT},
	{"InUse", AT_THE_END, FAULT_CONFLICT},
	{"InvalidState", AT_THE_END, FAULT_CONFLICT},
	{"LimitExceeded", AT_THE_END, FAULT_CONFLICT},
	{"LimitExceededException", AT_THE_END, FAULT_CONFLICT},
	{"Insufficient", ANYWHERE, FAULT_CONFLICT},
	/* clang-format on */
};

/* Where the code says nothing (RFC 9110, section 15; 429: RFC 6585, section 4). */
static const struct {
	int least;
	int most;
	enum fault fault;
} statuses[] = {
	/* clang-format off */
	{401, 401, FAULT_AUTH},
	{403, 403, FAULT_AUTH},
	{407, 407, FAULT_AUTH},
	{408, 408, FAULT_AMBIGUOUS},
	{429, 429, FAULT_THROTTLED},
	{500, 599, FAULT_AMBIGUOUS},
	/* clang-format on */
};

enum { HTTP_NOT_IMPLEMENTED = 501 };

static int compare_code(const void *key, const void *entry)
{
	const struct slice *code = key;
	const struct code *other = entry;

	return slice_compare(*code, slice_of(other->text));
}

static bool has_part(struct slice code, const char *text, enum part_place place)
{
	struct slice part = slice_of(text);

	return place == ANYWHERE ? slice_contains(code, part) : slice_ends_with(code, part);
}

static enum fault meaning(struct slice code, int status)
{
	const struct code *found =
		bsearch(&code, codes, sizeof(codes) / sizeof(codes[0]), sizeof(codes[0]), compare_code);

	/* Some stand-ins for AWS send this status with a code of a fault of their own. */
	if (status == HTTP_NOT_IMPLEMENTED && code.size > 0)
		return FAULT_UNSUPPORTED;
	if (found)
		return found->fault;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (has_part(code, families[i].part, families[i].place))
			return families[i].fault;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		if (status >= statuses[i].least && status <= statuses[i].most)
			return statuses[i].fault;
	}
	return FAULT_USER;
}

enum fault aws_error_fault(struct slice code, int status, bool mutating)
{
	enum fault fault = meaning(code, status);

	return fault == FAULT_AMBIGUOUS && !mutating ? FAULT_TRANSIENT : fault;
}

/* The first row that fits; an empty part fits every code, none included. */
static const struct {
	const char *part;
	enum fault fault;
	const char *hint;
} hints[] = {
	/* clang-format off */
	{"Expired", FAULT_AUTH, "get new credentials, or set the machine's clock, and run again"},
	{"TooSkewed", FAULT_AUTH, "set the machine's clock, and run again"},
	{"OptInRequired", FAULT_AUTH, "subscribe the account to what it asks for, or enable the region"},
	{"PendingVerification", FAULT_AUTH, "AWS still verifies the account: run again in some hours"},
	{"LimitExceeded", FAULT_CONFLICT,
	 "ask AWS for a higher quota, or delete what is not needed, and run again"},
	{"Capacity", FAULT_CONFLICT,
	 "AWS has none left there at present: try another zone or type, or run again later"},
	{"DependencyViolation", FAULT_CONFLICT,
	 "something that is not to go with it still uses it: take that away, and run again"},
	{"IPAddress.InUse", FAULT_CONFLICT,
	 "something in the subnet has this address: name one that is free, or take that away, and run again"},
	{"InUse", FAULT_CONFLICT,
	 "something else uses it, or its name: take that away, and run again"},
	{"Already", FAULT_CONFLICT, "choose another name, or take away what holds this one, and run again"},
	{"Duplicate", FAULT_CONFLICT, "choose another name, or take away what holds this one, and run again"},
	{"Conflict", FAULT_CONFLICT, "choose another one, or take away what holds it, and run again"},
	{"", FAULT_AMBIGUOUS, "the outcome is unknown; run again, which settles it"},
	{"", FAULT_THROTTLED, "run again later, or with a smaller --parallelism"},
	{"", FAULT_TRANSIENT, "run again: what was done is recorded"},
	{"NotFound", FAULT_ABSENT, "check the ids that the spec names, and run again: what is gone is made anew"},
	{"Malformed", FAULT_ABSENT, "check the ids that the spec names"},
	{"NextToken", FAULT_USER,
	 "the service takes the place in its list no longer; run again: the list is read from its beginning"},
	{"Invalid", FAULT_USER, "the service does not take these values: change them in the spec"},
	{"Validation", FAULT_USER, "the service does not take these values: change them in the spec"},
	{"Missing", FAULT_USER, "the service wants more than the spec says: add it there"},
	/* clang-format on */
};

const char *aws_error_hint(struct slice code, enum fault fault)
{
	if (code.size == 0 && fault == FAULT_TRANSIENT)
		return "see to it that the endpoint can be reached, and run again";
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (hints[i].fault == fault && has_part(code, hints[i].part, ANYWHERE))
			return hints[i].hint;
	return NULL;
}
