#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/value.h"
#include "providers/sim/sim.h"

/*
 * The simulator behind a loopback socket, so that other people's clients judge its answers.
 * One connection for each request, one after another. usage: sim_server [endpoint [seed]]
 * Prints "port N" and serves until it is killed. Requests to /_sim/METHOD steer the world:
 *   POST /_sim/change?region&type&id, /_sim/add?..., /_sim/remove?... with a JSON body,
 *   GET /_sim/show, POST /_sim/advance?MILLISECONDS
 */

enum {
	HEAD_MOST_BYTES = 64 << 10,
	BODY_MOST_BYTES = 8 << 20,
	HEADERS_MOST = 64,
};

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t wall_ms(struct world *world)
{
	(void)world;
	return clock_ms(CLOCK_REALTIME);
}

static int64_t boot_ms(struct world *world)
{
	(void)world;
	return clock_ms(CLOCK_BOOTTIME);
}

static void fill_random(struct world *world, void *bytes, size_t size)
{
	(void)world;
	if (getrandom(bytes, size, 0) != (ssize_t)size)
		abort();
}

struct connection {
	int descriptor;
	char *data;
	size_t size; /* received and not yet used */
	struct http_header headers[HEADERS_MOST];
	size_t header_count;
	char url[4096];
};

static bool receive(struct connection *connection, size_t wanted)
{
	while (connection->size < wanted) {
		ssize_t got =
			read(connection->descriptor, connection->data + connection->size, wanted - connection->size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		connection->size += (size_t)got;
	}
	return true;
}

static size_t receive_head(struct connection *connection)
{
	for (size_t at = 0;;) {
		for (; at + 4 <= connection->size; at++)
			if (memcmp(connection->data + at, "\r\n\r\n", 4) == 0)
				return at + 4;
		if (connection->size >= HEAD_MOST_BYTES)
			return 0;
		ssize_t got = read(connection->descriptor, connection->data + connection->size,
				   HEAD_MOST_BYTES - connection->size);
		if (got <= 0)
			return 0;
		connection->size += (size_t)got;
	}
}

static struct slice header(const struct connection *connection, const char *name)
{
	for (size_t i = 0; i < connection->header_count; i++)
		if (connection->headers[i].name.size == strlen(name) &&
		    strncasecmp(connection->headers[i].name.data, name, strlen(name)) == 0)
			return connection->headers[i].value;
	return (struct slice){NULL, 0};
}

static struct slice next_line(struct slice *rest)
{
	struct slice line = slice_cut(rest, '\n');

	return slice_ends_with(line, SLICE("\r")) ? slice_first(line, line.size - 1) : line;
}

static struct slice read_head(struct connection *connection, struct slice head, struct slice *ret_method)
{
	struct slice line = next_line(&head);

	*ret_method = slice_cut(&line, ' ');
	struct slice path = slice_cut(&line, ' ');
	connection->header_count = 0;
	while (head.size > 0 && connection->header_count < HEADERS_MOST) {
		struct slice value = next_line(&head);
		struct slice name = slice_cut(&value, ':');

		if (name.size > 0)
			connection->headers[connection->header_count++] = (struct http_header){name, slice_trim(value)};
	}
	return path;
}

static void send_all(int descriptor, struct slice text)
{
	while (text.size > 0) {
		ssize_t sent = send(descriptor, text.data, text.size, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		text = slice_from(text, (size_t)sent);
	}
}

static void answer(int descriptor, int status, const struct http_header *headers, size_t count, struct slice body)
{
	BUFFER_AUTO head;

	buffer_init(&head, HEAD_MOST_BYTES);
	(void)buffer_format(&head, "HTTP/1.1 %d Answer\r\n", status);
	for (size_t i = 0; i < count; i++)
		(void)buffer_format(&head, "%.*s: %.*s\r\n", SLICE_ARGUMENTS(headers[i].name),
				    SLICE_ARGUMENTS(headers[i].value));
	if (count == 0)
		(void)buffer_format(&head, "Content-Length: %zu\r\n", body.size);
	(void)buffer_string(&head, "Connection: close\r\n\r\n");
	send_all(descriptor, buffer_slice(&head));
	send_all(descriptor, body);
}

struct outcome {
	int descriptor;
	bool done;
};

static void done(void *context, const struct http_response *response)
{
	struct outcome *outcome = context;

	outcome->done = true;
	if (response->answered)
		answer(outcome->descriptor, response->status, response->headers, response->header_count,
		       response->body);
}

/* "/_sim/VERB?region&type&id" */
static void steer(struct sim *sim, int descriptor, struct slice path, struct slice body)
{
	struct diagnostics diagnostics;
	struct arena arena;
	struct slice rest = path, id = {NULL, 0};
	struct value value = value_null();
	int64_t number = 0;
	BUFFER_AUTO out;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	buffer_init(&out, (size_t)256 << 20);
	struct slice verb = slice_cut(&rest, '?');
	struct slice region = slice_cut(&rest, '&'), type = slice_cut(&rest, '&'), name = slice_cut(&rest, '&');
	bool good = body.size == 0 || json_read(&arena, body, false, BODY_MOST_BYTES, "the body", &value, &diagnostics);
	if (good && slice_is(verb, "/_sim/change"))
		good = sim_change(sim, region, type, name, &value, &diagnostics);
	else if (good && slice_is(verb, "/_sim/add"))
		good = sim_add(sim, &arena, region, type, name, &value, &id, &diagnostics);
	else if (good && slice_is(verb, "/_sim/remove"))
		good = sim_remove(sim, region, type, name, &diagnostics);
	else if (good && slice_is(verb, "/_sim/advance") && slice_integer(region, &number))
		sim_advance(sim, number);
	value = value_string(id);
	if (good && slice_is(verb, "/_sim/show"))
		good = sim_show(sim, &arena, &value, &diagnostics);
	if (good)
		good = json_write(&out, &value, &(struct json_style){.clear = true, .pretty = true});
	else if (diagnostics_first_error(&diagnostics))
		(void)buffer_append(&out, diagnostics_first_error(&diagnostics)->message);
	answer(descriptor, good ? 200 : 400, NULL, 0, buffer_slice(&out));
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* The clock keeps up with the real one, so that signatures made elsewhere are fresh. */
static void keep_up(struct sim *sim)
{
	int64_t behind_ms = clock_ms(CLOCK_REALTIME) - sim_wall_ms(sim);

	if (behind_ms > 0)
		sim_advance(sim, behind_ms);
}

static void serve_request(struct sim *sim, struct connection *connection)
{
	struct slice method, length_text;
	int64_t length = 0;
	size_t head = receive_head(connection);

	if (head == 0)
		return;
	struct slice path = read_head(connection, (struct slice){connection->data, head}, &method);
	length_text = header(connection, "Content-Length");
	if (length_text.size > 0 && (!slice_integer(length_text, &length) || length < 0 || length > BODY_MOST_BYTES))
		return;
	if (slice_is(header(connection, "Expect"), "100-continue"))
		send_all(connection->descriptor, SLICE("HTTP/1.1 100 Continue\r\n\r\n"));
	if (!receive(connection, head + (size_t)length))
		return;
	struct slice host = header(connection, "Host"), body = {connection->data + head, (size_t)length};
	keep_up(sim);
	(void)snprintf(connection->url, sizeof(connection->url), "http://%.*s%.*s", SLICE_ARGUMENTS(host),
		       SLICE_ARGUMENTS(path));
	struct outcome outcome = {connection->descriptor, false};
	struct http_request request = {
		.method = method,
		.url = slice_of(connection->url),
		.headers = connection->headers,
		.header_count = connection->header_count,
		.body = body,
	};
	if (slice_starts_with(path, SLICE("/_sim/"))) {
		steer(sim, connection->descriptor, path, body);
	} else {
		struct transport *transport = sim_transport(sim);

		transport->start(transport, &request, done, &outcome);
		while (!outcome.done)
			transport->wait(transport, INT64_MAX);
	}
}

static void serve(struct sim *sim, int descriptor)
{
	struct connection connection = {.descriptor = descriptor};
	int yes = 1;

	(void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	connection.data = memory_get((size_t)HEAD_MOST_BYTES + BODY_MOST_BYTES);
	serve_request(sim, &connection);
	free(connection.data);
	(void)close(descriptor);
}

static int listen_on_loopback(unsigned short *ret_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(descriptor, 16) != 0 || getsockname(descriptor, (struct sockaddr *)&address, &size) != 0)
		return -1;
	*ret_port = ntohs(address.sin_port);
	return descriptor;
}

/* A client outside waits in real time, and should not have to wait for listings. */
static bool real_time(struct sim *sim, struct diagnostics *diagnostics)
{
	static const char *const names[] = {"latency_ms", "latency_spread_ms", "lag_ms"};
	struct value_member members[3];

	for (size_t i = 0; i < 3; i++)
		members[i] = (struct value_member){value_text(names[i]), value_integer(0)};
	struct value settings = value_map(members, 3);
	return sim_change(sim, SLICE(""), SLICE("settings"), SLICE("settings"), &settings, diagnostics);
}

int main(int argument_count, char **arguments)
{
	struct world world = {.wall_ms = wall_ms, .boot_ms = boot_ms, .random = fill_random};
	struct diagnostics diagnostics;
	struct arena arena;
	struct sim *sim;
	unsigned short port;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	if (!sim_open(argument_count > 1 ? arguments[1] : "sim:", &world, &sim, &diagnostics)) {
		(void)fprintf(stderr, "%.*s\n", SLICE_ARGUMENTS(diagnostics_first_error(&diagnostics)->message));
		return 1;
	}
	if (!real_time(sim, &diagnostics)) {
		(void)fprintf(stderr, "%.*s\n", SLICE_ARGUMENTS(diagnostics_first_error(&diagnostics)->message));
		return 1;
	}
	if (argument_count > 2)
		sim_seed(sim, strtoull(arguments[2], NULL, 10));
	int listener = listen_on_loopback(&port);
	if (listener < 0) {
		perror("sim_server");
		return 1;
	}
	(void)printf("port %d\n", port);
	(void)fflush(stdout);
	for (;;) {
		int descriptor = accept(listener, NULL, NULL);

		if (descriptor >= 0)
			serve(sim, descriptor);
	}
}
