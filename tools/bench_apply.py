#!/usr/bin/env python3
"""What an apply costs us, and how close it comes to the shortest time that the service's limits allow.

usage: bench_apply.py APPLY_COST [--count 10000]

Applies a generated stack on the simulator, with durable intents. CPU time is that of the whole process less what the
simulator spent on requests, which stands for the service (see tests/tools/apply_cost.c); SQLite counts as ours.

The makespan is the time from the first step to the last on the simulator's clock. Its lower bound: a rate bucket of
B tokens, refilled by R a second, lets n calls begin no sooner than (n - B) / R after the first, and the calls of one
resource after the other of a chain of references follow one another, each at least the simulator's least latency long.
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
# The simulator's setting latency_ms: no answer comes sooner.
LATENCY_S = 0.02
# A VPC, then a subnet in it: each is created and then read once.
CALLS_OF_CHAIN = 4


def lower_bound_s(counts):
    """Of the apply of so many creates of each kind, which refer to one another in one chain of kinds."""
    buckets = [max(0.0, (count - BURST) / REFILL_A_SECOND) for count in counts]
    return max(CALLS_OF_CHAIN * LATENCY_S, max(buckets) + LATENCY_S)


def apply(program, folder, count):
    """CPU seconds of all and of the simulator, and the report of the apply."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "AWS_ENDPOINT_URL": f"sim:{folder}/world"}
    result, report = f"{folder}/result", f"{folder}/report.json"
    bench.write_spec(f"{folder}/bench.yaml", count)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=10000)
    arguments = parser.parse_args()
    # In memory where that can be had: what is measured is our time, not the disk's.
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="trueup-bench-", dir=shared)
    try:
        whole_us, simulator_us, report = apply(os.path.abspath(arguments.program), folder, arguments.count)
    finally:
        shutil.rmtree(folder)
    kinds = [action["address"].rsplit(".", 1)[0] for action in report["actions"]]
    ours_us = (whole_us - simulator_us) / arguments.count
    makespan_s = report["applied"]["elapsed_ms"] / 1000
    bound_s = lower_bound_s([kinds.count(kind) for kind in set(kinds)])
    print(
        f"\napply of {arguments.count}, us of CPU a resource: the simulator {simulator_us / arguments.count:.0f}, "
        f"ours {ours_us:.0f} ({bench.judge(ours_us, CPU_MOST_US, ' us')})"
    )
    print(
        f"its makespan on the virtual clock: {makespan_s:.1f} s, at best {bound_s:.1f} s: "
        f"{makespan_s / bound_s:.3f} x ({bench.judge(makespan_s / bound_s, MAKESPAN_MOST)})"
    )


if __name__ == "__main__":
    main()
