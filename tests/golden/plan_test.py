#!/usr/bin/env python3
"""Drives `simlette plan` from outside.

Usage: plan_test.py PROGRAM [TEST...], in the root of the tree.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PLANNED = "topologies/planned-256.yaml"
PAPER = "workloads/plan-256.yaml"
SMALL = ["--set", "topology.accelerators=16", "--set", "topology.ports=6", "--set",
         "workload.meshes={attention: {kvp: 2, tpa: 8}, ffn: {ep: 4, tpe: 4}}"]


def simlette(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=300)


class PlanTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, words, *expected):
        done = simlette("plan", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        for text in expected:
            self.assertIn(text, done.stderr)

    def printed(self, *words):
        done = simlette("plan", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def json_of(self, *words):
        return json.loads(self.printed(*words, "--json", "-"))

    def test_the_worked_plan_is_proven_and_has_the_published_degrees(self):
        plan = self.json_of(PLANNED, PAPER)
        self.assertEqual((plan["total_ps"], plan["bound_ps"], plan["optimal"]), (4_541_120, 4_541_120, True))
        self.assertEqual((plan["degree"], plan["ports_used"]), (17, 17))
        axes = [axis for mesh in plan["meshes"] for axis in mesh["axes"]]
        self.assertEqual([axis["degree"] for axis in axes], [3, 14, 6, 8])
        self.assertEqual([axis["phases"] for axis in axes], [1, 2, 2, 2])
        self.assertEqual([len(generator) for generator in plan["generators"]], [8] * 17)

    def test_the_decode_step_of_512_ranks_is_proven(self):
        plan = self.json_of("topologies/planned-512.yaml", "workloads/decode-512.yaml")
        self.assertEqual((plan["total_ps"], plan["optimal"]), (510_505_600, True))
        self.assertEqual((plan["degree"], plan["ports_used"]), (21, 35))

    def test_equal_requests_give_equal_bytes(self):
        files = [self.folder / name for name in ("a.yaml", "b.yaml")]
        texts = [self.printed(PLANNED, PAPER, *SMALL, "--out", str(file)) for file in files]
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_check_sets_every_collective_beside_its_price(self):
        told = self.json_of(PLANNED, PAPER, "--check")["check"]
        self.assertTrue(told["holds"])
        self.assertEqual(len(told["collectives"]), 4)
        for collective in told["collectives"]:
            self.assertLessEqual(collective["simulated_ps"], collective["whole_flits_ps"])
            self.assertEqual(collective["differences"] == "", collective["simulated_ps"] == collective["planned_ps"])
        self.assertIn("the plan holds", self.printed(PLANNED, PAPER, *SMALL, "--check"))

    def test_a_staircase_falls_and_says_what_a_port_saves(self):
        stairs = self.json_of(PLANNED, PAPER, *SMALL, "--ports", "3..8")["staircase"]
        self.assertEqual([stair["ports"] for stair in stairs], list(range(3, 9)))
        self.assertIsNone(stairs[0]["total_ps"])
        self.assertIn("4", stairs[0]["refused"])
        totals = [stair["total_ps"] for stair in stairs[1:]]
        self.assertEqual(totals, sorted(totals, reverse=True))
        self.assertEqual([stair["saved_ps"] for stair in stairs[2:]], [a - b for a, b in zip(totals, totals[1:])])
        self.assertIn("no plan with 3 ports", self.printed(PLANNED, PAPER, *SMALL, "--ports", "3..8"))

    def test_kept_circuits_are_never_better_than_a_plan_for_the_load(self):
        loads = self.json_of(PLANNED, PAPER, *SMALL, "--payload-scale", "0.01,1,300")["loads"]
        self.assertEqual([load["load"] for load in loads], ["0.01", "1", "300"])
        for load in loads:
            self.assertGreaterEqual(load["kept_ps"], load["fresh_ps"])
        self.assertEqual(loads[1]["kept_ps"], loads[1]["fresh_ps"])

    def test_a_plan_file_meets_another_workload(self):
        file = str(self.folder / "plan.yaml")
        self.printed(PLANNED, PAPER, *SMALL, "--out", file)
        larger = [*SMALL, "--set", "workload.collectives.1.bytes=64 MiB"]
        (load,) = self.json_of(PLANNED, PAPER, *larger, "--with", file)["loads"]
        self.assertGreater(load["kept_ps"], load["fresh_ps"])
        other = [*SMALL[:-1], "workload.meshes={attention: {kvp: 4, tpa: 4}, ffn: {ep: 4, tpe: 4}}"]
        self.refused([PLANNED, PAPER, *other, "--with", file], "the plan is for other meshes")

    def test_failures_are_patched_or_planned_anew(self):
        told = self.json_of(PLANNED, PAPER, "--survive", "2")
        survivals = {survival["failed"]: survival for survival in told["survivals"]}
        self.assertIsNone(survivals["accelerators"]["replanned"])
        self.assertIn("`domain` of 258", survivals["accelerators"]["refused"])
        self.assertIsNone(survivals["ports"]["patched"])
        self.assertGreater(survivals["ports"]["replanned"]["total_ps"], told["total_ps"])
        one = self.json_of(PLANNED, PAPER, "--set", "topology.domain=260", "--survive", "1")
        for survival in one["survivals"]:
            self.assertEqual(survival["patched"]["total_ps"], one["total_ps"], survival["failed"])

    def test_what_survives_is_a_plan_file(self):
        file = self.folder / "left.yaml"
        told = self.json_of(PLANNED, PAPER, "--survive", "ports=2", "--survivor", str(file))
        self.assertEqual([survival["failed"] for survival in told["survivals"]], ["ports"])
        left = told["survivals"][0]["replanned"]
        total = left["total_ps"]
        kept = self.json_of(PLANNED, PAPER, "--with", str(file))["loads"][0]
        self.assertEqual((kept["kept_ps"], kept["kept"]["generators"]), (total, left["generators"]))
        check = self.json_of(PLANNED, PAPER, "--with", str(file), "--check")["check"]
        self.assertTrue(check["holds"])
        self.assertEqual(sum(collective["planned_ps"] for collective in check["collectives"]), total)
        run = subprocess.run([PROGRAM, "run", PLANNED, PAPER, "--set", f"topology.circuits={file}", "--check", "--json",
                              "-"], capture_output=True, text=True, check=True)
        self.assertIn("generators", run.stdout)
        self.refused([PLANNED, PAPER, "--survivor", str(file)], "expected `--survive K` too")
        self.refused([PLANNED, PAPER, "--survive", "2", "--survivor", str(self.folder / "no.yaml")],
                     "no plan survives the worst failure of 2 accelerators", "`ports=`")
        self.assertEqual(os.listdir(self.folder), ["left.yaml"])

    def test_a_ring_serves_where_nothing_else_fits_and_is_not_laid(self):
        ring = ["--set", "topology.accelerators=62", "--set", "topology.ports=6", "--set",
                "workload.meshes={m: {a: 31, b: 2}}", "--set",
                "workload.collectives=[{primitive: all-reduce, axis: m.a, bytes: 1 MiB}]"]
        plan = self.json_of(PLANNED, PAPER, *ring)
        axis = plan["meshes"][0]["axes"][0]
        self.assertEqual((axis["topology"], axis["degree"], axis["multiplicity"], axis["blocks"]), ("Z31{1}", 2, 3, []))
        self.assertEqual((plan["ports_used"], plan["generators"]), (6, []))
        self.assertIn("rings are priced only", self.printed(PLANNED, PAPER, *ring))
        self.printed(PLANNED, PAPER, *ring, "--svg", str(self.folder / "ring.svg"), "--axis", "m.a")
        self.refused([PLANNED, PAPER, *ring, "--check"], "needs at least 31 ports")

    def test_twelve_accelerators_are_planned_laid_out_and_simulated(self):
        file = self.folder / "plan.yaml"
        twelve = ["--set", "topology.accelerators=12", "--set",
                  "workload.meshes={attention: {kvp: 4, tpa: 3}, ffn: {ep: 3, tpe: 4}}"]
        told = self.json_of(PLANNED, PAPER, *twelve, "--check", "--out", str(file))
        self.assertTrue(told["optimal"])
        self.assertTrue(told["check"]["holds"])
        for question in (["--survive", "1"], ["--ports", "5..7"], ["--payload-scale", "0.5,2"], ["--with", str(file)],
                         ["--svg", str(self.folder / "x.svg")], ["--svg", str(self.folder / "x.svg"), "--device", "rail0"]):
            self.printed(PLANNED, PAPER, *twelve, *question)
        by_plan = ["--set", f"topology.circuits={file}", *twelve]
        run = simlette("run", PLANNED, PAPER, *by_plan, "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        automatic = simlette("run", PLANNED, PAPER, "--set", "topology.circuits=auto", *twelve, "--json", "-")
        ends = [json.loads(done.stdout)["completion_ps"] for done in (run, automatic)]
        self.assertEqual(ends[0], ends[1])

    def test_a_hybrid_plan_joins_racks_evenly_and_is_followed(self):
        file = self.folder / "plan.yaml"
        hybrid = ["topologies/hybrid-512.yaml", "workloads/one-shot.yaml", "--set", "topology.accelerators=160", "--set",
                  "workload.collectives.0.bytes=4 KiB"]
        told = self.json_of(*hybrid, "--out", str(file))
        self.assertEqual((told["racks"], told["generators"]), (5, []))
        self.assertIn("72 between any two of them, over 288 up links", self.printed(*hybrid))
        self.printed(*hybrid, "--svg", str(self.folder / "x.svg"), "--device", "level2.rail0.device0")
        run = simlette("run", *hybrid, "--set", f"topology.circuits={file}", "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.refused([*hybrid, "--check"], "those of this fabric join racks")
        self.refused([*hybrid, "--set", "topology.ports=1", "--set", "topology.level1.up=2"], "need 4 up links")
        other = simlette("run", "topologies/single-level-ocs.yaml", "workloads/one-shot.yaml", "--set",
                         "topology.accelerators=160", "--set", f"topology.circuits={file}")
        self.assertEqual(other.returncode, 2)
        self.assertIn("circuits between racks of electronic switches", other.stderr)

    def start_long_search(self, command, *words):
        workload = self.folder / "six.yaml"
        workload.write_text("meshes: {a: {x: 8, y: 64}, b: {x: 16, y: 32}, c: {x: 4, y: 128}, d: {x: 2, y: 256}}\n"
                            "collectives:\n" +
                            "".join(f"- {{primitive: all-reduce, axis: {axis}, bytes: {size} KiB}}\n" for axis, size in
                                    [("a.x", 64), ("a.y", 256), ("b.x", 4), ("b.y", 999), ("c.x", 64), ("c.y", 32),
                                     ("d.x", 1024), ("d.y", 16)]))
        process = subprocess.Popen([PROGRAM, command, "topologies/planned-512.yaml", str(workload), "--progress",
                                    "always", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def test_a_long_search_tells_how_far_it_is_and_an_interrupt_keeps_its_best_plan(self):
        process = self.start_long_search("plan", "--effort", "1000000000000", "--json", "-")
        self.assertRegex(process.stderr.readline(), r"^\d+ nodes  best [0-9.]+ us  bound [0-9.]+ us  gap [0-9.]+ %$")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted; the plan is the best that was found until then", err)
        plan = json.loads(out)
        self.assertTrue(plan["truncated"])
        self.assertLess(plan["bound_ps"], plan["total_ps"])

    def test_an_interrupt_while_ports_are_tried_keeps_those_that_are_done(self):
        process = self.start_long_search("plan", "--effort", "100000000", "--ports", "10..300", "--json", "-")
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("the other numbers of ports were not planned", err)
        self.assertLess(len(json.loads(out)["staircase"]), 291)

    def test_pictures_are_xml_and_named(self):
        file = self.folder / "plan.svg"
        for words in ([], ["--axis", "attention.tpa"], ["--device", "rail3"]):
            self.printed(PLANNED, PAPER, "--svg", str(file), *words)
            self.assertTrue(xml.etree.ElementTree.parse(file).getroot().tag.endswith("svg"))
        self.refused([PLANNED, PAPER, "--svg", str(file), "--axis", "attention.tp"], "did you mean `attention.tpa`?")
        self.refused([PLANNED, PAPER, "--svg", str(file), "--device", "rail99"], "no circuit of the plan passes a device `rail99`")
        self.refused([PLANNED, PAPER, "--axis", "attention.tpa"], "expected `--svg FILE` too")

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_the_staircase_is_drawn(self):
        file = self.folder / "stairs.svg"
        self.printed(PLANNED, PAPER, *SMALL, "--ports", "5..8", "--svg", str(file))
        self.assertTrue(xml.etree.ElementTree.parse(file).getroot().tag.endswith("svg"))

    def test_bad_options_are_refused_with_a_cure(self):
        self.refused([PLANNED], "expected a topology and a workload file")
        self.refused([PLANNED, PAPER, "--port", "3..8"], "did you mean `--ports`?")
        for ports in ("8", "8..3", "0..3", "3..", "a..b", "1..9999"):
            self.refused([PLANNED, PAPER, "--ports", ports], "such as `9..36`")
        for scale in ("0", "x", "1,,2", "-1", "1,"):
            self.refused([PLANNED, PAPER, "--payload-scale", scale], "such as `0.25,1,4`")
        self.refused([PLANNED, PAPER, "--payload-scale", "1000000000"], "expected factors")
        self.refused([PLANNED, PAPER, "--survive", "0"], "expected a whole number from 1")
        self.refused([PLANNED, PAPER, "--survive", "port=1"], "`ports=`")
        self.refused([PLANNED, PAPER, "--effort", "-3"], "expected a whole number from 1")
        self.refused([PLANNED, PAPER, "--check", "--survive", "1"], "two questions")
        self.refused([PLANNED, PAPER, "--ports", "5..8", "--out", "x.yaml"], "`--out` writes one plan")
        self.refused([PLANNED, PAPER, "--with", str(self.folder / "none.yaml")], "none.yaml")

    def test_impossible_requests_say_what_would_do(self):
        self.refused([PLANNED, PAPER, "--set", "topology.ports=7"], "8")
        self.refused([PLANNED, PAPER, "--ports", "2..4"], "8")
        self.refused(["topologies/single-level-eps.yaml", "workloads/one-shot.yaml"], "optical")
        self.assertFalse(os.listdir(self.folder))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
