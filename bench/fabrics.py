#!/usr/bin/env python3
"""Writes docs/studies/fabrics.md and its pictures: single collectives over 512 accelerators on several fabrics.

    python3 bench/fabrics.py build/release/bin/simlette     (in the root; the pictures need gnuplot)

Half an hour of CPU time and 3 GiB of memory. What has run is kept in build/studies/fabrics.json.
"""

import subprocess
import sys
from pathlib import Path

from fabric_cases import ROOT, Cases

AR, AA = "all-reduce", "all-to-all"
OVER, FULL, FAIR, HYBRID, OPTICAL = "all-eps-512", "all-eps-512-1to1", "all-eps-512-1to1-150ns", "hybrid-512", "all-ocs-512"
FOLD, CUBE = "Q9[3,3,3]", "{generators: cube}"
CIRCUIT_SCHEDULES = {AR: ["coset-factored-parallel", "rs-ag-parallel"], AA: ["bruck-parallel"]}
SMALL = [(AR, "1 KiB", "one-shot", 3.77), (AA, "1 KiB", "direct", 3.02), (AA, "512 KiB", "direct", 10.4)]
SIZES = {AR: ["1 KiB", "50 KiB", "512 KiB", "5 MiB", "50 MiB"], AA: ["1 KiB", "50 KiB", "512 KiB", "5 MiB", "16 MiB", "250 MiB"]}
PAPER = {AR: {"eps": {"1 KiB": 3.77, "50 MiB": 242}, "ocs": {"1 KiB": 1.78, "50 MiB": 68}},
         AA: {"eps": {"1 KiB": 3.02, "512 KiB": 10.4, "250 MiB": 1210},
              "ocs": {"1 KiB": 1.70, "512 KiB": 3.05, "250 MiB": 657}}}
LARGEST = "250 MiB"  # runs its cheapest schedule alone: what else there is would take as long again


def us(ps):
    return f"{ps / 1e6:.6g}"


def off(case, paper_us):
    return f"{us(case['completion_ps'])} us, {100 * (case['completion_ps'] / 1e6 / paper_us - 1):+.1f} %"


def why(case):
    """Where the time of the last flit went, and what the links saw."""
    parts, links = case["parts"], case["links"]
    latency = sum(parts[key] for key in ("endpoint", "protocol", "propagation", "switch"))
    uneven, link = max((link["most"] / link["mean"], name) for name, link in links.items())
    deepest, where = max((link["queue"], name) for name, link in links.items())
    return (f"latency {us(latency)}, its own flits {us(parts['serialization'])}, flits of others {us(parts['contention'])} us; "
            f"busiest link {uneven:.2f} times the mean ({link}); deepest queue {deepest:,} ({where})")


class Fabrics:
    def __init__(self, cases):
        self.cases = cases

    def over(self, primitive, size, schedule, hop="switch-only", order="rotated", stripe="continue", **more):
        """The fabric of the paper, 4:1. Readings that are the default are not named, so that no case runs twice."""
        readings = {"hop_reading": (hop, "switch-only"), "send_order": (order, "rotated"), "routing__stripe": (stripe, "continue")}
        more.update((key, reading) for key, (reading, default) in readings.items() if reading != default)
        return self.cases(OVER, primitive, size, schedule, **more)

    def circuits(self, primitive, size, **more):
        """All schedules on both sets of circuits, by (circuits, schedule)."""
        return {(name, schedule): self.cases(OPTICAL, primitive, size, schedule, **circuits, **more)
                for name, circuits in ((FOLD, {}), ("cube, 4 copies", {"circuits": CUBE}))
                for schedule in CIRCUIT_SCHEDULES[primitive]}

    def best_circuits(self, primitive, size, **more):
        return min(self.circuits(primitive, size, **more).items(), key=lambda item: item[1]["completion_ps"])

    def packets(self, topology, primitive, size):
        """The fastest of the choices."""
        return self.cases(topology, primitive, size, "direct" if size == LARGEST else "auto-simulated")

    def analytic(self, topology, primitive, size, schedule):
        return self.cases(topology, primitive, size, schedule, "analytic")


def electronic(fabrics):
    def row(text, **reading):
        cells = [off(fabrics.over(*case[:3], **reading), case[3]) for case in SMALL]
        return f"| {text} | " + " | ".join(cells) + " |"

    rows = []
    for hop in ("switch-only", "per-hop"):
        for order in ("rotated", "same"):
            for case in SMALL:
                ours, other = (fabrics.over(*case[:3], hop=hop, order=order, stripe=stripe) for stripe in ("continue", "restart"))
                assert ours["completion_ps"] == other["completion_ps"], case
            rows.append(row(f"{hop}, {order}", hop=hop, order=order))
    rows += [row(f"switch-only, {order}, latency {latency}", order=order, latency=latency)
             for latency in ("low", "high") for order in ("rotated", "same")]
    reasons = "\n".join(f"- {primitive} {size}, {schedule}, {order}: {why(fabrics.over(primitive, size, schedule, order=order))}."
                        for primitive, size, schedule, _ in SMALL for order in ("rotated", "same"))
    doubling = fabrics.over(AR, "50 MiB", "halving-doubling")
    slow, fast = (fabrics.cases(OVER, AR, "50 MiB", "halving-doubling", "analytic", hop_reading=hop)["completion_ps"]
                  for hop in ("per-hop", "switch-only"))
    huge = fabrics.analytic(OVER, AA, "250 MiB", "direct")
    exchange = []
    for size in ("16 MiB", "250 MiB"):
        price = fabrics.analytic(OVER, AA, size, "direct")["completion_ps"]
        for order in ("rotated", "same"):
            case = fabrics.over(AA, size, "direct", order=order)
            paper, ours = ("1210", off(case, 1210)) if size == "250 MiB" else ("", f"{us(case['completion_ps'])} us")
            exchange.append(f"| all-to-all {size}, direct, {order} | {paper} | {ours}, "
                            f"{case['completion_ps'] / price:.2f} times analytic | {why(case)} |")
    exchange = "\n".join(exchange)
    return f"""## Figure 13, all-EPS: two levels of electronic switches, 4:1

Latency nominal unless said. `stripe: continue` and `restart` give the same times here: a message has fewer flits than
there are ports. Under `per-hop` the profiles low and high would give what nominal gives: each switch takes 810 ns.

| reading | all-reduce 1 KiB, one-shot; paper 3.77 us | all-to-all 1 KiB, direct; paper 3.02 us | all-to-all 512 KiB, direct; paper 10.4 us |
|---|---|---|---|
{chr(10).join(rows)}

Where the time went, switch-only:

{reasons}

One-shot of 1 KiB and the all-to-all of 512 KiB send the same 1,024 bytes to every peer, so they take the same time
under any one reading; the paper prints 3.77 and 10.4 us. With `per-hop` our rotated order comes near to the first and
the same order near to the second. In the same order the flits for one destination all begin at the same one of its 36
ports, so one or two links into it carry everything: that is the busiest link above. No single reading gives all three.

| large | paper, us | ours | where the time went |
|---|---|---|---|
| all-reduce 50 MiB, halving-doubling | 242 | {off(doubling, 242)} | {why(doubling)} |
{exchange}

Halving-doubling has one message a phase, so neither the order nor `stripe` moves it; `per-hop` adds {us(slow - fast)} us by the analytic
price. What the paper needs at 250 MiB is {1210e6 / huge['completion_ps']:.2f} times the analytic price. Flit by flit that
is near to the same order, where the rack that all address at once is the bottleneck, and far from the rotated one. The
two runs of 250 MiB move 812 million flit-hops each, in one or two minutes of CPU time.
"""


def optical(fabrics):
    rows = []
    for primitive, sizes in PAPER.items():
        for size, paper in sizes["ocs"].items():
            (circuits, schedule), case = fabrics.best_circuits(primitive, size)
            topology = {} if circuits == FOLD else {"circuits": CUBE}
            low, high = (fabrics.cases(OPTICAL, primitive, size, schedule, latency=latency, **topology)
                         for latency in ("low", "high"))
            price = fabrics.cases(OPTICAL, primitive, size, schedule, "analytic", **topology)
            other = min((other["completion_ps"], name) for name, other in fabrics.circuits(primitive, size).items()
                        if name[0] != circuits)
            rows.append(f"| {primitive} {size} | {paper} | {schedule}, {circuits} | {off(case, paper)} | {us(price['completion_ps'])} | "
                        f"{us(low['completion_ps'])} | {us(high['completion_ps'])} | {us(other[0])} {other[1][1]}, {other[1][0]} |")
    return f"""## Figure 13, all-OCS: circuits in two levels

Two sets of circuits of which a planner would choose by size: the fold Q9[3,3,3], and the plain cube with 4 copies of
each circuit. Nobody else uses a circuit, so no reading of hops or order applies.

| | paper, us | schedule and circuits | ours, nominal | analytic | latency low | latency high | the other circuits |
|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}

A phase lasts a latency of 560 ns and at least one whole flit. Both collectives of 1 KiB are three such phases and take
the same time here; the paper prints 1.78 and 1.70 us, so no time for a phase gives both. From low to high the same
810 ns are split another way, and three optical phases shorten by 900 ns, far more than any deviation here.
"""


def decomposed(fabrics):
    layers = {"layers": "[3, 3, 3]"}
    static = {"latency": "{base: nominal, ocs: 300 ns}"}
    bruck = "bruck-parallel"

    def packets(topology, **more):
        return [fabrics.cases(topology, AA, size, bruck, **layers, **more) for size in sizes]

    sizes = ["1 KiB", "512 KiB", LARGEST]
    direct = [fabrics.over(AA, size, "direct") for size in sizes]
    circuits = [fabrics.cases(OPTICAL, AA, size, bruck, **static) for size in sizes]
    pure = [fabrics.cases(OPTICAL, AA, size, bruck) for size in sizes]
    fair = [fabrics.packets(FAIR, AA, size) for size in sizes]
    routed = fabrics.cases(FULL, AA, "1 KiB", bruck, routing__policy="static", **layers)
    rows = [("EPS 4:1, direct", direct, "3.02", "1210"), ("EPS 4:1, parallel Bruck as packets", packets(OVER), "", "850"),
            ("EPS 1:1, parallel Bruck on circuits of 300 ns a switch", circuits, "5.3", "661"),
            ("OCS 1:1, parallel Bruck", pure, "1.70", "657"), ("fair EPS: 1:1, 150 ns, direct", fair, "", "")]
    bruck_over_direct = rows[1][1][2]["completion_ps"] / direct[2]["completion_ps"]
    table = "\n".join(f"| {name} | {small} | " + " | ".join(us(case["completion_ps"]) for case in cases[:2]) + f" | {large} | "
                      f"{us(cases[2]['completion_ps'])} |" for name, cases, small, large in rows)
    return f"""## Figure 14: schedule, subscription, switch

All-to-all, times in us. The paper routes its third row as static circuits through electronic switches. Ours is the
optical topology with 300 ns a pass: 1,430 ns through three, without the flit that an electronic switch stores. As packets
with `routing: static` on the 1:1 fabric the same 1 KiB takes {us(routed['completion_ps'])} us.

| | paper, 1 KiB | ours, 1 KiB | ours, 512 KiB | paper, 250 MiB | ours, 250 MiB |
|---|---|---|---|---|---|
{table}

The paper's 5.3 us at 1 KiB are three phases of 1.77 us; ours are three of 1.43 us and a flit. `per-hop` would be 2.43 us a
phase, 7.3 us in all: neither reading gives 5.3. At 250 MiB circuits are within 0.3 % of the paper. Bruck as packets
moves 2.6 times the bytes of direct sends and takes {bruck_over_direct:.2f} times as long. That the paper finds it faster says
that its direct sends wait for each other, as ours do in the same order.
"""


def steps(fabrics):
    def table(name, cases):
        lines, before = [], None
        for step, case in cases:
            change = "" if before is None else f"{case['completion_ps'] / before:.2f}"
            lines.append(f"| {name if before is None else ''} | {step} | {case['schedule']} | {us(case['completion_ps'])} | {change} |")
            before = case["completion_ps"]
        return "\n".join(lines)

    parts = []
    for primitive, size, first in ((AR, "1 KiB", fabrics.over(AR, "1 KiB", "one-shot")), (AR, "50 MiB", fabrics.over(AR, "50 MiB", "halving-doubling")),
                                   (AA, "1 KiB", fabrics.over(AA, "1 KiB", "direct")), (AA, "512 KiB", fabrics.over(AA, "512 KiB", "direct", order="same"))):
        circuits, best = fabrics.best_circuits(primitive, size)
        start = "4:1, 300 ns" + (", same order" if (primitive, size) == (AA, "512 KiB") else "")
        parts.append(table(f"{primitive} {size}", [
            (start, first), ("schedule: the best, rotated", fabrics.packets(OVER, primitive, size)),
            ("subscription: 1:1", fabrics.packets(FULL, primitive, size)),
            ("electronic switch of 150 ns", fabrics.packets(FAIR, primitive, size)),
            (f"optical switches instead, {circuits[0]}", best)]))
    return f"""## What schedule, subscription and switch are worth

Step by step, each beside the step before; hop reading switch-only.

| | step | schedule | us | of the step before |
|---|---|---|---|---|
{chr(10).join(parts)}

The last step changes the schedule too: circuits reach only their ends, so a collective takes several phases where
packets need one or two. Whether an optical fabric wins at 1 KiB hangs on the hop: with `per-hop` three electronic
switches cost 2.43 us, with `switch-only` 1.43 us, with switches of 150 ns 0.98 us, against three optical phases of
0.56 us.
"""


def sizes(fabrics):
    text = []
    for primitive, listed in SIZES.items():
        rows = []
        for size in listed:
            cells = []
            for topology in (OVER, HYBRID, FULL, FAIR):
                case = fabrics.packets(topology, primitive, size)
                cells.append(f"{us(case['completion_ps'])} {case['schedule']}")
            (circuits, schedule), best = fabrics.best_circuits(primitive, size)
            cells.append(f"{us(best['completion_ps'])} {schedule}, {circuits}")
            papers = [str(PAPER[primitive][kind].get(size, "")) for kind in ("eps", "ocs")]
            rows.append(f"| {size} | " + " | ".join(cells + papers) + " |")
        text.append(f"""### {primitive}

| size | all-EPS 4:1 | hybrid 4:1 | EPS 1:1 | fair EPS: 1:1, 150 ns | all-OCS | paper, all-EPS | paper, all-OCS |
|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}

![{primitive} over the size of the buffer](../images/fabrics-{primitive}.svg)
""")
    return f"""## Sizes

Times in us, hop reading switch-only, rotated order, unlimited buffers, no responses. Packet fabrics run what
`schedule: auto-simulated` chooses, at {LARGEST} direct alone. Circuits run the faster of the two sets above.

{chr(10).join(text)}"""


def prices(fabrics):
    rows = []
    for primitive, listed in SIZES.items():
        for size in listed:
            for topology in (OVER, HYBRID, FAIR):
                case = fabrics.packets(topology, primitive, size)
                price = fabrics.analytic(topology, primitive, size, case["schedule"])
                rows.append(f"| {primitive} {size} | {topology} | {case['schedule']} | {us(price['completion_ps'])} | "
                            f"{us(case['completion_ps'])} | {case['completion_ps'] / price['completion_ps']:.3f} |")
    doubling = (fabrics.over(AR, "50 MiB", "halving-doubling")["completion_ps"] /
                fabrics.analytic(OVER, AR, "50 MiB", "halving-doubling")["completion_ps"])
    return f"""## How far analytic mode is off on two levels

| | topology | schedule | analytic, us | flit, us | ratio |
|---|---|---|---|---|---|
{chr(10).join(rows)}

Analytic mode spreads all bytes evenly over all links of a class. A flit is a whole one, each switch stores it, and flits of
others stand before it: that is most of a small message and little of a large one. Where a collective has several phases,
ranks that are ahead exchange inside their racks while others still fill the links between racks; the price adds up the
phases. Halving-doubling of 50 MiB takes {doubling:.3f} of its price at 4:1.

The hybrid fabric is far off on large messages. An up link of an electronic level serves any rack, a circuit only one. In
the rotated order all ranks of a rack send to one other rack at a time, so the circuits come into use one rack after the
other, and the last ones go on when the first are through. `--utilization` shows it at 16 MiB: the mean use of the
circuits rises from 0 to 1 in the first 10 us of 49, and falls in the last 14.
"""


def answers(fabrics):
    rows = []
    for topology, primitive, size, schedule in ((OVER, AR, "1 KiB", "one-shot"), (OVER, AA, "512 KiB", "direct"),
                                                (FAIR, AA, "512 KiB", "direct"), (OPTICAL, AA, "512 KiB", "bruck-parallel")):
        without, among = (fabrics.cases(topology, primitive, size, schedule, responses=kind) for kind in ("none", "per-message"))
        rows.append(f"| {topology} | {primitive} {size}, {schedule} | {us(without['completion_ps'])} | {us(among['completion_ps'])} |")
    return f"""## Responses

One response flit for each port-message, times in us:

| topology | | without | per-message |
|---|---|---|---|
{chr(10).join(rows)}

On packet switches the answers of these sizes find room beside the flits and do not delay the last one. On circuits an
answer may stand before a flit of the next phase on the same wire: one flit time in each of two phases.
"""


def took(fabrics):
    rows = []
    for name, case in (("all-EPS 4:1, direct", fabrics.over(AA, LARGEST, "direct")), ("hybrid 4:1, direct", fabrics.packets(HYBRID, AA, LARGEST)),
                       ("all-OCS, bruck-parallel, Q9[3,3,3]", fabrics.cases(OPTICAL, AA, LARGEST, "bruck-parallel"))):
        rows.append(f"| {name} | {case['flits']:,} | {us(case['completion_ps'])} | {case['engine']} | {case['cpu_seconds']:.3g} | "
                    f"{case['peak_rss_bytes'] / 2**30:.2f} |")
    everything = fabrics.cases.known.values()
    minutes = sum(case["cpu_seconds"] for case in everything) / 60
    most = max(case["peak_rss_bytes"] for case in everything) / 2**30
    return f"""## What it took

The all-to-all of {LARGEST} over 512 accelerators on the three fabrics, flit by flit. The CPU time holds the replay that tells
where the time went; the machine was busy with other work meanwhile. All cases together took {minutes:.0f}
minutes of CPU time, none more than {most:.1f} GiB.

| fabric | flits | completion, us | engine | CPU, s | peak memory, GiB |
|---|---|---|---|---|---|
{chr(10).join(rows)}
"""


PLOT = """set terminal svg size 720,420 font "sans-serif,13" background "white"
set output "{file}"
set logscale xy
set xlabel "buffer, bytes"
set ylabel "us"
set key left top
set grid
plot {lines}
"""


def draw(fabrics):
    bytes_of = {size: int(size.split()[0]) * {"KiB": 1024, "MiB": 1 << 20}[size.split()[1]] for sizes in SIZES.values() for size in sizes}
    for primitive, listed in SIZES.items():
        series = {name: {size: fabrics.packets(topology, primitive, size)["completion_ps"] / 1e6 for size in listed}
                  for name, topology in (("all-EPS 4:1", OVER), ("hybrid 4:1", HYBRID), ("fair EPS 1:1, 150 ns", FAIR))}
        series["all-OCS"] = {size: fabrics.best_circuits(primitive, size)[1]["completion_ps"] / 1e6 for size in listed}
        series["the paper, all-EPS"], series["the paper, all-OCS"] = PAPER[primitive]["eps"], PAPER[primitive]["ocs"]
        style = {name: "points pt 7" if "paper" in name else "linespoints pt 6" for name in series}
        lines = ", ".join(f"'-' with {style[name]} title '{name}'" for name in series)
        data = "".join("".join(f"{bytes_of[size]} {time}\n" for size, time in points.items()) + "e\n" for points in series.values())
        script = PLOT.format(file=ROOT / f"docs/images/fabrics-{primitive}.svg", lines=lines) + data
        subprocess.run(["gnuplot"], input=script, text=True, check=True)


HEAD = """# Collectives across fabrics

One collective over 512 accelerators in 16 racks of 32, 36 ports of 400 Gb/s each, as in the paper's Figures 13 and 14:
what we simulate, flit by flit, beside what it prints. Written by `python3 bench/fabrics.py build/release/bin/simlette`;
nothing is fitted. `switch-only` and `per-hop` are two readings of what a further electronic switch adds: 310 ns, or all of
810 ns. `rotated` and `same` are the orders in which ranks send to their destinations.

In short:

- On circuits we are within a few per cent of the paper's printed times.
- On electronic switches its small times lie near `per-hop`; its 10.4 us and 1.21 ms lie near ranks that all send in the
  same order. That is a choice of software, not of the fabric: in the rotated order the same fabric needs half or less.
- A fair electronic baseline, 1:1 with switches of 150 ns and the best schedule, is faster than the circuits in {faster} of
  the {count} cases of the tables of sizes: it needs fewer phases, and for an all-to-all it moves fewer bytes. What the
  paper's gap shows is mostly subscription, send order and the reading of the hop. Whether 1:1 of electronic switches can
  be afforded, in power and money, is another question.
- Between racks a hybrid fabric is slower than one of electronic switches with as many up links, once messages are large:
  each circuit waits for its rack's turn in the order of sending.
- Even at 4:1, direct sends in the rotated order beat parallel Bruck on circuits for a large all-to-all: 15 of 16 bytes
  cross 9 links each, 0.104 of a buffer, where Bruck sends an eighth of it.

"""


def main():
    fabrics = Fabrics(Cases(Path(sys.argv[1]).resolve()))
    parts = [part(fabrics) for part in (optical, electronic, decomposed, sizes, prices, answers, steps, took)]
    pairs = [(fabrics.packets(FAIR, primitive, size), fabrics.best_circuits(primitive, size)[1])
             for primitive, listed in SIZES.items() for size in listed]
    head = HEAD.format(faster=sum(fair["completion_ps"] < circuits["completion_ps"] for fair, circuits in pairs),
                       count=len(pairs))
    (ROOT / "docs/studies/fabrics.md").write_text(head + "\n".join(parts), encoding="utf-8")
    draw(fabrics)


if __name__ == "__main__":
    main()
