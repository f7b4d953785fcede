#!/usr/bin/env python3
"""Times the main job over generated specs, against libyaml's bare event loop.

usage: bench.py BINARY [--sizes 1000,10000,100000] [--runs 3]

BUILD names the folder with tests/yaml_events and tests/measure; `make bench` makes them. Each row is the median of
its runs. The ratio is to the bare event loop over the same file, timed in the same run, so it holds where the
machine's speed does not. Nothing here fails on a time: what is asked of a figure stands beside it, and how it is met.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

SUBNETS_A_VPC = 200
# Of a row and size: the most of a figure of `Figures`, or of the ratio to the loop.
BARS = {("plan without refresh", 100000): {"ratio": 2.0, "memory_mb": 250.0}}
UNITS = {"ratio": " x the loop", "memory_mb": " MB"}
VERSION_MOST_MS = 5.0
GROWTH_MOST = 11.0


class Figures(NamedTuple):
    """What one run took."""

    wall_s: float
    cpu_s: float
    memory_mb: float
    requests: int


def write_spec(path, count):
    """VPCs of a /16 each and subnets that refer to them, with tags; count resources in all."""
    vpcs = max(1, count // (SUBNETS_A_VPC + 1))
    a_vpc = -(-(count - vpcs) // vpcs)
    with open(path, "w", encoding="utf-8") as file:
        file.write("stack: bench\nproviders:\n  aws: {region: us-west-2}\naws.vpc:\n")
        for number in range(vpcs):
            file.write(
                f"  net{number}:\n    cidr: 10.{number % 256}.0.0/16\n"
                f"    tags:\n      team: research\n      number: '{number}'\n"
            )
        file.write("aws.subnet:\n")
        for number in range(count - vpcs):
            vpc, index = divmod(number, a_vpc)
            file.write(
                f"  sub{number}:\n    vpc: net{vpc}\n    cidr: 10.{vpc % 256}.{index}.0/24\n"
                f"    tags:\n      team: research\n      number: '{number}'\n"
            )


class Bench:
    """Runs programs in a folder of its own and prints a row for each."""

    def __init__(self, binary, tools, folder, runs):
        self.binary = binary
        self.measure = os.path.join(tools, "measure")
        self.loop = os.path.join(tools, "yaml_events")
        self.folder = folder
        self.report = os.path.join(folder, "report.json")
        self.runs = runs
        self.loop_cpu_s = 0.0
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "AWS_ENDPOINT_URL": f"sim:{folder}/world"}

    def run(self, command):
        """One run of a program that must end well."""
        result = os.path.join(self.folder, "result")
        if os.path.exists(self.report):
            os.unlink(self.report)
        done = subprocess.run(
            [self.measure, result, *command], env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"{self.measure} {' '.join(command)}\n{done.stderr[-3000:]}")
        with open(result, encoding="ascii") as file:
            wall_us, cpu_us, memory_kib, status = map(int, file.read().split())
        if status != 0:
            sys.exit(f"{' '.join(command)}\nexit {status}\n{(done.stdout + done.stderr)[-3000:]}")
        return Figures(wall_us / 1e6, cpu_us / 1e6, memory_kib / 1024, calls_of(self.report))

    def median(self, command, runs=None):
        results = [self.run(command) for _ in range(runs or self.runs)]
        middle = (statistics.median(result[i] for result in results) for i in range(3))
        return Figures(*middle, results[-1].requests)

    def trueup(self, *arguments):
        return [self.binary, "-C", self.folder, *arguments]

    def row(self, name, count, figures):
        ratio = figures.cpu_s / self.loop_cpu_s
        measured = {"ratio": ratio, **figures._asdict()}
        bars = [
            judge(measured[what], most, UNITS[what]) for what, most in BARS.get((name, count), {}).items()
        ]
        print(
            f"{count:>7}  {name:<22}{figures.wall_s * 1000:>10.1f}{figures.cpu_s * 1000:>10.1f}"
            f"{figures.memory_mb:>8.1f}{ratio:>8.2f}{figures.requests:>10}  {'; '.join(bars)}".rstrip(),
            flush=True,
        )

    def all(self, count):
        """The rows of one size; CPU seconds of the plan without refresh."""
        path = os.path.join(self.folder, "bench.yaml")
        write_spec(path, count)
        loop = self.median([self.loop, path])
        self.loop_cpu_s = loop.cpu_s
        self.row("libyaml's events", count, loop)
        self.row("validate", count, self.median(self.trueup("validate")))
        report = ["--output", "text", "--output", f"json={self.report}"]
        self.row("apply", count, self.run(self.trueup("apply", "--yes", *report)))
        # With --detailed-exitcode a plan that finds anything to do ends with 2, and that ends the bench.
        plan = self.trueup("plan", "--detailed-exitcode", *report)
        trusted = self.median([*plan, "--refresh=none"])
        self.row("plan without refresh", count, trusted)
        self.row("plan with refresh", count, self.median(plan, 1))
        return trusted.cpu_s


def calls_of(report):
    """How many requests a run sent, as its report tells; what makes no report has no way to send any."""
    if not os.path.exists(report):
        return 0
    with open(report, encoding="utf-8") as file:
        document = json.load(file)
    return document["calls"] + document.get("applied", {}).get("calls", 0)


def judge(value, most, unit=""):
    """What is asked of a figure, and whether it is met."""
    return f"at most {most:g}{unit}: {'ok' if value <= most else 'MISSED'}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    tools = os.path.join(os.environ.get("BUILD", os.path.dirname(arguments.binary)), "tests")
    sizes = [int(size) for size in arguments.sizes.split(",")]
    trusted = {}
    for size in sizes:
        # In memory where that can be had: what is measured is our time, not the disk's.
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        folder = tempfile.mkdtemp(prefix="trueup-bench-", dir=shared)
        try:
            bench = Bench(os.path.abspath(arguments.binary), os.path.abspath(tools), folder, arguments.runs)
            if not trusted:
                wall_ms = bench.median([bench.binary, "version"], 11).wall_s * 1000
                print(f"trueup version: {wall_ms:.2f} ms ({judge(wall_ms, VERSION_MOST_MS)})\n")
                print(f"{'count':>7}  {'':<22}{'wall ms':>10}{'CPU ms':>10}{'MB':>8}{'x loop':>8}{'requests':>10}")
            trusted[size] = bench.all(size)
        finally:
            shutil.rmtree(folder)
    if 10000 in trusted and 100000 in trusted:
        growth = trusted[100000] / trusted[10000]
        print(f"\nplan without refresh, 100,000 to 10,000: {growth:.2f} x ({judge(growth, GROWTH_MOST)})")


if __name__ == "__main__":
    main()
