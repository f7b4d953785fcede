#!/usr/bin/env python3
"""Times the main job over generated specs, against libyaml's bare event loop.

usage: bench.py BINARY [--sizes 1000,10000,100000] [--runs 3]

Each row is the median of its runs. The ratio is to the bare event loop over the same file,
timed in the same run, so it holds where the machine's speed does not. Nothing here fails on
a time: the bars are printed beside the figures.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SUBNETS_A_VPC = 200
BARS = {
    ("plan without refresh", 100000): "<= 2.00 x the loop, <= 250 MB",
}


def spec(count):
    """VPCs of a /16 each and subnets that refer to them, with tags; count resources in all."""
    vpcs = max(1, count // (SUBNETS_A_VPC + 1))
    lines = ["stack: bench", "providers:", "  aws: {region: us-west-2}", "aws.vpc:"]
    for number in range(vpcs):
        lines += [
            f"  net{number}:",
            f"    cidr: 10.{number % 256}.0.0/16",
            "    tags:",
            "      team: research",
            f"      number: '{number}'",
        ]
    lines.append("aws.subnet:")
    for number in range(count - vpcs):
        vpc, index = divmod(number, -(-(count - vpcs) // vpcs))
        lines += [
            f"  sub{number}:",
            f"    vpc: net{vpc}",
            f"    cidr: 10.{vpc % 256}.{index}.0/24",
            "    tags:",
            "      team: research",
            f"      number: '{number}'",
        ]
    return "\n".join(lines) + "\n"


def run(command, environment, expected=(0,)):
    """Wall and CPU seconds and peak memory in MB of one process, and what it printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        text = out.read().decode() + err.read().decode()
    if process.returncode not in expected:
        sys.exit(f"{' '.join(command)}\nexit {process.returncode}\n{text[-3000:]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def median(command, environment, runs):
    results = [run(command, environment) for _ in range(runs)]
    wall, cpu, memory = (statistics.median(result[i] for result in results) for i in range(3))
    return wall, cpu, memory, results[-1][3]


def requests_of(text):
    found = re.search(r"(\d+) requests?", text)
    return found.group(1) if found else "-"


def row(name, count, figures, loop_cpu):
    wall, cpu, memory, text = figures
    ratio = f"{cpu / loop_cpu:.2f}" if loop_cpu else "-"
    print(
        f"{count:>7}  {name:<24} {wall * 1000:>9.1f} {cpu * 1000:>9.1f} {memory:>8.1f}"
        f" {ratio:>7} {requests_of(text):>9}  {BARS.get((name, count), '')}",
        flush=True,
    )


def bench(binary, loop, count, runs, folder):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "AWS_ENDPOINT_URL": f"sim:{folder}/world"}
    with open(f"{folder}/bench.yaml", "w", encoding="utf-8") as file:
        file.write(spec(count))
    bare = median([loop, f"{folder}/bench.yaml"], environment, runs)
    row("libyaml events", count, bare[:3] + ("",), bare[1])
    row("validate", count, median([binary, "-C", folder, "validate"], environment, runs), bare[1])
    row("apply", count, run([binary, "-C", folder, "apply", "--yes"], environment), bare[1])
    plan = [binary, "-C", folder, "plan", "--detailed-exitcode"]
    figures = median(plan + ["--refresh=none"], environment, runs)
    row("plan without refresh", count, figures, bare[1])
    row("plan with refresh", count, median(plan, environment, 1), bare[1])
    return figures[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    build = os.environ.get("BUILD", os.path.dirname(arguments.binary))
    loop = os.path.join(build, "tests", "yaml_events")
    sizes = [int(size) for size in arguments.sizes.split(",")]
    version = median([arguments.binary, "version"], dict(os.environ), 11)
    print(f"trueup version: {version[0] * 1000:.2f} ms wall (bar: <= 5 ms)\n")
    print(f"{'count':>7}  {'':<24} {'wall ms':>9} {'CPU ms':>9} {'MB':>8} {'x loop':>7} {'requests':>9}")
    plans = {}
    for size in sizes:
        # In memory where that can be had: what is measured is our time, not the disk's.
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        folder = tempfile.mkdtemp(prefix="trueup-bench-", dir=shared)
        try:
            plans[size] = bench(arguments.binary, loop, size, arguments.runs, folder)
        finally:
            shutil.rmtree(folder)
    if 10000 in plans and 100000 in plans:
        print(f"\nplan without refresh, 100,000 to 10,000: {plans[100000] / plans[10000]:.2f} x (bar: <= 11)")


if __name__ == "__main__":
    main()
