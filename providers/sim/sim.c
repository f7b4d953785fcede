#include "providers/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "providers/sim/sim_file.h"
#include "providers/sim/sim_query.h"
#include "providers/sim/sim_state.h"
#include "providers/sim/sim_transport.h"

/* Uniform over 64 bits. */
static uint64_t sim_random(struct sim *sim)
{
	/* SplitMix64 (Steele, Lea, Flood 2014): every seed gives a full period. */
	uint64_t z = sim->random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

int64_t sim_random_between(struct sim *sim, int64_t low, int64_t high)
{
	if (high <= low)
		return low;
	return low + (int64_t)(sim_random(sim) % (uint64_t)(high - low + 1));
}

void sim_random_hex(struct sim *sim, char *to, size_t digits)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < digits; i++) {
		if (i % 16 == 0)
			bits = sim_random(sim);
		to[i] = "0123456789abcdef"[bits & 15];
		bits >>= 4;
	}
	to[digits] = '\0';
}

const char *sim_intern(struct sim *sim, struct slice name)
{
	char *known = map_get(&sim->interned, name);

	if (known)
		return known;
	struct slice copy = arena_copy(&sim->lasting, name);
	known = arena_get(&sim->lasting, copy.size + 1);
	memcpy(known, copy.data, copy.size);
	map_set(&sim->interned, copy, known);
	return known;
}

bool sim_is_there(const char *endpoint)
{
	struct slice file = endpoint_file(slice_of(endpoint));

	return file.size == 0 || sim_file_is_there(file.data);
}

bool sim_open(const char *endpoint, struct world *world, struct sim **ret, struct diagnostics *diagnostics)
{
	struct slice file = endpoint_file(slice_of(endpoint));
	struct sim *sim;

	if (!endpoint_is_simulated(slice_of(endpoint)))
		return diag_error(diagnostics, FAULT_USER, NOWHERE,
				  "the endpoint '%s' names no simulator: 'sim:' or 'sim:FILE'", endpoint);
	sim = memory_get(sizeof(*sim));
	sim->world = world;
	sim->now_ms = world->wall_ms(world);
	sim->boot_offset_ms = world->boot_ms(world) - sim->now_ms;
	sim->next_sequence = 1;
	world->random(world, &sim->random, sizeof(sim->random));
	arena_init(&sim->lasting);
	map_init(&sim->interned);
	map_init(&sim->regions);
	map_init(&sim->actions);
	map_init(&sim->signing_keys);
	map_init(&sim->request_counts);
	sim_settings_default(sim);
	sim_actions_index(sim);
	sim_transport_init(sim);
	if (file.size > 0 && !sim_file_open(sim, file.data, diagnostics)) {
		sim_close(sim);
		return false;
	}
	*ret = sim;
	return true;
}

void sim_close(struct sim *sim)
{
	if (!sim)
		return;
	sim_transport_release(sim);
	sim_file_close(sim);
	sim_store_release(sim);
	map_release(&sim->regions);
	map_release(&sim->interned);
	map_release(&sim->actions);
	map_release(&sim->signing_keys);
	map_release(&sim->request_counts);
	arena_release(&sim->lasting);
	free(sim->dirty);
	free(sim->wakes);
	free(sim);
}

void sim_seed(struct sim *sim, uint64_t seed)
{
	sim->random = seed;
}

struct transport *sim_transport(struct sim *sim)
{
	return &sim->transport;
}

int64_t sim_boot_ms(const struct sim *sim)
{
	return sim->now_ms + sim->boot_offset_ms;
}

int64_t sim_wall_ms(const struct sim *sim)
{
	return sim->now_ms;
}

void sim_advance(struct sim *sim, int64_t ms)
{
	int64_t until_ms = sim->now_ms + ms;

	sim->transport.wait(&sim->transport, until_ms + sim->boot_offset_ms);
	if (!sim_file_begin(sim))
		return;
	sim_run_until(sim, until_ms > sim->now_ms ? until_ms : sim->now_ms);
	sim_file_end(sim);
}
