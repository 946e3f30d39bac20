#!/usr/bin/env python3
"""Other simulators beside ours, on the same work, one after the other in one run: speeds and ratios as Markdown tables.

    python3 bench/peers/peers.py --booksim PATH --cnsim PATH --simpy PYTHON --htsim PATH build/release/bin/simlette

(in the root). Whoever wants the comparison builds the peers from their public sources, optimized, as their pages say:

  BookSim2    github.com/booksim/booksim2                    --booksim .../src/booksim
  CNSim       github.com/Yinxiao-Feng/chiplet-network-sim    --cnsim .../ChipletNetworkSim
  uet-htsim   github.com/ultraethernet/uet-htsim             --htsim .../htsim_uec
  SimPy       pypi.org/project/simpy                         --simpy PYTHON, an interpreter that has it

A peer that is left out leaves its rows out. A flit-hop is 640 bytes over one link. The first table has the speed of
both engines and of the peers in M flit-hops/s; the second has what is asked of the ratios, and the exit status is 1 if
one falls short of its floor. `simlette run` tells critical paths of collectives, which no peer does: with the reference
engine as it goes, with the sweep by a replay. So the sweep has two columns: alone (the program one_shot beside
simlette) and with its paths (simlette itself).

Every figure is marginal: a short and a long run of the same work, the hops between them over the CPU time between them,
as user time. So nobody pays for starting up or for building the fabric. The programs run in turn, and of several rounds
the median counts. Three rounds take six minutes of CPU time, --simpy-long thirteen more.
"""

import argparse
import collections
import dataclasses
import functools
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parents[2]
MODEL = Path(__file__).resolve().parent / "simpy_switch.py"
WAYS = ("reference", "sweep", "sweep and paths")  # to simulate it with ours
CYCLE_PS = 12_800  # a flit of 640 bytes at 400 Gb/s
FLIT_BYTES = 640
HOPS = 2  # links on the way of a flit
EVENTS = 2  # of the reference for a flit-hop: it arrives, and the wire falls free
PAIR_FLITS = 64  # of an all-to-all: 40 KiB
PACKET_FLITS = 8  # suits BookSim2 and CNSim better than single flits

# A source, two links and a switch of four stages, a cycle each.
LATENCY = ("topology.latency={egress: {endpoint: 0 ns, protocol: 12.8 ns}, ingress: {endpoint: 0 ns, protocol: 0 ns}, "
           "propagation: 0 ns, switch: 51.2 ns}")

BOOKSIM = """topology = fly; n = 1; routing_function = dest_tag; injection_process = bernoulli; router = iq;
num_vcs = 4; vc_buf_size = 64; vc_allocator = islip; sw_allocator = islip; alloc_iters = 1; routing_delay = 1;
vc_alloc_delay = 1; sw_alloc_delay = 1; st_final_delay = 1; warmup_periods = 1; max_samples = 3;
latency_thres = 100000.0;
"""
BOOKSIM_DEFAULTS = ["num_vcs=16", "vc_buf_size=8"]  # the rest of the switch above is its default already

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

# Its one switch: a leaf for all hosts, below a spine that nothing goes through.
HTSIM = """Nodes {accelerators}
Tiers 2
Podsize {accelerators}

Tier 0
Downlink_speed_Gbps 400
Radix_Down {accelerators}
Radix_Up 1
Oversubscribed {accelerators}
Downlink_Latency_ns 255
Switch_Latency_ns 300

Tier 1
Downlink_speed_Gbps 400
Radix_Down 1
Downlink_Latency_ns 255
Switch_Latency_ns 300
"""
HTSIM_HEADER = 64  # bytes that its MTU counts beside the payload
HTSIM_EVENTS = 6  # of a packet or an acknowledgement: the host's port, two wires, the switch and two queues of it


@dataclasses.dataclass
class Done:
    hops: float
    events: float = 0


@dataclasses.dataclass
class Goal:
    floor: float
    moonshot: float = 0

    def verdict(self, value):
        if value < self.floor:
            return "missed"
        return "moonshot" if self.moonshot and value >= self.moonshot else "met"


@dataclasses.dataclass
class Peer:
    name: str
    how: str  # it does the work, where not as it is named
    run: Callable  # about so many flit-hops; gives what was done
    hops: float  # of the long run
    goals: dict = dataclasses.field(default_factory=dict)  # by way: of our speed over its
    events: bool = False  # the goals are of events, not of flit-hops
    whole: bool = False  # one run, from start to end


def of_sweep(floor, moonshot):
    return {way: Goal(floor, moonshot) for way in WAYS[1:]}


class Refused(Exception):
    """The sweep does not do this work."""


@dataclasses.dataclass(frozen=True)
class Uniform:
    accelerators: int
    flits: int  # of a message
    load: float = 0.4

    def name(self):
        return f"uniform, load {self.load}, messages of {'one flit' if self.flits == 1 else f'{self.flits} flits'}"

    def cycles(self, hops):
        return round(hops / (HOPS * self.load * self.accelerators))

    def ours(self, program, way, hops):
        if way == "sweep and paths":
            raise Refused("traffic has no critical paths")
        window = self.cycles(hops) * CYCLE_PS
        result = simlette(program, way, "workloads/uniform-traffic.yaml", [
            f"topology.accelerators={self.accelerators}", "topology.ports=1", LATENCY,
            f"workload.traffic.load={self.load}", f"workload.traffic.message={FLIT_BYTES * self.flits} B",
            "workload.traffic.warmup=0 ns", f"workload.traffic.measure={window} ps"])
        return Done(result["flits"] * HOPS)

    def peers(self, setting):
        if setting.booksim:
            yield Peer("BookSim2", "", lambda hops: self.booksim(setting.booksim, hops), 2e6)
        if setting.cnsim and fits_cnsim(self.accelerators):
            yield Peer("CNSim", "",
                       lambda hops: cnsim(setting.cnsim, self, "uniform", self.flits, self.load, hops), 5e7)

    def booksim(self, program, hops):
        # A period to warm up and three samples.
        text = booksim(program, [f"k={self.accelerators}", "traffic=uniform", "sim_type=latency",
                                 f"packet_size={self.flits}", f"injection_rate={self.load / self.flits}",
                                 f"sample_period={self.cycles(hops) // 4}"])
        cycles = number(r"Time taken is (\d+) cycles", text)
        accepted = number(r"Overall Traffic Statistics.*?Accepted flit rate average = ([0-9.e+-]+)", text)
        return Done(cycles * accepted * self.accelerators * HOPS)


@dataclasses.dataclass(frozen=True)
class AllToAll:
    accelerators: int
    ports: int

    def name(self):
        return f"all-to-all, 40 KiB a pair, {'1 port' if self.ports == 1 else f'{self.ports} ports'}"

    def pairs(self):
        return self.accelerators * (self.accelerators - 1)

    # One after the other, as often as it takes.
    def ours(self, program, way, hops):
        times = max(1, round(hops / (HOPS * PAIR_FLITS * self.pairs())))
        if way == "sweep":
            return Done(number(r"(\d+) flit-hops", output([
                Path(program).with_name("one_shot"), way, str(self.accelerators), str(self.ports),
                str(FLIT_BYTES * PAIR_FLITS), str(times)])))
        lines = ["collectives:"]
        for index in range(times):
            after = f", after: [c{index - 1}]" if index else ""
            lines.append(f"  - {{name: c{index}, primitive: all-reduce, group: world, schedule: one-shot, "
                         f"bytes: {FLIT_BYTES * PAIR_FLITS} B{after}}}")
        result = with_file("\n".join(lines) + "\n", lambda path: simlette(program, way, path, [
            f"topology.accelerators={self.accelerators}", f"topology.ports={self.ports}"]))
        return Done(result["flits"] * HOPS)

    def peers(self, setting):
        if setting.booksim and self.ports == 1:
            yield from self.booksim_peers(setting.booksim)
        if setting.cnsim and self.ports == 1 and fits_cnsim(self.accelerators):
            yield Peer("CNSim", "along a permutation",
                       lambda hops: cnsim(setting.cnsim, self, "bitcomplement", PACKET_FLITS, 0.9, hops), 5e7)
        if setting.simpy and self.ports > 1:
            yield from self.simpy_peers(setting)
        if setting.htsim and (self.accelerators, self.ports) == (64, 1):
            yield from self.htsim_peers(setting.htsim)

    # At every moment of a rotated all-to-all each source sends to another destination, as along a permutation. Over all
    # of it each sends to all, as at random.
    def booksim_peers(self, program):
        goals = {"reference": Goal(60), **of_sweep(200, 1000)} if self.accelerators == 256 else {}

        def peer(how, traffic, *words):
            run = functools.partial(self.booksim, program, [f"traffic={traffic}", *words])
            return Peer("BookSim2", how, run, 2e6, goals)

        yield peer("along a permutation", "tornado")
        if self.accelerators == 256:
            yield peer("in random order", "uniform")
            yield peer("in random order, its default channels", "uniform", *BOOKSIM_DEFAULTS)

    def booksim(self, program, words, hops):
        packets = round(hops / (HOPS * PACKET_FLITS * self.accelerators))
        text = booksim(program, [f"k={self.accelerators}", "sim_type=batch", "injection_rate=1.0",
                                 f"packet_size={PACKET_FLITS}", f"batch_size={packets}", "batch_count=1", *words])
        number(r"Overall min batch duration = (\d+)", text)
        return Done(packets * PACKET_FLITS * self.accelerators * HOPS)

    def simpy_peers(self, setting):
        if self.accelerators == 32:
            yield Peer("SimPy", "", lambda hops: self.simpy(setting.simpy, hops), 127_000, of_sweep(3000, 20_000))
        elif setting.simpy_long:
            yield Peer("SimPy", "one whole run", lambda hops: self.simpy(setting.simpy, hops),
                       HOPS * PAIR_FLITS * self.pairs(), of_sweep(8000, 50_000), whole=True)

    def simpy(self, python, hops):
        text = output([python, "-B", str(MODEL), "--accelerators", str(self.accelerators), "--ports", str(self.ports),
                       "--bytes", str(FLIT_BYTES * round(hops / (HOPS * self.pairs())))])
        return Done(number(r"(\d+) flit-hops", text))

    def htsim_peers(self, program):
        for order, triggered in (("all messages from the start", False), ("a message at a time", True)):
            for size, payload in (("4 KiB", 4086), ("a flit", FLIT_BYTES)):  # 4086 is its default
                run = functools.partial(self.htsim, program, triggered, payload)
                yield Peer("uet-htsim", f"{order}, packets of {size}", run, 5 * HOPS * PAIR_FLITS * self.pairs(),
                           {"reference": Goal(20, 60)}, events=True)

    def htsim(self, program, triggered, payload, hops):
        flits = round(hops / (HOPS * self.pairs()))
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "topology").write_text(HTSIM.format(accelerators=self.accelerators), encoding="utf-8")
            Path(folder, "messages").write_text(self.messages(FLIT_BYTES * flits, triggered), encoding="utf-8")
            text = output([program, "-topo", "topology", "-tm", "messages", "-o", "log", "-linkspeed", "400000", "-end",
                           "1000000", "-mtu", str(payload + HTSIM_HEADER), "-force_disable_oversubscribed_cc"], folder)
        if text.count(" finished at ") != self.pairs():
            sys.exit("uet-htsim did not finish its messages")
        packets = sum(number(rf"\b{kind}: (\d+)", text) for kind in ("New", "Rtx", "ACKs", "NACKs"))
        return Done(HOPS * flits * self.pairs(), HTSIM_EVENTS * packets)

    # In rotated order; triggered: a source starts a message when the one before is sent.
    def messages(self, size, triggered):
        count = self.accelerators
        triggers = range(1, count * (count - 2) + 1) if triggered else []
        lines = [f"Nodes {count}", f"Connections {self.pairs()}", f"Triggers {len(triggers)}"]
        for source in range(count):
            for step in range(1, count):
                trigger = source * (count - 2) + step  # that starts the next
                start = f"trigger {trigger - 1}" if triggered and step > 1 else "start 0"
                end = f" send_done_trigger {trigger}" if triggered and step < count - 1 else ""
                ident = source * (count - 1) + step
                lines.append(f"{source}->{(source + step) % count} id {ident} {start} size {size}{end}")
        return "\n".join(lines + [f"trigger id {trigger} oneshot" for trigger in triggers]) + "\n"


WORKS = [Uniform(16, 1), Uniform(64, 1), Uniform(256, 1), Uniform(16, 8), Uniform(64, 8), Uniform(256, 8),
         Uniform(256, 8, 0.9), AllToAll(16, 1), AllToAll(64, 1), AllToAll(256, 1), AllToAll(32, 8), AllToAll(256, 8)]


def output(command, folder=ROOT):
    # BookSim2 ends with another status than 0 when all is well.
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True).stdout


def number(pattern, text):
    found = re.search(pattern, text, re.DOTALL)
    if not found:
        sys.exit(f"a peer did not print what fits {pattern!r}; it ended with\n{text[-500:]}")
    return float(found.group(1))


def with_file(content, use):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(content)
        file.flush()
        return use(file.name)


def booksim(program, words):
    return with_file(BOOKSIM, lambda path: output([program, path, *words]))


def fits_cnsim(accelerators):
    return accelerators <= 16  # the dragonfly around a larger switch would not fit in memory


def cnsim(program, work, traffic, flits, load, hops):
    cycles = round(hops / (HOPS * load * work.accelerators)) * 2 // 3  # it warms up for half as many again
    text = with_file(CNSIM.format(radix=4 * work.accelerators, accelerators=work.accelerators, traffic=traffic,
                                  flits=flits, load=load, cycles=cycles), lambda path: output([program, path]))
    return Done(number(r"Arrived: *(\d+)", text) * flits * HOPS * 3 / 2)


def simlette(program, way, workload, overrides):
    engine = way.split()[0]
    sets = [word for override in overrides for word in ("--set", override)]
    done = subprocess.run([program, "run", "topologies/single-level-eps.yaml", workload, "--engine", engine, "--json",
                           "-", "--quiet", *sets], cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode == 2 and engine == "sweep":
        raise Refused(done.stderr.strip())
    if done.returncode != 0:
        sys.exit(done.stderr)
    result = json.loads(done.stdout)
    if result["engine"] != engine:
        raise Refused(result["fallback_reason"])
    return result


def children_seconds():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def timed(run, hops):
    start = children_seconds()
    done = run(hops)
    return done, children_seconds() - start


# What is done a second.
def rate(run, hops, whole=False):
    short, short_seconds = (Done(0), 0) if whole else timed(run, hops / 5)
    long, long_seconds = timed(run, hops)
    seconds = long_seconds - short_seconds
    return Done((long.hops - short.hops) / seconds, (long.events - short.events) / seconds)


def median(rates):
    return Done(statistics.median(rate.hops for rate in rates), statistics.median(rate.events for rate in rates))


class Measurements:
    """Rates by work and by who did it, a list of a rate a round."""

    def __init__(self, setting):
        self.setting = setting
        self.rates = collections.defaultdict(list)
        self.refusals = {}
        self.peers = {work: list(work.peers(setting)) for work in WORKS}

    def works(self):
        return [work for work in WORKS if self.peers[work]]

    def take(self, index):
        for work in self.works():
            for way in WAYS:
                if (work, way) not in self.refusals:
                    self.take_ours(work, way)
            for peer in self.peers[work]:
                if index == 0 or not peer.whole:
                    self.rates[work, peer.name, peer.how].append(rate(peer.run, peer.hops, peer.whole))
            print(f"round {index + 1}: {work.name()}, {work.accelerators} accelerators", file=sys.stderr)

    def take_ours(self, work, way):
        hops = self.setting.hops * (1 if way == "reference" else 4)
        try:
            self.rates[work, way].append(rate(lambda hops: work.ours(self.setting.simlette, way, hops), hops))
        except Refused as refused:
            self.refusals[work, way] = str(refused)

    def ours(self, work, way):
        return None if (work, way) in self.refusals else median(self.rates[work, way])

    def of(self, work, peer):
        return median(self.rates[work, peer.name, peer.how])


def cell(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def print_speeds(found):
    columns = ["work", "accelerators", *WAYS, "peer", "its way", "its speed", *(f"{way} over it" for way in WAYS)]
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for work in found.works():
        ours = [found.ours(work, way) for way in WAYS]
        head = [work.name(), str(work.accelerators), *(cell(rate.hops * 1e-6) if rate else "none" for rate in ours)]
        for peer in found.peers[work]:
            hops = found.of(work, peer).hops
            print("| " + " | ".join([*head, peer.name, peer.how, cell(hops * 1e-6),
                                     *(cell(rate.hops / hops) if rate else "" for rate in ours)]) + " |")
            head = [""] * len(head)
    for reason in dict.fromkeys(found.refusals.values()):
        print(f"\nnone: {reason}")


def print_goals(found):
    print("\n| over | | ours | its | ratio | floor | moonshot | |\n" + "|---" * 8 + "|")
    met = True
    for work in found.works():
        for peer in found.peers[work]:
            for way, goal in peer.goals.items():
                met &= print_goal(work, peer, way, goal, found)
    return met


def print_goal(work, peer, way, goal, found):
    ours, theirs, unit = found.ours(work, way).hops, found.of(work, peer).hops, "M flit-hops/s"
    if peer.events:
        ours, theirs, unit = EVENTS * ours, found.of(work, peer).events, "M events/s"
    ratio = ours / theirs
    name = ", ".join(filter(None, [peer.name, f"{work.accelerators} accelerators", peer.how]))
    print(f"| {name} | {way} | {cell(ours * 1e-6)} {unit} | {cell(theirs * 1e-6)} | {cell(ratio)} | "
          f">= {goal.floor:,} | {f'>= {goal.moonshot:,}' if goal.moonshot else ''} | {goal.verdict(ratio)} |")
    return ratio >= goal.floor


def arguments():
    def program(text):
        return str(Path(text).resolve())

    def interpreter(text):
        if subprocess.run([text, "-c", "import simpy"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            raise argparse.ArgumentTypeError(f"{text} has no SimPy; in Debian it is the package python3-simpy3")
        return text

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simlette", type=program,
                        help="our program of the preset release; the target one_shot is built beside it")
    parser.add_argument("--booksim", type=program, metavar="PROGRAM")
    parser.add_argument("--cnsim", type=program, metavar="PROGRAM")
    parser.add_argument("--htsim", type=program, metavar="PROGRAM")
    parser.add_argument("--simpy", type=interpreter, metavar="PYTHON", help="python3, if it has SimPy")
    parser.add_argument("--simpy-long", action="store_true",
                        help="SimPy on 256 accelerators too, once, as one whole run of 13 minutes")
    parser.add_argument("--hops", type=float, default=3e7,
                        help="flit-hops of the long run of the reference engine (default: 3e7); of the sweep four times "
                             "as many")
    parser.add_argument("--rounds", type=int, default=3, help="of which the median counts (default: 3)")
    return parser.parse_args()


def main():
    found = Measurements(arguments())
    for index in range(found.setting.rounds):
        found.take(index)
    print_speeds(found)
    return 0 if print_goals(found) else 1


if __name__ == "__main__":
    sys.exit(main())
