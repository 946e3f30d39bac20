#!/usr/bin/env python3
"""Drives the program from outside: exit statuses, streams, files.

Usage: program_test.py PROGRAM [TEST...], in the root of the tree.
"""

import csv
import decimal
import io
import json
import os
import pathlib
import re
import resource
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

EPS = "topologies/single-level-eps.yaml"
OCS = "topologies/single-level-ocs.yaml"
ONE_SHOT = "workloads/one-shot.yaml"
SMALL = ["--set", "topology.accelerators=8"]
TRAFFIC = "workloads/uniform-traffic.yaml"
SHORT = ["--set", "workload.traffic.warmup=2 us", "--set", "workload.traffic.measure=8 us"]
TIGHT = ["--set", "topology.buffers={request: 4 flits, response: 4 flits}"]
# Work of hours: what is refused only after it never comes to its end here.
HOURS = ["--set", "topology.accelerators=512", "--set", "workload.collectives.0.bytes=1 GiB", "--engine", "reference"]

KEYS = """simlette mode engine fallback_reason topology workload configuration configuration_hash outcome stall
assumptions validity completion_ps collectives goodput_bps algorithm_bandwidth_bps bus_bandwidth_bps message_latency_ps
rank_finish_skew_ps links credits flits response_flits request_flits events event_hash wall_seconds cpu_seconds
peak_rss_bytes""".split()

COLLECTIVE_KEYS = """id name primitive schedule form group ranks bytes phases start_ps end_ps finish_skew_ps
critical_path_ps""".split()


PARTS = "endpoint protocol propagation switch serialization credit_stall contention wait".split()


def simlette(*words, **options):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=300, **options)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, words, *expected):
        done = simlette(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        for text in expected:
            self.assertIn(text, done.stderr)

    def json_of(self, *words):
        done = simlette("run", *words, "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def without_costs(self, report):
        for key in ("wall_seconds", "cpu_seconds", "peak_rss_bytes"):
            del report[key]
        return report

    def test_a_run_prints_a_table_that_says_how_long_it_took(self):
        done = simlette("run", EPS, ONE_SHOT, "--set", "workload.collectives.0.bytes=1 MiB")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"completion +82\.1284 us\n")
        self.assertLess(len(done.stdout.splitlines()), 44)

    def test_the_json_has_every_key_in_order(self):
        report = self.json_of(EPS, ONE_SHOT, *SMALL)
        self.assertEqual(list(report), KEYS)
        self.assertEqual([list(c) for c in report["collectives"]], [COLLECTIVE_KEYS])
        self.assertEqual(report["completion_ps"], report["collectives"][0]["end_ps"])
        self.assertEqual(report["outcome"], "finished")
        self.assertRegex(report["event_hash"], r"^[0-9a-f]{16}$")
        self.assertEqual([report["topology"], report["workload"]], [EPS, ONE_SHOT])

    def test_the_parts_of_the_critical_path_add_up(self):
        for topology in (EPS, OCS, "topologies/single-level-eps-ualink.yaml"):
            collective = self.json_of(topology, ONE_SHOT, *SMALL)["collectives"][0]
            parts = collective["critical_path_ps"]
            self.assertEqual(list(parts), PARTS)
            self.assertEqual(sum(parts.values()), collective["end_ps"] - collective["start_ps"])

    def test_explain_prints_the_chain_of_messages_and_changes_nothing_else(self):
        plain = self.json_of(EPS, ONE_SHOT, *SMALL)
        told = self.json_of(EPS, ONE_SHOT, *SMALL, "--explain")
        path = told["collectives"][0].pop("critical_path")
        for report in (plain, told):
            self.without_costs(report)
        self.assertEqual(plain, told)
        self.assertEqual(path[-1]["delivered_ps"], told["completion_ps"])
        table = simlette("run", EPS, "tests/golden/three-in-a-row.yaml", "--explain").stdout
        self.assertRegex(table, r"\ncritical path of second: 2 messages\n  phase 0: .*\n    a\d+\.p\d+  request .*contention")
        self.assertRegex(table, r"contention [0-9.]+ ns \(first \d+ -> \d+, \d+ flits")

    def test_responses_are_counted_and_drained(self):
        report = self.json_of(EPS, ONE_SHOT, "--set", "topology.responses=per-message", "--set",
                              "workload.collectives.0.bytes=1 MiB")
        self.assertEqual(report["completion_ps"], 82_512_400)
        self.assertEqual(report["response_flits"], 32 * 31 * 8)
        self.assertEqual(self.json_of(EPS, ONE_SHOT, *SMALL)["response_flits"], 0)

    def test_bandwidths_are_in_the_sense_of_the_nccl_tests(self):
        report = self.json_of(EPS, ONE_SHOT, *SMALL)
        bits, time_ps = 8 * report["collectives"][0]["bytes"], report["completion_ps"]
        self.assertEqual(report["algorithm_bandwidth_bps"], bits * 10**12 // time_ps)
        self.assertEqual(report["bus_bandwidth_bps"], bits * 10**12 * 2 * 7 // (8 * time_ps))

    def test_the_same_run_gives_the_same_bytes(self):
        reports = [self.json_of(OCS, ONE_SHOT, *SMALL) for _ in range(2)]
        for report in reports:
            self.without_costs(report)
        self.assertEqual(reports[0], reports[1])

    def test_message_rows_are_sorted_and_add_up(self):
        report = self.json_of(EPS, ONE_SHOT, *SMALL, "--messages", str(self.folder / "m.csv"))
        rows = list(csv.reader(io.StringIO((self.folder / "m.csv").read_text())))
        self.assertEqual(rows[0], "collective,phase,source,destination,port,bytes,flits,injected_ps,delivered_ps".split(","))
        numbers = [[int(cell) for cell in row] for row in rows[1:]]
        self.assertEqual([row[:5] for row in numbers], sorted(row[:5] for row in numbers))
        self.assertEqual(sum(row[6] for row in numbers), report["flits"])
        self.assertEqual(sum(row[5] for row in numbers), 8 * 7 * 65536)
        self.assertEqual(max(row[8] for row in numbers), report["completion_ps"])
        latencies = sorted(row[8] - row[7] for row in numbers)
        middle, late = (latencies[-(-len(latencies) * share // 100) - 1] for share in (50, 99))
        self.assertEqual(report["message_latency_ps"], {"p50": middle, "p99": late, "max": latencies[-1]})

    def test_messages_do_not_change_the_rest_of_the_result(self):
        plain = self.json_of(EPS, ONE_SHOT, *SMALL)
        recorded = self.json_of(EPS, ONE_SHOT, *SMALL, "--messages", str(self.folder / "m.csv"))
        for report in (plain, recorded):
            self.without_costs(report)
        self.assertEqual(plain, recorded)

    def test_link_rows_add_up(self):
        report = self.json_of(EPS, ONE_SHOT, *SMALL, "--links", str(self.folder / "l.csv"))
        rows = list(csv.DictReader(io.StringIO((self.folder / "l.csv").read_text())))
        self.assertEqual(list(rows[0]), "name,bytes,flits,utilization,stall_request_ps,"
                         "stall_response_ps,queue,level,queue_mean".split(","))
        self.assertEqual(len(rows), report["links"]["count"])
        self.assertEqual(sum(int(row["flits"]) for row in rows), 2 * report["flits"])
        self.assertTrue(all(int(row["bytes"]) == 640 * int(row["flits"]) for row in rows))
        self.assertEqual(max(int(row["bytes"]) for row in rows), report["links"]["busiest_bytes"])
        self.assertEqual(max(float(row["utilization"]) for row in rows), report["links"]["max_utilization"])
        for level in report["links"]["levels"]:
            of_level = [row for row in rows if row["level"] == level["name"]]
            self.assertEqual(level["bytes"], sum(int(row["bytes"]) for row in of_level))
            self.assertEqual(level["queue"], max(int(row["queue"]) for row in of_level))

    def test_flits_of_links_are_told_by_collective(self):
        files = (EPS, "tests/golden/three-in-a-row.yaml", "--by-collective")
        report = self.json_of(*files, "--links", str(self.folder / "l.csv"))
        rows = list(csv.DictReader(io.StringIO((self.folder / "l.csv").read_text())))
        shares = [name for name in rows[0] if name.startswith("flits.")]
        self.assertEqual(len(shares), len(report["collectives"]))
        self.assertTrue(all(int(row["flits"]) == sum(int(row[share]) for share in shares) for row in rows))
        for level in report["links"]["levels"]:
            self.assertEqual(640 * sum(share["flits"] for share in level["collectives"]), level["bytes"])
        self.refused(["run", *files, "--mode", "message"], "`--by-collective`", "use `--mode flit`")

    def test_utilization_over_time_has_a_row_a_span_and_level(self):
        report = self.json_of(EPS, ONE_SHOT, *SMALL, "--utilization", str(self.folder / "u.csv"))
        rows = list(csv.DictReader(io.StringIO((self.folder / "u.csv").read_text())))
        self.assertEqual(list(rows[0]), ["start_ps", "end_ps", "level", "mean", "max", "hottest"])
        spans = report["links"]["over_time"]
        self.assertEqual(len(rows), len(spans) * len(report["links"]["levels"]))
        self.assertEqual(spans[-1]["end_ps"], report["completion_ps"])
        self.assertTrue(all(before["end_ps"] == after["start_ps"] for before, after in zip(spans, spans[1:])))

    def test_a_trace_has_every_port_message_at_both_of_its_ports(self):
        words = [EPS, ONE_SHOT, *SMALL, "--set", "topology.buffers=8 flits"]
        report = self.json_of(*words, "--trace", str(self.folder / "t.json"), "--links", str(self.folder / "l.csv"))
        trace = json.loads((self.folder / "t.json").read_text(), parse_float=decimal.Decimal)
        slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        flits = sum(s["args"]["flits"] for s in slices if s["cat"] == "message")
        rows = list(csv.DictReader(io.StringIO((self.folder / "l.csv").read_text())))
        self.assertEqual(flits, sum(int(row["flits"]) for row in rows))
        collective, = [s for s in slices if s["cat"] == "collective"]
        self.assertEqual((collective["ts"] + collective["dur"]) * 10**6, report["completion_ps"])
        self.assertEqual(len([s for s in slices if s["cat"] == "phase"]), 8)
        self.assertTrue(any(s["cat"] == "stall" for s in slices))
        self.assertEqual(simlette("run", *words, "--trace", "-").stdout, (self.folder / "t.json").read_text())

    def test_pictures_are_well_formed(self):
        svg, dot, links, use = (str(self.folder / name) for name in ("f.svg", "f.dot", "l.svg", "u.svg"))
        self.assertEqual(simlette("show", OCS, "--svg", svg, "--dot", dot, "--quiet").returncode, 0)
        self.assertEqual(simlette("run", EPS, ONE_SHOT, "--svg-links", links, "--svg-utilization", use,
                                  "--quiet").returncode, 0)
        for file in (svg, links, use):
            root = xml.etree.ElementTree.parse(file).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            self.assertTrue(root[0].text and root[1].text)
        self.assertEqual(pathlib.Path(dot).read_text().count(" -- "), 80)
        self.assertEqual(simlette("show", OCS, "--svg", "-").stdout, pathlib.Path(svg).read_text())

    def test_an_overlay_is_described_and_drawn(self):
        svg, dot, file = (str(self.folder / name) for name in ("o.svg", "o.dot", "o.json"))
        done = simlette("show", "overlay", "Q9[3,3,3]", "--svg", svg, "--dot", dot, "--json", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("degree      21, diameter 3, no all-reduce in fewer than 3 phases", done.stdout)
        overlay = json.loads(pathlib.Path(file).read_text())
        self.assertEqual((overlay["ranks"], overlay["degree"], overlay["diameter"]), (512, 21, 3))
        self.assertEqual((overlay["spheres"], overlay["one_shot_dvo_loads"]), ([1, 21, 147, 343], [1, 7, 17]))
        volumes = {(s["primitive"], s["schedule"]): s["volume"] for s in overlay["schedules"] if s["valid"]}
        self.assertEqual((volumes["all-reduce", "rs-ag"], volumes["all-to-all", "bruck-parallel"]), ("73/256", "1/8"))
        self.assertEqual([(row["schedulable_degree"], row["diameter_degree"]) for row in overlay["frontier"][2:4]],
                         [(21, 18), (16, 13)])
        root = xml.etree.ElementTree.parse(svg).getroot()
        self.assertTrue(root[0].text and root[1].text)
        self.assertEqual(pathlib.Path(dot).read_text().count(" -- "), 512 * 21 // 2)
        self.assertEqual(simlette("show", "overlay", "Z8 degree 3", "--json", "-").stdout,
                         simlette("show", "overlay", "Z8", "degree", "3", "--json", "-").stdout)
        self.refused(["show", "overlay", "Q9[3,3]"], "overlay `Q9[3,3]`, column 3: the blocks add up to 6 bits")
        self.refused(["show", "overlay"], "expected an overlay: ")
        self.refused(["show", "overlay", "Q4", "--svg", "-", "--dot", "-"], "both write to stdout")
        self.refused(["show", "overlays"], "overlays")

    def test_reproduce_sets_published_numbers_beside_ours(self):
        names = [line.split()[0] for line in simlette("reproduce").stdout.splitlines()]
        self.assertEqual(simlette("reproduce", "--list").stdout, simlette("reproduce").stdout)
        done = simlette("reproduce", "all", "--json", str(self.folder / "r.json"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads((self.folder / "r.json").read_text())
        self.assertEqual([entry["name"] for entry in result["entries"]], names)
        rows = {(entry["name"], row["row"]): row for entry in result["entries"] for row in entry["rows"]}
        self.assertEqual({row["verdict"] for row in rows.values()}, {"within digits", "explained", "open"})
        for row in rows.values():
            self.assertEqual(row["verdict"] == "explained", row["reason"] != "")
        one = rows["figure-20", "simulated"]
        self.assertEqual((one["published"], one["ours"], one["unit"]), ("135.0", "134.9620", "us"))
        self.assertRegex(done.stdout, r"\n  simulated +135\.0 us +134\.9620 us +-0\.03 +within digits +\(1\)\n")
        self.assertEqual(simlette("reproduce", "table-4", "--quiet").stdout, "")
        self.refused(["reproduce", "table4"], "did you mean `table-4`?")
        self.refused(["reproduce", "--json", "-"], "`--json` needs a NAME, or `all`")

    def test_the_csv_is_a_header_and_one_row(self):
        done = simlette("run", EPS, ONE_SHOT, *SMALL, "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 1)
        self.assertEqual(int(rows[0]["completion_ps"]), self.json_of(EPS, ONE_SHOT, *SMALL)["completion_ps"])

    def test_a_later_entry_starts_when_the_others_have_ended(self):
        report = self.json_of(EPS, "tests/golden/three-in-a-row.yaml")
        first, second, last = report["collectives"]
        self.assertEqual(second["start_ps"], 500_000)
        self.assertEqual(last["start_ps"], max(first["end_ps"], second["end_ps"]) + 2_000_000)
        self.assertEqual(report["completion_ps"], last["end_ps"])
        self.assertIsNone(report["algorithm_bandwidth_bps"])

    def test_results_do_not_depend_on_the_number_of_threads(self):
        one, five = (self.json_of(EPS, ONE_SHOT, "--threads", threads) for threads in ("1", "5"))
        self.assertEqual(self.without_costs(one), self.without_costs(five))

    def test_until_ends_a_run_in_good_order(self):
        end = self.json_of(EPS, ONE_SHOT)["completion_ps"]
        cut = self.json_of(EPS, ONE_SHOT, "--until", f"{end - 1} ps")
        self.assertEqual((cut["outcome"], cut["completion_ps"]), ("time-limit", None))
        self.assertEqual((cut["collectives"][0]["start_ps"], cut["collectives"][0]["end_ps"]), (0, None))
        whole = self.json_of(EPS, ONE_SHOT, "--until", f"{end} ps")
        self.assertEqual((whole["outcome"], whole["completion_ps"]), ("finished", end))

    def test_traffic_tells_what_was_offered_and_accepted(self):
        report = self.json_of(EPS, TRAFFIC, *SHORT)
        self.assertEqual(list(report), KEYS[:KEYS.index("goodput_bps")] + ["traffic"] + KEYS[KEYS.index("goodput_bps"):])
        traffic = report["traffic"]
        self.assertEqual((report["outcome"], report["completion_ps"], report["collectives"]), ("finished", None, []))
        self.assertEqual((traffic["window_start_ps"], traffic["window_end_ps"]), (2_000_000, 10_000_000))
        self.assertAlmostEqual(traffic["offered"], 0.3, delta=0.02)
        self.assertAlmostEqual(traffic["accepted"], traffic["offered"], delta=0.02)
        self.assertEqual(traffic["measured_messages"], traffic["measured_delivered"])
        self.assertEqual(traffic["created_messages"], traffic["delivered_messages"] + traffic["in_flight_messages"])
        self.assertEqual((traffic["saturated"], traffic["cut"]), (False, False))
        for other in (["--mode", "message"], ["--seed", "1"]):
            self.assertEqual(self.json_of(EPS, TRAFFIC, *SHORT, *other)["traffic"], traffic)
        self.assertNotEqual(self.json_of(EPS, TRAFFIC, *SHORT, "--seed", "2")["event_hash"], report["event_hash"])
        modes = self.json_of(EPS, TRAFFIC, *SHORT, "--mode", "all")["modes"]
        self.assertIn("analytic mode knows no queues", modes[2]["error"])

    def test_traffic_is_cut_by_until_and_told_in_table_and_csv(self):
        cut = self.json_of(EPS, TRAFFIC, *SHORT, "--until", "5 us")
        self.assertEqual((cut["outcome"], cut["traffic"]["window_end_ps"]), ("time-limit", 5_000_000))
        early = self.json_of(EPS, TRAFFIC, *SHORT, "--until", "1 us")
        self.assertIsNone(early["traffic"]["offered"])
        table = simlette("run", EPS, TRAFFIC, *SHORT).stdout
        self.assertRegex(table, r"\noffered +[0-9.]+ % of the injection rate, [0-9.]+ Tb/s\n")
        rows = list(csv.DictReader(io.StringIO(simlette("run", EPS, TRAFFIC, *SHORT, "--csv", "-").stdout)))
        self.assertEqual(rows[0]["traffic.saturated"], "false")
        self.assertIn("saturated", simlette("run", EPS, TRAFFIC, *SHORT, "--set", "workload.traffic.load=1").stdout)
        self.refused(["run", EPS, TRAFFIC, "--explain"], "`traffic` has none")
        self.refused(["run", EPS, TRAFFIC, "--trace", "x"], "known option `--trace` with `traffic`, not in this version")

    def test_check_prints_the_configuration_and_simulates_nothing(self):
        done = simlette("run", EPS, ONE_SHOT, "--set", "workload.collectives.0.bytes=1 TiB", "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('"placement"', done.stdout)
        self.assertRegex(done.stdout, r"flits +[0-9,]+\n")
        self.assertRegex(done.stdout, r"memory +about [0-9,]+ MiB\n")

    def test_quiet_prints_nothing(self):
        done = simlette("run", EPS, ONE_SHOT, *SMALL, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_what_is_not_built_says_so(self):
        for option in ("--report",):
            self.refused(["run", EPS, ONE_SHOT, option, "x"], f"known option `{option}`, not in this version")
        self.refused(["gxnet", EPS, ONE_SHOT, "--out", "x"], "known command `gxnet`, not in this version")

    def test_what_is_built_is_accepted(self):
        for words in (["--mode", "flit"], ["--mode", "message"], ["--mode", "analytic"], ["--mode", "all"],
                      ["--engine", "auto"], ["--engine", "reference"], ["--engine", "sweep"],
                      ["--progress", "never"], ["--seed", "7"]):
            self.assertEqual(simlette("run", EPS, ONE_SHOT, *SMALL, *words).returncode, 0, words)

    def test_all_modes_stand_side_by_side(self):
        modes = self.json_of(EPS, ONE_SHOT, *SMALL, "--mode", "all")
        self.assertEqual(list(modes), ["modes"])
        flit, message, analytic = modes["modes"]
        for report, mode in ((flit, "flit"), (message, "message"), (analytic, "analytic")):
            self.assertEqual((list(report), report["mode"], report["outcome"]), (KEYS, mode, "finished"))
            self.assertGreater(report["cpu_seconds"], 0)
            alone = self.json_of(EPS, ONE_SHOT, *SMALL, "--mode", mode)
            self.assertEqual(self.without_costs(alone), self.without_costs(report))
        self.assertEqual(message["completion_ps"], flit["completion_ps"])
        self.assertEqual(message["event_hash"], flit["event_hash"])
        self.assertLess(analytic["completion_ps"], flit["completion_ps"])
        self.assertIsNotNone(flit["collectives"][0]["critical_path_ps"])
        for report in (message, analytic):
            self.assertIsNone(report["collectives"][0]["critical_path_ps"])
        self.assertIsNone(analytic["links"]["max_utilization"])

    def test_the_table_of_all_modes_ends_with_errors_and_costs(self):
        table = simlette("run", EPS, ONE_SHOT, *SMALL, "--mode", "all").stdout
        self.assertIn(simlette("run", EPS, ONE_SHOT, *SMALL).stdout.split("simulator")[0], table)
        block = table.split("\nmodes\n")[1].splitlines()
        self.assertRegex(block[0], r"^  mode +completion us +error % +CPU ms +events +flits +speed-up  valid$")
        self.assertRegex(block[1], r"^  flit +[0-9.]+ +0\.0000 +[0-9.]+ +[0-9,]+ +5,768 +1\.0  yes$")
        self.assertRegex(block[2], r"^  message +[0-9.]+ +0\.0000 +[0-9.]+ +[0-9,]+ +5,768 +[0-9.]+  yes$")
        self.assertRegex(block[3], r"^  analytic +[0-9.]+ +-[0-9.]+ +[0-9.]+ +1 +5,768 +[0-9.]+  yes$")

    def test_a_mode_that_may_be_off_says_why(self):
        files = [EPS, ONE_SHOT, *TIGHT, "--set", "workload.collectives.0.send_order=same"]
        validity = self.json_of(*files, "--mode", "message")["validity"]
        self.assertEqual(list(validity), ["mode_ok", "reasons", "error_estimate"])
        self.assertFalse(validity["mode_ok"])
        self.assertGreater(validity["error_estimate"], 0)
        table = simlette("run", *files, "--mode", "message").stdout
        self.assertRegex(table, r"\nmode +message +may be off: flits of several flows wait at ")
        self.assertNotIn("where the time went", table)
        both = simlette("run", *files, "--mode", "all").stdout
        self.assertRegex(both, r"\n  message .*  no: flits of several flows wait at .*\n  analytic .*  no: the buffer behind ")
        analytic = self.json_of(*files, "--mode", "analytic")["validity"]
        self.assertEqual((list(analytic), analytic["mode_ok"]), (["mode_ok", "reasons"], False))

    def test_what_a_mode_refuses_is_told_beside_the_others(self):
        files = ["topologies/single-level-eps-ualink.yaml", ONE_SHOT, *SMALL]
        text = "known value `ualink` with `mode: message`, not in this version"
        self.refused(["run", *files, "--mode", "message", "--json", "-"], text)
        self.refused(["run", "no-such-file.yaml", ONE_SHOT, "--mode", "all"], "no-such-file.yaml: ")
        self.refused(["run", OCS, "workloads/two-shot.yaml", "--mode", "all", "--json", "-"], "no circuit joins them")
        flit, message, analytic = self.json_of(*files, "--mode", "all")["modes"]
        self.assertEqual(list(message), ["mode", "error"])
        self.assertIn(text, message["error"])
        self.assertEqual((flit["mode"], analytic["mode"]), ("flit", "analytic"))
        self.assertRegex(simlette("run", *files, "--mode", "all").stdout, r"\n  message( +-){6}  no: .*" + text)

    def test_files_beside_all_modes_tell_of_the_flit_run(self):
        options = [word for name in ("messages", "links", "csv") for word in (f"--{name}", str(self.folder / name))]
        self.assertEqual(simlette("run", EPS, ONE_SHOT, *SMALL, *TIGHT, "--mode", "all", *options).returncode, 0)
        kept = {name: (self.folder / name).read_text() for name in ("messages", "links")}
        self.assertEqual(next(csv.DictReader(io.StringIO((self.folder / "csv").read_text())))["mode"], "flit")
        self.assertEqual(simlette("run", EPS, ONE_SHOT, *SMALL, *TIGHT, *options).returncode, 0)
        self.assertEqual(kept, {name: (self.folder / name).read_text() for name in kept})

    def test_only_flit_mode_is_explained(self):
        for mode in ("message", "analytic"):
            self.refused(["run", EPS, ONE_SHOT, "--explain", "--mode", mode], "`--explain`", "use `--mode flit`")
        done = simlette("run", EPS, ONE_SHOT, *SMALL, "--explain", "--mode", "all")
        self.assertRegex(done.stdout, r"\nmodes\n(.*\n)+\ncritical path of all-reduce: 1 message\n")
        for option in ("--messages", "--links", "--svg-links", "--utilization", "--svg-utilization"):
            self.refused(["run", EPS, ONE_SHOT, option, str(self.folder / "x"), "--mode", "analytic"], f"`{option}`")
        self.refused(["run", EPS, ONE_SHOT, "--trace", str(self.folder / "x"), "--mode", "message"], "`--trace`")

    def test_a_slip_of_the_hand_gets_a_hint(self):
        self.refused(["rnu", EPS], "unknown command `rnu`", "did you mean `run`?")
        self.refused(["run", EPS, ONE_SHOT, "--jsn", "x"], "unknown option `--jsn`", "did you mean `--json`?")
        self.refused(["run", EPS, ONE_SHOT, "--mode", "flitt"], "did you mean `flit`?")
        self.refused(["schema", "topolgy"], "did you mean `topology`?")
        self.refused(["--versoin"], "did you mean `--version`?")

    def test_wrong_usage_is_refused(self):
        self.refused([])
        self.refused(["run"], "TOPOLOGY WORKLOAD")
        self.refused(["run", EPS], "TOPOLOGY WORKLOAD")
        self.refused(["run", EPS, ONE_SHOT, "third"], "unexpected argument `third`")
        for option in ("--json", "--csv", "--until", "--seed", "--mode", "--set"):
            self.refused(["run", EPS, ONE_SHOT, option], option)
            self.refused(["run", EPS, ONE_SHOT, option, ""], option)
        self.refused(["run", EPS, ONE_SHOT, "--set", "topology.ports"], "--set topology.ports: expected PATH=VALUE")
        self.refused(["run", EPS, ONE_SHOT, "--until", "5"], "--until")
        self.refused(["run", EPS, ONE_SHOT, "--until", "five us"], "--until")
        for threads in ("0", "-1", "1.5", "x", "1025"):
            self.refused(["run", EPS, ONE_SHOT, "--check", "--threads", threads], "--threads")
        for seed in ("x", "1.5", "18446744073709551616"):
            self.refused(["run", EPS, ONE_SHOT, "--seed", seed], "--seed")
        self.refused(["schema"], "topology")
        self.refused(["show"], "TOPOLOGY")

    def test_a_bad_file_is_refused_without_a_word_on_stdout(self):
        self.refused(["run", "no-such-file.yaml", ONE_SHOT, "--json", "-"], "no-such-file.yaml: ")
        bad = self.folder / "bad.yaml"
        bad.write_text("fabric: single-level\nraddix: 4\n")
        self.refused(["run", str(bad), ONE_SHOT], f"{bad}:2:1: ", "raddix")
        self.refused(["show", str(bad)], f"{bad}:2:1: ")
        self.refused(["run", EPS, ONE_SHOT, "--set", "topology.ports=0"], "--set topology.ports: ")

    def test_output_that_cannot_be_written_is_status_3_before_anything_runs(self):
        for option in ("--json", "--csv", "--messages", "--links", "--trace", "--svg-links", "--utilization",
                       "--svg-utilization"):
            for file in ("no/such/folder/x", str(self.folder)):
                done = simlette("run", EPS, ONE_SHOT, *HOURS, option, file)
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                self.assertIn(f"{file}: cannot be written: ", done.stderr)

    def test_a_full_stdout_is_status_3(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "run", EPS, ONE_SHOT, *SMALL], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"stdout: cannot be written", done.stderr)

    def test_two_results_do_not_go_to_one_place(self):
        self.refused(["run", EPS, ONE_SHOT, "--json", "-", "--csv", "-"], "`--json` and `--csv` both write to stdout")
        file = str(self.folder / "x")
        self.refused(["run", EPS, ONE_SHOT, "--json", file, "--links", file], "both write to")
        self.refused(["run", EPS, ONE_SHOT, "--json", ONE_SHOT], "would replace the input")

    def test_a_result_replaces_the_file_behind_a_link_and_keeps_its_mode(self):
        target, link = self.folder / "target.json", self.folder / "link.json"
        target.write_text("old")
        target.chmod(0o640)
        link.symlink_to(target)
        self.assertEqual(simlette("run", EPS, ONE_SHOT, *SMALL, "--json", str(link)).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(target.read_text())["outcome"], "finished")
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)

    def test_a_device_is_written_and_not_replaced(self):
        self.assertEqual(simlette("run", EPS, ONE_SHOT, *SMALL, "--json", "/dev/null").returncode, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_a_refused_run_leaves_the_file_of_the_last_one(self):
        file = self.folder / "x.json"
        file.write_text("old")
        self.refused(["run", EPS, ONE_SHOT, "--set", "topology.ports=0", "--json", str(file)])
        self.assertEqual((file.read_text(), os.listdir(self.folder)), ("old", ["x.json"]))

    def test_a_write_that_fails_half_way_leaves_the_file_of_the_last_one(self):
        file = self.folder / "x.json"
        file.write_text("old")
        done = simlette("run", EPS, ONE_SHOT, *SMALL, "--json", str(file),
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn(f"{file}: cannot be written: ", done.stderr)
        self.assertEqual((file.read_text(), os.listdir(self.folder)), ("old", ["x.json"]))

    def test_a_closed_pipe_is_status_3(self):
        process = subprocess.Popen([PROGRAM, "run", EPS, ONE_SHOT, *SMALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        self.assertIn(b"stdout: cannot be written", process.stderr.read())
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 3)

    def test_progress_is_silent_where_there_is_no_terminal(self):
        self.assertEqual(simlette("run", EPS, ONE_SHOT).stderr, "")

    def test_every_help_has_an_example_that_runs_as_printed(self):
        path = os.pathsep.join([os.path.dirname(os.path.abspath(PROGRAM)), os.environ["PATH"]])
        for command in ([], ["run"], ["sweep"], ["compare"], ["show"], ["show", "overlay"], ["plan"], ["schema"],
                        ["reproduce"]):
            done = simlette(*command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            examples = re.findall(r"^  (simlette .*)$", done.stdout.split("Example:\n")[1], re.MULTILINE)
            self.assertEqual(len(examples), 1)
            ran = subprocess.run(shlex.split(examples[0]), env={**os.environ, "PATH": path}, capture_output=True,
                                 check=False)
            self.assertEqual((ran.returncode, ran.stderr), (0, b""), examples[0])
            self.assertTrue(ran.stdout)

    def test_the_version_is_printed(self):
        self.assertRegex(simlette("--version").stdout, r"^simlette \d+\.\d+\.\d+\n$")

    def test_show_counts_what_a_topology_is_made_of(self):
        done = simlette("show", OCS, ONE_SHOT, "--json", str(self.folder / "x.json"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        fabric = json.loads((self.folder / "x.json").read_text())["fabric"]
        self.assertEqual((fabric["accelerators"], fabric["ports"], fabric["ports_used"]), (32, 8, 5))
        self.assertEqual(fabric["generators"], ["00001", "00010", "00100", "01000", "10000"])
        self.assertEqual(fabric["multiplicity"], [1] * 5)
        self.assertEqual(fabric["path_latency_ps"], {"total": 520_000, "endpoint": 250_000, "protocol": 240_000,
                                                     "propagation": 20_000, "switch": 10_000, "packet_switches": 0,
                                                     "source": 0, "destination": 1})
        for text in ("00001 x1", "5 of 8 used", "520 ns", "one-shot (flooding)"):
            self.assertIn(text, done.stdout)

    def test_compare_says_what_differs(self):
        files = [str(self.folder / name) for name in ("a.json", "b.json")]
        for file, words in zip(files, ([], TIGHT)):
            self.assertEqual(simlette("run", EPS, ONE_SHOT, *words, "--quiet", "--json", file).returncode, 0)
        done = simlette("compare", *files)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\n +credit_stall +0 +([0-9.]+) +\+\1\n")
        self.assertRegex(done.stdout, r"\n  topology.buffers.request +unlimited +4 flits\n")
        a, b = (json.loads(pathlib.Path(file).read_text()) for file in files)
        told = json.loads(simlette("compare", *files, "--json", "-").stdout)["runs"][0]["completion_ps"]
        self.assertEqual(told["difference"], b["completion_ps"] - a["completion_ps"])
        self.refused(["compare", files[0]], "simlette compare A.json B.json")
        self.refused(["compare", files[0], EPS], f"{EPS}:1:1: not valid JSON")
        self.refused(["compare", *files, "--json", files[0]], "would replace the input")

    def test_schema_prints_json(self):
        for kind in ("topology", "workload", "schedule", "plan", "study"):
            self.assertIn("2020-12", json.loads(simlette("schema", kind).stdout)["$schema"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
