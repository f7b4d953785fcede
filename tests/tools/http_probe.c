/*
 * Sends what a test asks for over the curl transport and tells what came of it.
 *
 * Standard input: one request a line, as a JSON object
 *   {"id": "a", "method": "GET", "url": "...", "headers": [["name", "value"], ...], "body": "...",
 *    "mutating": false, "unrecorded": false, "connect_timeout_ms": 0, "idle_timeout_ms": 0, "total_timeout_ms": 0,
 *    "response_limit_bytes": 1048576, "ca_file": "", "insecure": false,
 *    "repeat": 0           send it again, from within its own callback, so many times
 *    "cancels": "b"}       when it is done, cancel that request
 * {"wait_ms": 30000} ends a batch too and says how long to wait for it.
 * The requests up to such a line, an empty line or the end run side by side; then comes the next batch.
 * Standard output: one line for each answer, in the order in which they came, and after
 * each batch {"batch": true, "pending": 0, "waited_ms": 12, "interrupted": false}.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "base/memory.h"
#include "providers/net/curl_transport.h"

enum { LINE_BYTES_MOST = 64 * 1024 * 1024, BATCH_WAIT_MS = 60 * 1000, SHOWN_BODY_BYTES = 4096 };

static volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

struct job {
	struct probe *probe;
	struct slice id;
	struct slice cancels;
	int64_t repeat;
	int64_t started_ms;
	struct http_request request;
	struct job *next;
};

struct probe {
	struct arena arena;
	struct diagnostics diagnostics;
	struct transport *transport;
	struct job *jobs;
};

static int64_t now_ms(void)
{
	struct timespec now = {0, 0};

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char *fault_word(enum fault fault)
{
	static const char *const words[] = {
		[FAULT_USER] = "user",		 [FAULT_AUTH] = "auth",		[FAULT_TRANSIENT] = "transient",
		[FAULT_AMBIGUOUS] = "ambiguous", [FAULT_INTERNAL] = "internal",
	};

	return (size_t)fault < sizeof words / sizeof words[0] && words[fault] != NULL ? words[fault] : "unexpected";
}

static void print_answer(const struct job *job, const struct http_response *response)
{
	BUFFER_AUTO line;

	buffer_init(&line, LINE_BYTES_MOST);
	buffer_string(&line, "{\"id\": ");
	json_write_string(&line, job->id);
	buffer_format(&line, ", \"answered\": %s, \"elapsed_ms\": %lld", response->answered ? "true" : "false",
		      (long long)(now_ms() - job->started_ms));
	if (response->answered) {
		buffer_format(&line, ", \"status\": %d, \"body_size\": %zu, \"body\": ", response->status,
			      response->body.size);
		json_write_string(&line, slice_first(response->body, SHOWN_BODY_BYTES));
		buffer_string(&line, ", \"headers\": [");
		for (size_t i = 0; i < response->header_count; i++) {
			buffer_string(&line, i > 0 ? ", [" : "[");
			json_write_string(&line, response->headers[i].name);
			buffer_string(&line, ", ");
			json_write_string(&line, response->headers[i].value);
			buffer_string(&line, "]");
		}
		buffer_string(&line, "]}");
	} else {
		buffer_format(&line, ", \"fault\": \"%s\", \"message\": ", fault_word(response->fault));
		json_write_string(&line, response->message);
		buffer_string(&line, ", \"hint\": ");
		json_write_string(&line, response->hint);
		buffer_string(&line, "}");
	}
	puts(line.data);
	fflush(stdout);
}

static void start_job(struct job *job);

static void job_done(void *context, const struct http_response *response)
{
	struct job *job = context;

	print_answer(job, response);
	if (job->cancels.size > 0)
		for (struct job *other = job->probe->jobs; other != NULL; other = other->next)
			if (slice_equal(other->id, job->cancels))
				job->probe->transport->cancel(job->probe->transport, other);
	if (job->repeat > 0) {
		job->repeat--;
		start_job(job);
	}
}

static void start_job(struct job *job)
{
	job->started_ms = now_ms();
	job->probe->transport->start(job->probe->transport, &job->request, job_done, job);
}

static int64_t number_of(const struct value *map, const char *name, int64_t otherwise)
{
	const struct value *value = value_get_named(map, name);

	return value_is(value, VALUE_INTEGER) ? value->integer : otherwise;
}

static bool flag_of(const struct value *map, const char *name)
{
	const struct value *value = value_get_named(map, name);

	return value_is(value, VALUE_BOOL) && value->boolean;
}

static struct slice text_of(const struct value *map, const char *name)
{
	const struct value *value = value_get_named(map, name);

	return value != NULL ? value_slice(value) : (struct slice){NULL, 0};
}

static void read_headers(struct probe *probe, const struct value *list, struct http_request *request)
{
	struct http_header *headers;

	if (!value_is(list, VALUE_LIST))
		return;
	headers = arena_new_array(&probe->arena, list->count, struct http_header);
	for (size_t i = 0; i < list->count; i++) {
		headers[i].name = value_slice(&list->items[i].items[0]);
		headers[i].value = value_slice(&list->items[i].items[1]);
	}
	request->headers = headers;
	request->header_count = list->count;
}

static void add_job(struct probe *probe, const struct value *map)
{
	struct job *job = arena_new(&probe->arena, struct job);
	struct http_request *request = &job->request;

	job->probe = probe;
	job->id = text_of(map, "id");
	job->cancels = text_of(map, "cancels");
	job->repeat = number_of(map, "repeat", 0);
	request->method = text_of(map, "method");
	request->url = text_of(map, "url");
	request->body = text_of(map, "body");
	request->mutating = flag_of(map, "mutating");
	request->intent = flag_of(map, "unrecorded") ? (struct slice){NULL, 0} : SLICE("probe");
	request->connect_timeout_ms = number_of(map, "connect_timeout_ms", 0);
	request->idle_timeout_ms = number_of(map, "idle_timeout_ms", 0);
	request->total_timeout_ms = number_of(map, "total_timeout_ms", 0);
	request->response_limit_bytes = (size_t)number_of(map, "response_limit_bytes", 1024 * 1024);
	request->ca_file = text_of(map, "ca_file");
	request->insecure = flag_of(map, "insecure");
	read_headers(probe, value_get_named(map, "headers"), request);
	job->next = probe->jobs;
	probe->jobs = job;
	start_job(job);
}

static void run_batch(struct probe *probe, int64_t wait_ms)
{
	int64_t from_ms = now_ms();

	while (probe->transport->pending(probe->transport) > 0 && now_ms() < from_ms + wait_ms && !interrupted)
		probe->transport->wait(probe->transport, from_ms + wait_ms);
	printf("{\"batch\": true, \"pending\": %zu, \"waited_ms\": %lld, \"interrupted\": %s}\n",
	       probe->transport->pending(probe->transport), (long long)(now_ms() - from_ms),
	       interrupted ? "true" : "false");
	fflush(stdout);
	probe->jobs = NULL;
}

static bool take_line(struct probe *probe, struct slice line)
{
	struct value map;

	if (line.size == 0) {
		run_batch(probe, BATCH_WAIT_MS);
		return true;
	}
	if (!json_read(&probe->arena, line, false, LINE_BYTES_MOST, "the request", &map, &probe->diagnostics))
		return false;
	if (value_get_named(&map, "wait_ms") != NULL)
		run_batch(probe, number_of(&map, "wait_ms", BATCH_WAIT_MS));
	else
		add_job(probe, &map);
	return true;
}

int main(void)
{
	struct sigaction action = {.sa_handler = note_interrupt};
	struct probe probe = {.jobs = NULL};
	char *line = NULL;
	size_t capacity = 0;
	ssize_t size;
	int status = 0;

	sigaction(SIGINT, &action, NULL);
	arena_init(&probe.arena);
	diagnostics_init(&probe.diagnostics, &probe.arena);
	probe.transport = curl_transport_open(&probe.arena);
	while (status == 0 && (size = getline(&line, &capacity, stdin)) >= 0)
		if (!take_line(&probe, arena_copy(&probe.arena, slice_trim((struct slice){line, (size_t)size}))))
			status = 2;
	if (status == 0 && probe.jobs != NULL)
		run_batch(&probe, BATCH_WAIT_MS);
	free(line);
	curl_transport_close(probe.transport);
	if (status != 0)
		fprintf(stderr, "http_probe: %.*s\n", SLICE_ARGUMENTS(probe.diagnostics.items[0].message));
	diagnostics_release(&probe.diagnostics);
	arena_release(&probe.arena);
	return status;
}
