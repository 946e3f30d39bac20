#!/usr/bin/env python3
"""Runs two builds of the program on the same inputs and compares their JSON byte for byte.

Usage: same_results.py PROGRAM_A PROGRAM_B, in the root of the tree. Wall and CPU time, memory and the engine's own
count of events are left out of the comparison; everything else must be the same bytes.
"""

import re
import subprocess
import sys

EPS = "topologies/single-level-eps.yaml"
OCS = "topologies/single-level-ocs.yaml"
ONE_SHOT = "workloads/one-shot.yaml"
CREDITS = "topology.buffers={request: 22 flits, response: 22 flits}"

# Topology, workload, overrides, mode if not flit. Small enough for a build with sanitizers.
RUNS = [
    (EPS, ONE_SHOT, []),
    (OCS, ONE_SHOT, []),
    (EPS, "workloads/two-shot.yaml", []),
    (EPS, "workloads/recursive-doubling.yaml", []),
    (OCS, "workloads/recursive-doubling.yaml", []),
    (OCS, "workloads/coset-parallel.yaml", []),
    (EPS, ONE_SHOT, [CREDITS]),
    (OCS, ONE_SHOT, [CREDITS]),
    (EPS, ONE_SHOT, [CREDITS, "workload.collectives.0.send_order=same"]),
    (EPS, "workloads/two-shot.yaml", [CREDITS, "topology.routing.policy=hashed", "topology.seed=7"]),
    (EPS, ONE_SHOT, ["topology.routing.stripe=restart", "topology.accelerators=24", "topology.ports=5"]),
    (EPS, ONE_SHOT, ["topology.routing.granularity=message"]),
    (EPS, ONE_SHOT, [CREDITS], "message"),
    (OCS, "workloads/recursive-doubling.yaml", [], "message"),
    (EPS, ONE_SHOT, [], "analytic"),
]

NOT_COMPARED = re.compile(rb'("(?:wall_seconds|cpu_seconds|peak_rss_bytes|events)"\s*:\s*)[^,}\s]+')


def command(program, run):
    topology, workload, overrides, *mode = run
    sets = [word for override in overrides for word in ("--set", override)]
    return [program, "run", topology, workload, *sets, "--mode", *(mode or ["flit"]), "--quiet", "--json", "-"]


def result(program, run):
    done = subprocess.run(command(program, run), capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command(program, run))}: status {done.returncode}\n{done.stderr.decode()}")
    text, replaced = NOT_COMPARED.subn(rb"\1-", done.stdout)
    if replaced == 0 or b'"completion_ps"' not in text:
        sys.exit(f"{' '.join(command(program, run))}: this is no result\n{done.stdout.decode()}")
    return text


def first_difference(a, b):
    for number, (line_a, line_b) in enumerate(zip(a.splitlines(), b.splitlines()), 1):
        if line_a != line_b:
            return f"line {number}:\n  {line_a.decode()[:400]}\n  {line_b.decode()[:400]}"
    return f"lengths {len(a)} and {len(b)}"


def main():
    program_a, program_b = sys.argv[1:3]
    different = 0
    for run in RUNS:
        a, b = result(program_a, run), result(program_b, run)
        if a != b:
            different += 1
            print(f"{' '.join(command('simlette', run))} differs in {first_difference(a, b)}")
    print(f"{len(RUNS) - different} of {len(RUNS)} runs gave the same bytes")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
