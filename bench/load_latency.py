#!/usr/bin/env python3
"""Writes docs/studies/load-latency.md and docs/images/load-latency.svg: one switch of 64 ports under uniform traffic.

    python3 bench/load_latency.py build/release/bin/simlette [BOOKSIM]    (in the root; the picture needs gnuplot)

BOOKSIM is the program of BookSim2 (github.com/booksim/booksim2), built by whoever wants the comparison; without it the
page has our columns alone.
"""

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOADS = [0.001, 0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95]
CYCLE_PS = 12_800  # a flit of 640 bytes at 400 Gb/s
WARMUP = 4_000  # cycles
MEASURE = 20_000
SAMPLE = 5_000  # BookSim2 takes as many samples as it needs to settle, at least three

# Channels of one cycle each are the flit times of our two links; a source and a switch of four stages are latencies.
OURS = ["topology.accelerators=64", "topology.ports=1", "workload.traffic.message=640 B",
        "topology.latency={egress: {endpoint: 0 ns, protocol: 12.8 ns}, ingress: {endpoint: 0 ns, protocol: 0 ns}, "
        "propagation: 0 ns, switch: 51.2 ns}",
        f"workload.traffic.warmup={WARMUP * CYCLE_PS} ps", f"workload.traffic.measure={MEASURE * CYCLE_PS} ps"]

# Every input reaches every output by a lane of its own (output_speedup 64), where an unlimited buffer waits: so flits
# queue at outputs alone. Single-flit packets; buffers beyond the switch that never run out.
BOOKSIM = f"""topology = fly; k = 64; n = 1; routing_function = dest_tag; traffic = uniform; packet_size = 1;
injection_process = bernoulli; router = iq; num_vcs = 32; vc_buf_size = 4096; output_buffer_size = -1;
output_speedup = 64; input_speedup = 1; vc_allocator = islip; sw_allocator = islip; alloc_iters = 4; routing_delay = 1;
vc_alloc_delay = 1; sw_alloc_delay = 1; st_final_delay = 1; sim_type = latency; sample_period = {SAMPLE};
warmup_periods = 1; max_samples = 10;
latency_thres = 100000.0;"""


def ours(program, load):
    sets = [word for override in [*OURS, f"workload.traffic.load={load}"] for word in ("--set", override)]
    command = [program, "run", "topologies/single-level-eps.yaml", "workloads/uniform-traffic.yaml", "--json", "-",
               "--quiet", *sets]
    traffic = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)["traffic"]
    return {"accepted": traffic["accepted"], "total": traffic["latency_ps"]["mean"] / CYCLE_PS,
            "network": traffic["network_latency_ps"]["mean"] / CYCLE_PS}


def theirs(program, load):
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as config:
        config.write(BOOKSIM)
        config.flush()
        text = subprocess.run([program, config.name, f"injection_rate={load}"], check=False, capture_output=True,
                              text=True).stdout
    overall = text[text.index("Overall Traffic Statistics"):]
    value = lambda name: float(re.search(name + r" average = ([0-9.e+-]+)", overall).group(1))
    return {"accepted": value("Accepted flit rate"), "total": value("Packet latency"),
            "network": value("Network latency")}


# Of an output-queued switch whose 64 inputs bring a flit in each cycle with probability `load`, to any output.
def closed_form(load):
    return 7 + 63 / 64 * load / (2 * (1 - load))


def deviation(a, b):
    return f"{100 * (a / b - 1):+.2f} %"


def referee_table(program, booksim):
    rows = ["| load | accepted | accepted, BookSim2 | off | latency | latency, BookSim2 | off | network latency | off | closed form |",
            "|---" * 10 + "|"]
    for load in LOADS:
        we, they = ours(program, load), theirs(booksim, load)
        rows.append(f"| {load} | {we['accepted']:.4f} | {they['accepted']:.4f} | "
                    f"{deviation(we['accepted'], they['accepted'])} | {we['total']:.3f} | {they['total']:.3f} | "
                    f"{deviation(we['total'], they['total'])} | {we['network']:.3f} | "
                    f"{deviation(we['network'], they['network'])} | {closed_form(load):.3f} |")
    return "\n".join(rows)


def curve(program):
    done = subprocess.run([program, "sweep", "workloads/studies/load-latency.yaml", "--quiet", "--jobs", "1", "--csv", "-",
                           "--plot", "x=workload.traffic.load,y=traffic.latency_ps.mean", "--svg",
                           "docs/images/load-latency.svg"], cwd=ROOT, check=True, capture_output=True, text=True)
    rows = ["| load | offered | accepted | mean us | p50 us | p99 us | most us |", "|---|---|---|---|---|---|---|"]
    for row in csv.DictReader(io.StringIO(done.stdout)):
        times = [f"{int(row['traffic.latency_ps.' + name]) / 1e6:.4f}" for name in ("mean", "p50", "p99", "max")]
        rows.append(f"| {row['workload.traffic.load']} | {float(row['traffic.offered']):.4f} | "
                    f"{float(row['traffic.accepted']):.4f} | " + " | ".join(times) + " |")
    return "\n".join(rows)


def all_to_all_us(program):
    command = [program, "run", "topologies/single-level-eps.yaml", "workloads/all-to-all.yaml", "--json", "-", "--quiet"]
    for override in ("topology.accelerators=64", "topology.ports=1", "workload.collectives.0.bytes=2560 KiB"):
        command += ["--set", override]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)["completion_ps"] / 1e6


HEAD = """# Load against latency

One electronic packet switch of 64 ports of 400 Gb/s, one accelerator a port, messages of one flit (640 B) to any other
accelerator, unlimited buffers, no responses, nominal latencies. Latency counts from the creation of a message. Written by
`python3 bench/load_latency.py build/release/bin/simlette [BOOKSIM]`; what is counted and how is in
[models](../models.md#synthetic-traffic). The study is `workloads/studies/load-latency.yaml`.

![mean latency over the load](../images/load-latency.svg)

"""

REFEREE = """
## Beside BookSim2

BookSim2 counts in cycles; a cycle is a flit time of 12.8 ns. Its switch stands for ours like this:

| BookSim2, built from commit 28f43299 of github.com/booksim/booksim2 | ours |
|---|---|
| `topology = fly; k = 64; n = 1`: one router of 64 ports | 64 accelerators, 1 port |
| `packet_size = 1`, a flit a cycle and channel | messages of 640 B, 400 Gb/s |
| channels in and out, 1 cycle each | the flit time on each of the two links |
| a cycle from the source into its channel | egress, 12.8 ns |
| `routing_delay`, `vc_alloc_delay`, `sw_alloc_delay`, `st_final_delay`, 1 cycle each | switch, 51.2 ns |
| `output_speedup = 64; output_buffer_size = -1`, 32 virtual channels with 4096 flits behind each | output-queued, unlimited buffers |
| `injection_process = bernoulli`: at most one packet a cycle | messages at any picosecond, also two within a flit time |

The latencies in the right column were set from the stages, not from a measured time. We warm up for 4,000
cycles and measure 20,000; BookSim2 measures in samples of 5,000 until it finds that they agree. Latencies are in cycles,
as means; "off" is ours against the latency of BookSim2. Network latency starts when the first flit takes the wire; in
BookSim2 it is the same as the latency, since its packets never wait at their source. The closed form is that of an
output-queued switch under Bernoulli sources: 7 cycles and a wait of `63/64 load / (2 (1 - load))`.

"""

WHY = """
Zero-load latency and accepted throughput agree within what chance leaves; at 0.001 there are about 1,300 messages in the
window.

Where they part: our messages come at any picosecond, so two may come within a flit time and the second one waits at its
source, which a source of BookSim2, with at most one packet in a cycle, never has to. That wait is in our latency and grows
with the load as that of a queue with random arrivals, `load / (2 (1 - load))` flit times: about half of all
waiting. The network latency leaves it out and follows the closed form. BookSim2 stays above that at high load: its
allocator must find a free virtual channel of the output for each flit before it may cross. With 8 channels and one
iteration of the allocators, instead of 32 and 4, it took 12.0 cycles at 0.9.
"""

ALL_TO_ALL = """
## All-to-all beside other simulators

64 accelerators, one port of 400 Gb/s each on one switch of 64 ports, 40 KiB from every rank to every other in one phase
(`direct`, rotated order), nominal latencies, unlimited buffers, no responses, in flit mode:

| | us | ours is off |
|---|---|---|
| Simlette | {ours:.4f} | |
| SST merlin | 52.7 | {merlin} |
| ns-3 | 53.6 | {ns3} |
| SimGrid | 52.4 | {simgrid} |

The other figures are known ones of the same exchange; they were not run here, and their latencies, packet sizes and
headers are not ours. The wire alone takes 63 x 40 KiB at 400 Gb/s, {wire:.4f} us, which all of them must exceed; ours adds
the unloaded path, 810 ns, and one more flit time in the switch.
"""


def main():
    program = Path(sys.argv[1]).resolve()
    page = HEAD + curve(program) + "\n"
    if len(sys.argv) > 2:
        page += REFEREE + referee_table(program, Path(sys.argv[2]).resolve()) + "\n" + WHY
    us = all_to_all_us(program)
    page += ALL_TO_ALL.format(ours=us, merlin=deviation(us, 52.7), ns3=deviation(us, 53.6), simgrid=deviation(us, 52.4),
                              wire=63 * 64 * CYCLE_PS / 1e6)
    (ROOT / "docs/studies/load-latency.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
