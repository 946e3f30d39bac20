"""One collective over 512 accelerators at a time, for bench/fabrics.py: runs it once and keeps what it took."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "build/studies/fabrics.json"
WORKLOADS = {"all-reduce": "one-shot", "all-to-all": "all-to-all"}
CLASSES = ["accelerator to leaf", "leaf to spine", "leaf to leaf", "spine to leaf", "leaf to accelerator"]


def kind(name):
    ends = [{"a": "accelerator", "l": "leaf", "s": "spine"}[end[0]] for end in name.split("->")]
    return " to ".join(ends)


def link_classes(text):
    """By class of links: bytes of the busiest and of the mean one, and the deepest queue."""
    rows = {}
    for row in csv.DictReader(io.StringIO(text)):
        rows.setdefault(kind(row["name"]), []).append((int(row["bytes"]), int(row["queue"]), row["name"]))
    found = {}
    for name, links in rows.items():
        most, mean = max(links)[0], sum(link[0] for link in links) / len(links)
        queue, hot = max((link[1], link[2]) for link in links)
        found[name] = {"most": most, "mean": mean, "queue": queue, "hot": hot}
    return found


class Cases:
    """Runs a case when it is asked for the first time. An interrupted study goes on where it was."""

    def __init__(self, program):
        self.program = program
        STORE.parent.mkdir(parents=True, exist_ok=True)
        self.known = json.loads(STORE.read_text()) if STORE.exists() else {}

    def __call__(self, topology, primitive, size, schedule, mode="flit", **changes):
        """`changes`: keys of the topology, `send_order` and `layers`."""
        words = [f"topologies/{topology}.yaml", f"workloads/{WORKLOADS[primitive]}.yaml", "--mode", mode]
        collective = {"bytes": size, "schedule": schedule}
        collective.update((key, changes.pop(key)) for key in ("send_order", "layers") if key in changes)
        sets = {f"workload.collectives.0.{key}": value for key, value in collective.items()}
        sets.update((f"topology.{key.replace('__', '.')}", value) for key, value in changes.items())
        for path, value in sets.items():
            words += ["--set", f"{path}={value}"]
        name = " ".join(words)
        if name not in self.known:
            self.known[name] = self.run(words, mode)
            STORE.write_text(json.dumps(self.known, indent=1))
        return self.known[name]

    def run(self, words, mode):
        print(" ".join(words), flush=True, file=sys.stderr)
        links = STORE.parent / "links.csv"
        more = [] if mode == "analytic" else ["--links", links]
        out = subprocess.run([self.program, "run", *words, "--quiet", "--json", "-", *more], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout
        report = json.loads(out)
        # What analytic mode leaves out is what the study shows.
        assert report["outcome"] == "finished" and (mode == "analytic" or report["validity"]["mode_ok"]), words
        collective = report["collectives"][0]
        result = {key: report[key] for key in ("mode", "engine", "completion_ps", "flits", "cpu_seconds", "peak_rss_bytes")}
        result.update(schedule=collective["schedule"], parts=collective["critical_path_ps"],
                      trials=collective.get("trials", []))
        if mode != "analytic":
            result["links"] = link_classes(links.read_text())
        print(f"    {result['completion_ps'] / 1e6} us, {result['cpu_seconds']:.1f} s CPU, "
              f"{result['peak_rss_bytes'] >> 20} MiB", flush=True, file=sys.stderr)
        return result
