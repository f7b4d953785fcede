#ifndef TRUEUP_PROVIDERS_AWS_SHAPE_H
#define TRUEUP_PROVIDERS_AWS_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/*
 * What the API's own model says of its operations: names on the wire, types, bounds, pages
 * and errors. The tables are generated (tools/generate-shapes.py) and never change.
 * Members are named as botocore names them.
 */
enum aws_type {
	AWS_STRUCTURE,
	AWS_LIST,
	AWS_STRING,
	AWS_INTEGER,
	AWS_LONG,
	AWS_DOUBLE,
	AWS_FLOAT,
	AWS_BOOLEAN,
	AWS_TIMESTAMP, /* text in ISO 8601 */
	AWS_BLOB,
};

enum aws_protocol {
	AWS_PROTOCOL_EC2,
	AWS_PROTOCOL_QUERY,
};

enum {
	AWS_MEMBER_REQUIRED = 1,
	AWS_MEMBER_TOKEN = 2, /* an idempotency token */
	AWS_MEMBER_DEPRECATED = 4,

	AWS_MEMBERS_MOST = 128, /* of one structure */
};

struct aws_shape;

struct aws_member {
	struct slice name;
	struct slice request_name;
	struct slice response_name;
	const struct aws_shape *shape;
	unsigned flags;
};

struct aws_shape {
	struct slice name;
	enum aws_type type;
	bool sensitive; /* must not be shown or stored in clear */

	/* Documented bounds: of a number's value, of a string's length, of a list's count. */
	bool has_minimum;
	bool has_maximum;
	int64_t minimum;
	int64_t maximum;
	const char *pattern; /* a regular expression as the model writes it, or NULL */
	/* Of an enumeration, sorted. A server may answer others. */
	const struct slice *values;
	size_t value_count;

	/* Of a structure: sorted by name; by_response holds their indices sorted by response_name. */
	const struct aws_member *members;
	size_t member_count;
	const uint8_t *by_response;

	/* Of a list. */
	const struct aws_shape *item;
	struct slice item_name; /* in a query request; answers are read by position */
};

/* How a listing goes on; empty slices where it does not page. */
struct aws_pages {
	struct slice input_token;
	struct slice output_token;
	struct slice result_key;
	struct slice limit_key;
};

struct aws_service_shape;

struct aws_operation_shape {
	struct slice name;
	const struct aws_service_shape *service;
	const struct aws_shape *input;	 /* NULL: takes nothing */
	const struct aws_shape *output;	 /* NULL: answers nothing but that it was done */
	struct slice result_wrapper;	 /* the element around the output in a query answer, or empty */
	const struct slice *error_codes; /* those the model names, sorted; EC2's names none */
	size_t error_code_count;
	struct aws_pages pages;
};

struct aws_service_shape {
	struct slice name;	      /* botocore's: "ec2" */
	struct slice variable;	      /* how the variables of an environment name it: "AUTO_SCALING" */
	struct slice endpoint_prefix; /* the first label of its hosts */
	struct slice signing_name;    /* in a signature's scope */
	struct slice api_version;
	enum aws_protocol protocol;
	const struct aws_operation_shape *operations; /* sorted by name */
	size_t operation_count;
};

/* All services, sorted by name. */
extern const struct aws_service_shape *const aws_services[];
extern const size_t aws_service_count;

/* These return NULL where there is none; O(log n). */
const struct aws_service_shape *aws_service(struct slice name);
const struct aws_operation_shape *aws_operation(const struct aws_service_shape *service, struct slice name);
/* structure may be NULL or any other type: then there is none. */
const struct aws_member *aws_member(const struct aws_shape *structure, struct slice name);
const struct aws_member *aws_response_member(const struct aws_shape *structure, struct slice response_name);
/* Follows a dotted path through structures by name and through lists by any number, which may
 * also be left out: "TagSpecifications.0.Tags", "TagSpecifications.Tags". */
const struct aws_shape *aws_shape_at(const struct aws_shape *shape, const char *path);
bool aws_shape_has_value(const struct aws_shape *shape, struct slice value);

#endif
