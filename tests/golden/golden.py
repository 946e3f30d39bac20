#!/usr/bin/env python3
"""Compares the JSON of a few runs with what is kept in this folder.

Usage: golden.py PROGRAM [--update], in the root of the tree. `--update` rewrites the files: do it only when a result
was meant to move, and say why in CHANGELOG.md under Results. Wall and CPU time, memory, the engine's own count of events
and the version are not kept.
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
EPS = "topologies/single-level-eps.yaml"
OCS = "topologies/single-level-ocs.yaml"
ONE_SHOT = "workloads/one-shot.yaml"
TWO_SHOT = "workloads/two-shot.yaml"
ALL_TO_ALL = "workloads/all-to-all.yaml"
KIBIBYTE = "workload.collectives.0.bytes=1 KiB"
MEBIBYTE = "workload.collectives.0.bytes=1 MiB"
SAME = "workload.collectives.0.send_order=same"
CREDITS = "topology.buffers={request: 22 flits, response: 22 flits}"
NOT_KEPT = ["wall_seconds", "cpu_seconds", "peak_rss_bytes", "events"]

# Name of the file, topology, workload, overrides, mode if not flit.
CASES = [
    ("eps-one-shot-1-mib", EPS, ONE_SHOT, [MEBIBYTE]),
    ("eps-one-shot-22-credits", EPS, ONE_SHOT, [MEBIBYTE, CREDITS]),
    ("eps-two-shot-same-order", EPS, TWO_SHOT, [MEBIBYTE, SAME]),
    ("ocs-one-shot", OCS, ONE_SHOT, []),
    ("ocs-coset-parallel", OCS, "workloads/coset-parallel.yaml", []),
    ("eps-one-shot-responses", EPS, ONE_SHOT, ["workload.collectives.0.bytes=40 KiB", "topology.responses=per-message"]),
    ("eps-ualink-one-shot", "topologies/single-level-eps-ualink.yaml", ONE_SHOT, []),
    ("eps-three-in-a-row", EPS, "tests/golden/three-in-a-row.yaml", []),
    ("eps-all-to-all", EPS, ALL_TO_ALL, [SAME]),
    ("eps-scatter-gather", EPS, "workloads/scatter-gather.yaml", []),
    ("two-level-eps-one-shot", "topologies/two-level-eps-16.yaml", ONE_SHOT, ["topology.responses=per-message"]),
    ("two-level-eps-auto-simulated", "topologies/two-level-eps-16.yaml", ONE_SHOT,
     ["workload.collectives.0.bytes=20 KiB", "workload.collectives.0.schedule=auto-simulated"]),
    ("two-level-hybrid-two-shot", "topologies/two-level-hybrid-16.yaml", TWO_SHOT, [CREDITS]),
    ("eps-folds", EPS, "workloads/folds.yaml", []),
    ("ocs-folds", "topologies/single-level-ocs-fold.yaml", "workloads/folds.yaml", []),
    # Of docs/studies/fabrics.md.
    ("fabrics-eps-one-shot", "topologies/all-eps-512.yaml", ONE_SHOT, [KIBIBYTE]),
    ("fabrics-eps-per-hop-same-order", "topologies/all-eps-512.yaml", ALL_TO_ALL,
     [SAME, "topology.hop_reading=per-hop", "workload.collectives.0.bytes=512 KiB"]),
    ("fabrics-hybrid-all-to-all", "topologies/hybrid-512.yaml", ALL_TO_ALL, [KIBIBYTE]),
    ("fabrics-fair-all-reduce", "topologies/all-eps-512-1to1-150ns.yaml", ONE_SHOT,
     [KIBIBYTE, "workload.collectives.0.schedule=auto-simulated"]),
    ("fabrics-ocs-bruck", "topologies/all-ocs-512.yaml", ALL_TO_ALL,
     [KIBIBYTE, "workload.collectives.0.schedule=bruck-parallel"]),
    ("fabrics-ocs-coset", "topologies/all-ocs-512.yaml", "workloads/coset-parallel.yaml", [KIBIBYTE]),
    ("fabrics-ocs-cube-50-mib", "topologies/all-ocs-512.yaml", ONE_SHOT,
     ["topology.circuits={generators: cube}", "workload.collectives.0.bytes=50 MiB",
      "workload.collectives.0.schedule=rs-ag-parallel"], "message"),
    ("eps-decode-axes", "topologies/two-level-eps-16.yaml", "workloads/decode-axes.yaml",
     ["workload.meshes={attention: {kvp: 4, tpa: 4}, ffn: {ep: 8, tpe: 2}}", "topology.responses=per-message"]),
    ("direct-decode-axes", "topologies/direct-axes.yaml", "workloads/decode-axes.yaml", []),
    ("eps-uniform-traffic", EPS, "workloads/uniform-traffic.yaml", ["workload.traffic.measure=20 us"]),
    ("two-level-hot-spot-traffic", "topologies/two-level-eps-16.yaml", "workloads/uniform-traffic.yaml",
     ["topology.responses=per-message", CREDITS, "workload.traffic={pattern: hot-spot, load: 0.5, measure: 20 us}"]),
    ("eps-message-mode", EPS, ONE_SHOT, [MEBIBYTE, CREDITS, SAME], "message"),
]


def result(program, case):
    _, topology, workload, overrides, *mode = case
    sets = [word for override in overrides for word in ("--set", override)]
    command = [program, "run", topology, workload, *sets, "--mode", *(mode or ["flit"]), "--quiet", "--json", "-"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{case[0]}: status {done.returncode}\n{done.stderr.decode()}")
    report = json.loads(done.stdout)
    for key in NOT_KEPT:
        del report[key]
    del report["simlette"]["version"]
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def differences(kept, now):
    lines = zip(kept.splitlines(), now.splitlines())
    return [f"  kept {a.strip()}\n  now  {b.strip()}" for a, b in lines if a != b][:10]


def main():
    program = sys.argv[1]
    update = sys.argv[2:] == ["--update"]
    moved = 0
    for case in CASES:
        file = HERE / f"{case[0]}.json"
        now = result(program, case)
        if update:
            file.write_text(now, encoding="utf-8")
            continue
        kept = file.read_text(encoding="utf-8") if file.exists() else ""
        if now != kept:
            moved += 1
            print(f"{case[0]}: the result moved", *differences(kept, now), sep="\n")
    if moved:
        sys.exit(f"{moved} of {len(CASES)} results moved")
    print(f"{len(CASES)} results {'written' if update else 'as they were'}")


if __name__ == "__main__":
    main()
