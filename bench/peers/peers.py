#!/usr/bin/env python3
"""Flit-hops a second of other simulators beside ours, on the same work, one after the other in one run.

    python3 bench/peers/peers.py --booksim PATH --cnsim PATH [--simpy PYTHON] [--engine ENGINE] build/release/bin/simlette

(in the root) prints a Markdown table. BookSim2 (github.com/booksim/booksim2) and CNSim
(github.com/Yinxiao-Feng/chiplet-network-sim, its preset Release) are built by whoever wants the comparison; PYTHON is an
interpreter that has SimPy. A peer that is left out leaves its column empty.

Every figure is marginal: a short and a long run of the same work, the hops between them over the CPU time between them,
as user time. So nobody pays for starting up or for building the fabric. Of several rounds the least time counts.
"""

import argparse
import dataclasses
import functools
import json
import re
import resource
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = Path(__file__).resolve().parent / "simpy_switch.py"
CYCLE_PS = 12_800  # a flit of 640 bytes at 400 Gb/s
HOPS = 2  # links on the way of a flit
LOAD = 0.4
PAIR_FLITS = 64  # of an all-to-all: 40 KiB

# A source, two links and a switch of four stages, a cycle each.
LATENCY = ("topology.latency={egress: {endpoint: 0 ns, protocol: 12.8 ns}, ingress: {endpoint: 0 ns, protocol: 0 ns}, "
           "propagation: 0 ns, switch: 51.2 ns}")

BOOKSIM = """topology = fly; n = 1; routing_function = dest_tag; injection_process = bernoulli; router = iq; num_vcs = 4;
vc_buf_size = 64; vc_allocator = islip; sw_allocator = islip; alloc_iters = 1; routing_delay = 1; vc_alloc_delay = 1;
sw_alloc_delay = 1; st_final_delay = 1; warmup_periods = 1; max_samples = 3; latency_thres = 100000.0;
"""

# Its one switch: of a dragonfly, the first, with a quarter of the radix for cores; all other switches stay idle. With a
# time-out of two cycles, which every message takes, it finds itself saturated and stops after the first load.
CNSIM = """[Network]
topology = DragonflySW
routing_algorithm = MIN
sw_radix = {radix}
channel_latency = 1
buffer_size = 64
vc_number = 4
processing_time = 0
[Workload]
traffic = {traffic}
traffic_scale = {accelerators}
packet_length = {flits}
[Simulation]
injection_increment = {load}
simulation_time = {cycles}
timeout_threshold = 2
timeout_limit = 2147483647
threads = 1
[Files]
output_file = /dev/null
log_file = /dev/null
"""


@dataclasses.dataclass
class Uniform:
    accelerators: int
    flits: int  # of a message

    def name(self):
        flits = "flit" if self.flits == 1 else f"{self.flits} flits"
        return f"uniform, load {LOAD}, messages of {'one ' if self.flits == 1 else ''}{flits}"

    def cycles(self, hops):
        return round(hops / (HOPS * LOAD * self.accelerators))

    def ours(self, program, engine, hops):
        window = self.cycles(hops) * CYCLE_PS
        result = simlette(program, engine, "workloads/uniform-traffic.yaml", [
            f"topology.accelerators={self.accelerators}", "topology.ports=1", LATENCY, f"workload.traffic.load={LOAD}",
            f"workload.traffic.message={640 * self.flits} B", "workload.traffic.warmup=0 ns",
            f"workload.traffic.measure={window} ps"])
        return result["flits"] * HOPS

    def booksim(self, program, hops):
        # A period to warm up and three samples.
        text = booksim(program, [f"k={self.accelerators}", "traffic=uniform", "sim_type=latency",
                                 f"packet_size={self.flits}", f"injection_rate={LOAD / self.flits}",
                                 f"sample_period={self.cycles(hops) // 4}"])
        cycles = float(re.search(r"Time taken is (\d+) cycles", text).group(1))
        overall = text[text.index("Overall Traffic Statistics"):]
        accepted = float(re.search(r"Accepted flit rate average = ([0-9.e+-]+)", overall).group(1))
        return cycles * accepted * self.accelerators * HOPS

    def cnsim(self, program, hops):
        return cnsim(program, self.accelerators, "uniform", self.flits, LOAD, hops)

    def simpy(self, _python, _hops):
        return None


@dataclasses.dataclass
class AllToAll:
    accelerators: int
    ports: int

    def name(self):
        ports = "1 port" if self.ports == 1 else f"{self.ports} ports"
        return f"all-to-all, 40 KiB a pair, {ports}"

    def pairs(self):
        return self.accelerators * (self.accelerators - 1)

    # One after the other, as often as it takes.
    def ours(self, program, engine, hops):
        lines = ["collectives:"]
        for index in range(max(1, round(hops / (HOPS * PAIR_FLITS * self.pairs())))):
            after = f", after: [c{index - 1}]" if index else ""
            lines.append(f"  - {{name: c{index}, primitive: all-reduce, group: world, bytes: {640 * PAIR_FLITS} B, "
                         f"schedule: one-shot{after}}}")
        result = with_file("\n".join(lines) + "\n", lambda path: simlette(program, engine, path, [
            f"topology.accelerators={self.accelerators}", f"topology.ports={self.ports}"]))
        return result["flits"] * HOPS

    # At every moment of a rotated all-to-all each source sends to another destination, so the peers send along a
    # permutation. Packets of 8 flits suit both better than single flits.
    def booksim(self, program, hops):
        if self.ports > 1:
            return None
        packets = round(hops / (HOPS * 8 * self.accelerators))
        booksim(program, [f"k={self.accelerators}", "traffic=tornado", "sim_type=batch", "injection_rate=1.0",
                          "packet_size=8", f"batch_size={packets}", "batch_count=1"])
        return packets * 8 * self.accelerators * HOPS

    def cnsim(self, program, hops):
        return None if self.ports > 1 else cnsim(program, self.accelerators, "bitcomplement", 8, 0.9, hops)

    def simpy(self, python, hops):
        if self.ports == 1:
            return None
        text = output([python, "-B", str(MODEL), "--accelerators", str(self.accelerators), "--ports", str(self.ports),
                       "--bytes", str(640 * round(hops / (HOPS * self.pairs())))])
        return int(re.search(r"(\d+) flit-hops", text).group(1))


WORKS = [Uniform(16, 1), Uniform(64, 1), Uniform(256, 1), Uniform(16, 8), Uniform(64, 8), AllToAll(16, 1),
         AllToAll(64, 1), AllToAll(256, 1), AllToAll(32, 8)]


def output(command):
    # BookSim2 ends with another status than 0 when all is well.
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True).stdout


def with_file(content, use):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(content)
        file.flush()
        return use(file.name)


def booksim(program, words):
    return with_file(BOOKSIM, lambda path: output([program, path, *words]))


def cnsim(program, accelerators, traffic, flits, load, hops):
    if accelerators > 16:
        return None  # the dragonfly around the switch would not fit in memory
    cycles = round(hops / (HOPS * load * accelerators)) * 2 // 3  # it warms up for half as many again
    text = with_file(CNSIM.format(radix=4 * accelerators, accelerators=accelerators, traffic=traffic, flits=flits,
                                  load=load, cycles=cycles), lambda path: output([program, path]))
    return int(re.search(r"Arrived: *(\d+)", text).group(1)) * flits * HOPS * 3 / 2


def simlette(program, engine, workload, overrides):
    sets = [word for override in overrides for word in ("--set", override)]
    return json.loads(output([program, "run", "topologies/single-level-eps.yaml", workload, "--engine", engine,
                              "--json", "-", "--quiet", *sets]))


def children_seconds():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def timed(run, hops, rounds):
    seconds = []
    for _ in range(rounds):
        start = children_seconds()
        done = run(hops)
        seconds.append(children_seconds() - start)
        if done is None:
            return None
    return done, min(seconds)


def rate(run, hops, rounds):
    short = timed(run, hops / 5, rounds)
    if short is None:
        return None
    long = timed(run, hops, rounds)
    return (long[0] - short[0]) / (long[1] - short[1])


def rates(work, setting):
    programs = {"booksim": (setting.booksim, 2e6), "cnsim": (setting.cnsim, 5e7), "simpy": (setting.simpy, 127_000)}
    found = {"ours": rate(lambda hops: work.ours(setting.simlette, setting.engine, hops), setting.hops, setting.rounds)}
    for name, (program, hops) in programs.items():
        run = functools.partial(getattr(work, name), program)
        found[name] = rate(run, hops, setting.rounds) if program else None
    return found


def cell(value, form):
    return "" if value is None else form.format(value)


def row(work, found):
    peers = [found[name] for name in ("booksim", "cnsim", "simpy")]
    speeds = [cell(peer and peer * 1e-6, "{:.3g}") for peer in peers]
    ratios = [cell(peer and found["ours"] / peer, "{:,.2f}") for peer in peers]
    return (f"| {work.name()} | {work.accelerators} | {found['ours'] * 1e-6:.1f} | " +
            " | ".join(f"{speed} | {ratio}" for speed, ratio in zip(speeds, ratios)) + " |")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("simlette", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--booksim", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--cnsim", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--simpy", metavar="PYTHON", help="an interpreter that has SimPy")
    parser.add_argument("--engine", default="auto", help="of Simlette")
    parser.add_argument("--hops", type=float, default=3e7, help="flit-hops of the long run of Simlette")
    parser.add_argument("--rounds", type=int, default=2)
    return parser.parse_args()


def main():
    setting = arguments()
    print("| work | accelerators | Simlette, M flit-hops/s | BookSim2 | ours over it | CNSim | ours over it | SimPy | "
          "ours over it |")
    print("|---" * 9 + "|")
    for work in WORKS:
        print(row(work, rates(work, setting)), flush=True)


if __name__ == "__main__":
    main()
