#!/usr/bin/env python3
"""How time and memory grow with accelerators and bytes: a Markdown table of all-to-alls on one level of packet switches.

    python3 bench/growth.py [--engine ENGINE] [--seconds 120] [--gib 8] build/release/bin/simlette    (in the root)

Every point is a process of its own with 8 ports an accelerator. What does not finish within the limits is marked so, and
larger messages of the same row are left out.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ACCELERATORS = [32, 64, 128, 256, 512, 1024, 2048, 4096]
BYTES = ["1 KiB", "64 KiB", "1 MiB", "16 MiB", "250 MiB"]


def limit(setting):
    resource.setrlimit(resource.RLIMIT_CPU, (setting.seconds, setting.seconds))
    resource.setrlimit(resource.RLIMIT_AS, (setting.gib << 30, setting.gib << 30))


def measure(setting, accelerators, size):
    command = [setting.simlette, "run", "topologies/single-level-eps.yaml", "workloads/all-to-all.yaml", "--engine",
               setting.engine, "--json", "-", "--quiet", "--set", f"topology.accelerators={accelerators}", "--set",
               f"workload.collectives.0.bytes={size}"]
    with tempfile.TemporaryFile() as text:
        process = subprocess.Popen(command, cwd=ROOT, stdout=text, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: limit(setting))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        text.seek(0)
        result = json.load(text) if process.returncode == 0 else None
    return result, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def row(accelerators, size, result, seconds, mib):
    hops = 2 * result["flits"]
    return (f"| {accelerators} | {size} | {result['engine']} | {hops:,} | {seconds:.2f} | {hops / seconds * 1e-6:.1f} | "
            f"{mib:,.0f} |")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("simlette", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--seconds", type=int, default=120, help="of CPU time a point")
    parser.add_argument("--gib", type=int, default=8, help="of address space a point")
    return parser.parse_args()


def main():
    setting = arguments()
    print("| accelerators | bytes | engine | flit-hops | CPU s | M flit-hops/s | peak MiB |\n" + "|---" * 7 + "|")
    for accelerators in ACCELERATORS:
        for size in BYTES:
            result, seconds, mib = measure(setting, accelerators, size)
            if result is None:
                print(f"| {accelerators} | {size} | | | not finished | | |", flush=True)
                break
            print(row(accelerators, size, result, seconds, mib), flush=True)


if __name__ == "__main__":
    main()
