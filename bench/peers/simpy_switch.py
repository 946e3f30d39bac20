#!/usr/bin/env python3
"""One level of electronic packet switches in SimPy, flit by flit: the same fabric, the same completion time.

    python3 bench/peers/simpy_switch.py --accelerators 32 --simlette build/release/bin/simlette    (in the root)

Every accelerator sends `--bytes` to every other one; flits of 640 bytes, one switch a port, nominal latencies, credits
counted at the sender, no responses. Prints the completion time, the CPU time and that of a flit-hop.
With --simlette it asks the program too and exits with 1 if the two differ by a picosecond. Needs SimPy 3 or newer
(Debian's package is python3-simpy3).

A wire is a process that serializes; a flight is a process that lasts as long as the latency; queues and credits are
SimPy's stores and containers.
"""

import argparse
import json
import math
import subprocess
import sys
import time
from collections import deque, namedtuple
from pathlib import Path

import simpy

ROOT = Path(__file__).resolve().parents[2]
FLIT_BYTES = 640
FLIT_PS = 12_800  # at 400 Gb/s
UP_PS = 255_000 + 300_000  # egress, propagation, the switch
DOWN_PS = 255_000

Flit = namedtuple("Flit", "source destination")


class Link:
    """One direction of a wire and the credits of the buffer at its end."""

    def __init__(self, env, latency, setting):
        self.env = env
        self.latency = latency
        self.credit_return = setting.credit_return
        self.credits = simpy.Container(env, init=setting.credits or math.inf)

    def send(self, flit, deliver):
        self.env.process(self.fly(flit, deliver))
        yield self.env.timeout(FLIT_PS)

    def fly(self, flit, deliver):
        yield self.env.timeout(FLIT_PS + self.latency)
        deliver(flit)

    def free(self):
        if self.credit_return:
            self.env.process(self.free_later())
        else:
            self.credits.put(1)

    def free_later(self):
        yield self.env.timeout(self.credit_return)
        self.credits.put(1)


class Output:
    """An output of a switch: a queue for each input, served in rotation."""

    def __init__(self, env, inputs, link, deliver):
        self.env = env
        self.inputs = inputs  # the links into the switch
        self.queues = [deque() for _ in inputs]
        self.waiting = simpy.Container(env)
        self.pointer = 0
        self.link = link
        self.deliver = deliver
        env.process(self.serve())

    def take_in(self, flit):
        self.queues[flit.source].append(flit)
        self.waiting.put(1)

    def serve(self):
        while True:
            yield self.link.credits.get(1)
            yield self.waiting.get(1)
            yield self.env.timeout(0)  # all that arrives at this instant may compete
            source = self.next_input()
            yield from self.link.send(self.queues[source].popleft(), self.deliver)
            self.inputs[source].free()

    def next_input(self):
        count = len(self.queues)
        source = next(i % count for i in range(self.pointer, self.pointer + count) if self.queues[i % count])
        self.pointer = (source + 1) % count
        return source


class Plane:
    """One switch: the links of one port of every accelerator."""

    def __init__(self, env, setting, received):
        self.env = env
        count = setting.accelerators
        self.up = [Link(env, UP_PS, setting) for _ in range(count)]
        self.down = [Link(env, DOWN_PS, setting) for _ in range(count)]
        self.outputs = [Output(env, self.up, link, self.land) for link in self.down]
        self.sources = [simpy.Store(env) for _ in range(count)]
        self.received = received
        for rank in range(count):
            env.process(self.inject(rank))

    def inject(self, rank):
        while True:
            flit = yield self.sources[rank].get()
            yield self.up[rank].credits.get(1)
            yield from self.up[rank].send(flit, self.arrive)

    def arrive(self, flit):
        self.outputs[flit.destination].take_in(flit)

    def land(self, flit):
        self.down[flit.destination].free()
        self.received.put(flit)


def collect(env, received, flits):
    for _ in range(flits):
        yield received.get()
    return env.now


def destinations(rank, setting):
    count = setting.accelerators
    if setting.order == "same":
        return [other for other in range(count) if other != rank]
    return [(rank + step) % count for step in range(1, count)]


def queue_messages(planes, setting):
    flits = -(-setting.bytes // FLIT_BYTES)
    count = setting.accelerators
    for rank in range(count):
        sent = 0
        for destination in destinations(rank, setting):
            for _ in range(flits):
                planes[sent % setting.ports].sources[rank].put(Flit(rank, destination))
                sent += 1
    return flits * count * (count - 1)


def simulate(setting):
    env = simpy.Environment()
    received = simpy.Store(env)
    planes = [Plane(env, setting, received) for _ in range(setting.ports)]
    flits = queue_messages(planes, setting)
    return env.run(until=env.process(collect(env, received, flits))), flits


def simlette_ps(program, setting):
    command = [program, "run", "topologies/single-level-eps.yaml", "workloads/one-shot.yaml", "--json", "-", "--quiet"]
    for override in (f"topology.accelerators={setting.accelerators}", f"topology.ports={setting.ports}",
                     f"topology.buffers={f'{setting.credits} flits' if setting.credits else 'unlimited'}",
                     f"topology.credit_return={setting.credit_return} ps",
                     f"workload.collectives.0.send_order={setting.order}",
                     f"workload.collectives.0.bytes={setting.bytes} B"):
        command += ["--set", override]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["completion_ps"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--accelerators", type=int, default=32)
    parser.add_argument("--ports", type=int, default=8)
    parser.add_argument("--bytes", type=int, default=40 * 1024)
    parser.add_argument("--order", choices=["rotated", "same"], default="rotated")
    parser.add_argument("--credits", type=int, default=0, help="flits of a buffer; 0: unlimited")
    parser.add_argument("--credit-return", type=int, default=0, help="picoseconds")
    parser.add_argument("--simlette", type=Path, help="the program to compare with")
    return parser.parse_args()


def main():
    setting = arguments()
    start = time.process_time()
    completion, flits = simulate(setting)
    seconds = time.process_time() - start
    print(f"{completion} ps, {2 * flits} flit-hops, {seconds:.2f} s CPU, {seconds / (2 * flits) * 1e6:.1f} us a flit-hop")
    if setting.simlette:
        ours = simlette_ps(setting.simlette.resolve(), setting)
        if ours != completion:
            sys.exit(f"simlette says {ours} ps")


if __name__ == "__main__":
    main()
