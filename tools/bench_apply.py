#!/usr/bin/env python3
"""What an apply costs us, and how close it comes to the shortest time that the service's limits allow.

usage: bench_apply.py APPLY_COST [--count 10000] [--links 40]

Applies generated stacks on the simulator, with durable intents: a wide one, and a chain in which each resource waits
for the one before. CPU time is that of the whole process less what the simulator spent on requests, which stands for
the service (see tests/tools/apply_cost.c); SQLite counts as ours.

The makespan is the time from the first step to the last on the simulator's clock. Its lower bound: a rate bucket of
B tokens, refilled by R a second, lets n calls begin no sooner than (n - B) / R after the first. And what depends on
another begins once that is ready: a create has to arrive, the simulator makes it ready so much later, and the answer
that shows it has to come back, both ways in the least time that the simulator ever takes. Who waits for it does not
know when to look, so no run comes quite so low.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import bench

CPU_MOST_US = 200.0
MAKESPAN_MOST = 1.1
# Of calls that change something, for each action (EC2's documented request buckets).
BURST, REFILL_A_SECOND = 50, 5
# The simulator's setting latency_ms: no answer comes sooner. Half of it is the way there.
LATENCY_S = 0.02
# From the create's arrival until the simulator shows it ready (VPC_READY_MS, SUBNET_READY_MS).
READY_S = {"aws.vpc": 1.0, "aws.subnet": 0.8}


def lower_bound_s(kinds, path):
    """Of the apply of creates of these kinds, of which one after the other of path depends on the one before."""
    buckets = [max(0.0, (kinds.count(kind) - BURST) / REFILL_A_SECOND) for kind in set(kinds)]
    return max(buckets) + sum(READY_S[kind] + LATENCY_S for kind in path)


def write_chain(path, links):
    """A VPC, and subnets of which each depends on the one before."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("stack: bench\nproviders:\n  aws: {region: us-west-2}\naws.vpc:\n  net: {cidr: 10.0.0.0/16}\n")
        file.write("aws.subnet:\n")
        for number in range(links):
            after = f", depends_on: [aws.subnet.sub{number - 1}]" if number else ""
            file.write(f"  sub{number}: {{vpc: net, cidr: 10.0.{number}.0/24{after}}}\n")


def apply(program, write, size):
    """CPU seconds of all and of the simulator, and the report of the apply."""
    # In memory where that can be had: what is measured is our time, not the disk's.
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="trueup-bench-", dir=shared)
    try:
        write(f"{folder}/bench.yaml", size)
        return apply_in(program, folder)
    finally:
        shutil.rmtree(folder)


def apply_in(program, folder):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "AWS_ENDPOINT_URL": f"sim:{folder}/world"}
    result, report = f"{folder}/result", f"{folder}/report.json"
    command = [program, result, "trueup", "-C", folder, "apply", "--yes", "--output", "text"]
    done = subprocess.run(
        [*command, "--output", f"json={report}"], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")
    with open(result, encoding="ascii") as file:
        whole_us, simulator_us = map(int, file.read().split())
    with open(report, encoding="utf-8") as file:
        return whole_us, simulator_us, json.load(file)


def tell_makespan(what, report, path):
    kinds = [action["address"].rsplit(".", 1)[0] for action in report["actions"]]
    makespan_s = report["applied"]["elapsed_ms"] / 1000
    bound_s = lower_bound_s(kinds, path)
    print(
        f"makespan of {what} on the virtual clock: {makespan_s:.1f} s, at best {bound_s:.1f} s: "
        f"{makespan_s / bound_s:.3f} x ({bench.judge(makespan_s / bound_s, MAKESPAN_MOST)})"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--links", type=int, default=40)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    whole_us, simulator_us, report = apply(program, bench.write_spec, arguments.count)
    ours_us = (whole_us - simulator_us) / arguments.count
    print(
        f"\napply of {arguments.count}, us of CPU a resource: the simulator {simulator_us / arguments.count:.0f}, "
        f"ours {ours_us:.0f} ({bench.judge(ours_us, CPU_MOST_US, ' us')})"
    )
    tell_makespan(f"these {arguments.count}", report, ["aws.vpc", "aws.subnet"])
    _, _, report = apply(program, write_chain, arguments.links)
    tell_makespan(f"a chain of {arguments.links}", report, ["aws.vpc"] + ["aws.subnet"] * arguments.links)


if __name__ == "__main__":
    main()
