#!/usr/bin/env python3
"""Drives `simlette sweep` from outside: kills it, starts it again, and compares what its database holds.

Usage: sweep_test.py PROGRAM [TEST...], in the root of the tree. SIMLETTE_KILLS says how often a sweep is killed.
"""

import csv
import io
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

STUDY = "tests/golden/sweep.yaml"
POINTS = 96
REFUSED = 24  # two-shot has no circuits to follow
BUFFERS = "workloads/studies/buffers.yaml"
KILLS = int(os.environ.get("SIMLETTE_KILLS", "4"))
TABLES = ["study", "points", "parameters", "configurations", "runs", "results"]  # all that is compared


def simlette(*words, **options):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=300, **options)


def dump(database):
    """Every row of every table but `costs`, in order; and the text of the view."""
    with sqlite3.connect(database) as connection:
        tables = {t: connection.execute(f"SELECT * FROM {t} ORDER BY 1, 2").fetchall() for t in TABLES}
        tables["schema"] = connection.execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall()
    connection.close()
    return tables


class SweepTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.kept.cleanup)
        cls.whole = pathlib.Path(cls.kept.name) / "whole.sqlite"
        started = time.monotonic()
        cls.done = simlette("sweep", STUDY, "--out", str(cls.whole), "--jobs", "1")
        cls.seconds = time.monotonic() - started
        started = time.monotonic()
        simlette("sweep", STUDY, "--out", str(cls.whole), "--quiet")
        cls.start_seconds = time.monotonic() - started  # nothing is left to run
        cls.content = dump(cls.whole)

    def skip_with_sanitizers(self):
        """Their memory is not that of the program."""
        program = pathlib.Path(PROGRAM).read_bytes()
        if b"__asan_init" in program or b"__tsan_init" in program:
            self.skipTest("built with sanitizers")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "r.sqlite"

    def refused(self, words, *expected):
        done = simlette("sweep", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        for text in expected:
            self.assertIn(text, done.stderr)

    def start(self, *more):
        words = ["sweep", STUDY, "--out", str(self.out), "--quiet", "--progress", "always", *more]
        process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def finished(self):
        """The rows of `runs`, from a copy: the next sweep recovers the database by itself."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                for file in self.folder.glob("r.sqlite*"):
                    shutil.copy(file, folder)
                return set(dump(pathlib.Path(folder) / "r.sqlite")["runs"])
            except (FileNotFoundError, sqlite3.DatabaseError):  # before there was a table, or as files came and went
                return set()

    def stopped(self, by):
        """How a sweep ends that is stopped after its first run, and what it says."""
        for _ in range(20):
            process = self.start("--jobs", "1")
            while process.poll() is None and not self.finished():
                time.sleep(0.01)
            process.send_signal(by)
            error = process.communicate(timeout=60)[1]
            if process.returncode != 1:
                return process.returncode, error
            self.out.unlink()  # it had come to its end before: once more
        return self.fail("every sweep ends before it is stopped")

    def test_a_sweep_runs_every_point_and_keeps_those_that_fail(self):
        self.assertEqual(self.done.returncode, 1)
        self.assertIn(f"{REFUSED} of {POINTS} points failed", self.done.stderr)
        outcomes = [row[3] for row in self.content["runs"]]
        self.assertEqual((len(outcomes), outcomes.count("refused")), (POINTS, REFUSED))
        errors = [row[4] for row in self.content["runs"] if row[3] == "refused"]
        self.assertTrue(all("no circuit joins them" in error for error in errors))
        self.assertEqual(len(self.done.stdout.splitlines()), 62)
        self.assertIn("36 points more", self.done.stdout)

    def test_a_killed_sweep_loses_nothing_and_ends_as_an_undisturbed_one(self):
        before, killed = set(), 0
        share = 1.6 * max(0, self.seconds - self.start_seconds) / KILLS  # on average 0.8 of it all
        for attempt in range(1000):
            process = self.start("--jobs", "1")
            time.sleep(self.start_seconds + share * random.Random(attempt).random())
            process.kill()
            told = re.findall(r"(\d+) of \d+ points", process.communicate(timeout=60)[1])
            killed += process.returncode == -signal.SIGKILL
            now = self.finished()
            self.assertLessEqual(before, now)
            self.assertLessEqual(now, set(self.content["runs"]))
            self.assertGreaterEqual(len(now), max(map(int, told), default=0))
            before = now
            if killed == KILLS:
                break
            if len(now) == POINTS:  # faster than thought: once more from the beginning
                self.assertEqual(dump(self.out), self.content)
                self.out.unlink()
                before = set()
        self.assertEqual(killed, KILLS)
        simlette("sweep", STUDY, "--out", str(self.out))
        self.assertEqual(dump(self.out), self.content)

    def test_two_jobs_give_what_one_gives(self):
        texts = []
        for jobs in ("1", "2"):
            out, table = self.folder / f"{jobs}.sqlite", self.folder / f"{jobs}.csv"
            simlette("sweep", STUDY, "--out", str(out), "--jobs", jobs, "--csv", str(table))
            self.assertEqual(dump(out), self.content)
            texts.append(table.read_text())
        self.assertEqual(texts[0], texts[1])

    def test_two_sweeps_at_a_time_share_a_database(self):
        both = [self.start(), self.start()]
        for process in both:
            process.communicate(timeout=300)
            self.assertEqual(process.returncode, 1)
        self.assertEqual(dump(self.out), self.content)

    def test_an_interrupt_keeps_what_was_finished(self):
        code, error = self.stopped(signal.SIGINT)
        self.assertEqual(code, 130, error)
        self.assertIn("goes on from here", error)
        self.assertLessEqual(self.finished(), set(self.content["runs"]))
        simlette("sweep", STUDY, "--out", str(self.out))
        self.assertEqual(dump(self.out), self.content)

    def test_an_interrupt_without_a_database_keeps_nothing_and_says_so(self):
        words = [PROGRAM, "sweep", STUDY, "--quiet", "--progress", "always", "--jobs", "1"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, error)
        self.assertIn("interrupted; without `--out` nothing was kept", error)
        self.assertNotIn("goes on from here", error)

    def test_processes_go_on_where_a_killed_sweep_was(self):
        self.stopped(signal.SIGKILL)
        before = self.finished()
        self.assertTrue(pathlib.Path(f"{self.out}-wal").exists())
        words = [PROGRAM, "sweep", STUDY, "--out", str(self.out)]
        variables = [{"PMI_RANK": str(number), "PMI_SIZE": "3"} for number in range(3)]
        shares = [subprocess.Popen(words, env={**os.environ, **each}, stderr=subprocess.PIPE, text=True)
                  for each in variables]
        for share in shares:
            error = share.communicate(timeout=300)[1]
            self.assertEqual((share.returncode, error), (0, ""))
        runs = [set(dump(f"{self.out}.share-{number}")["runs"]) for number in range(3)]
        self.assertEqual(sum(map(len, runs)) + len(before), POINTS)  # none ran again
        simlette(*words[1:])
        self.assertEqual(dump(self.out), self.content)

    def test_a_sweep_that_was_killed_at_once_leaves_nothing_to_stumble_over(self):
        self.out.touch()
        done = simlette("sweep", BUFFERS, "--out", str(self.out), env={**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_fewer_threads_do_when_there_is_no_room_for_more(self):
        self.skip_with_sanitizers()
        buffers = ", ".join(f"{flits} flits" for flits in range(8, 208))
        words = [PROGRAM, "sweep", BUFFERS, "--set", f"study.vary={{topology.buffers: [{buffers}]}}", "--set",
                 "study.mode=analytic", "--jobs", "400", "--csv", "-"]
        limited = ["bash", "-c", 'ulimit -v 1500000; exec "$@"', "bash", *words]
        done = subprocess.run(limited, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count(",finished,"), 400)

    def test_a_study_holds_each_of_its_files_once(self):
        self.skip_with_sanitizers()
        entry = "  - {primitive: all-reduce, group: world, bytes: 1 KiB}\n"
        (self.folder / "w.yaml").write_text("collectives:\n" + 3_000 * entry)
        topology = os.path.abspath("topologies/single-level-eps.yaml")
        peaks = []
        for count in (1, 20):
            study = self.folder / "s.yaml"
            study.write_text(f"topologies: [{', '.join(count * [topology])}]\nworkloads: [w.yaml]\n")
            process = subprocess.Popen([PROGRAM, "sweep", str(study), "--svg", str(self.folder / "no.svg")],
                                       stderr=subprocess.PIPE)
            process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stderr.close()
            self.assertEqual(process.returncode, 2)  # refused for want of `--plot`, when the points are known
            peaks.append(usage.ru_maxrss)
        self.assertLess(peaks[1], 1.5 * peaks[0])

    def test_a_finished_sweep_is_not_run_again(self):
        simlette("sweep", BUFFERS, "--out", str(self.out))
        costs = sqlite3.connect(self.out).execute("SELECT * FROM costs").fetchall()
        done = simlette("sweep", BUFFERS, "--out", str(self.out), "--progress", "always")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 11))
        self.assertEqual(sqlite3.connect(self.out).execute("SELECT * FROM costs").fetchall(), costs)

    def test_a_longer_study_runs_what_is_new(self):
        words = ["sweep", BUFFERS, "--out", str(self.out), "--quiet", "--set"]
        simlette(*words, "study.vary={topology.ports: [8]}")
        old = set(dump(self.out)["runs"])
        simlette(*words, "study.vary={topology.ports: [8, 6]}")
        self.assertEqual((len(old), len(dump(self.out)["runs"])), (2, 4))
        self.assertLess(old, set(dump(self.out)["runs"]))

    def test_a_point_is_a_run(self):
        result = json.loads(simlette("run", "topologies/single-level-ocs.yaml", "workloads/one-shot.yaml", "--set",
                                     "topology.buffers=16 flits", "--json", "-").stdout)
        simlette("sweep", BUFFERS, "--out", str(self.out))
        connection = sqlite3.connect(self.out)
        rows = dict(connection.execute("SELECT name, value FROM results JOIN points USING (run) WHERE point = 6"))
        self.assertEqual(rows["completion_ps"], result["completion_ps"])
        self.assertEqual(rows["links.max_utilization"], result["links"]["max_utilization"])
        self.assertEqual(rows["event_hash"], result["event_hash"])
        parts = result["collectives"][0]["critical_path_ps"]
        self.assertEqual({part: rows[f"collectives.0.critical_path_ps.{part}"] for part in parts}, parts)
        self.assertNotIn("wall_seconds", rows)
        costs = {name for name, in connection.execute("SELECT DISTINCT name FROM costs")}
        self.assertEqual(costs, {"wall_seconds", "cpu_seconds", "peak_rss_bytes"})
        stored = json.loads(connection.execute("SELECT configuration FROM configurations JOIN points "
                                               "USING (configuration_hash) WHERE point = 6").fetchone()[0])
        self.assertEqual(stored, result["configuration"])

    def test_the_overview_is_one_row_a_point(self):
        simlette("sweep", BUFFERS, "--out", str(self.out))
        connection = sqlite3.connect(self.out)
        connection.row_factory = sqlite3.Row
        rows = connection.execute("SELECT * FROM overview").fetchall()
        self.assertEqual([row["topology.buffers"] for row in rows[:2]], ["8 flits", "16 flits"])
        self.assertEqual((rows[4]["completion_ps"], rows[4]["outcome"]), (5_942_800, "finished"))
        base = connection.execute("SELECT base_value FROM parameters WHERE point IN (1, 4)").fetchall()
        self.assertEqual([row[0] for row in base], [16, None])

    def test_csv_and_json_tell_what_the_database_holds(self):
        table = simlette("sweep", BUFFERS, "--csv", "-").stdout
        rows = list(csv.DictReader(io.StringIO(table)))
        self.assertEqual(list(rows[0]), "point topology workload mode topology.buffers configuration_hash outcome error "
                                        "completion_ps credits.stall_max_port_ps".split())
        points = json.loads(simlette("sweep", BUFFERS, "--json", "-").stdout)["points"]
        self.assertEqual([p["results"]["completion_ps"] for p in points], [int(row["completion_ps"]) for row in rows])
        self.assertEqual(points[1]["parameters"], {"topology.buffers": "16 flits"})
        self.assertEqual(points[1]["topology"], "../../topologies/single-level-eps.yaml")

    def test_the_folder_it_is_started_in_does_not_matter(self):
        simlette("sweep", str(pathlib.Path(STUDY).resolve()), "--out", str(self.out), cwd=self.folder)
        self.assertEqual(dump(self.out), self.content)

    def test_a_file_that_is_no_database_of_a_sweep_is_left_alone(self):
        self.out.write_text("a text of some length, which is no database at all\n" * 100)
        self.refused([BUFFERS, "--out", str(self.out)], "is no database")
        self.assertIn("a text of some length", self.out.read_text())
        other = self.folder / "other.sqlite"
        with sqlite3.connect(other) as connection:
            connection.execute("CREATE TABLE mine (a)")
        connection.close()
        before = other.read_bytes()
        self.refused([BUFFERS, "--out", str(other)], "none of a sweep of this version", "choose another file")
        self.assertEqual(other.read_bytes(), before)

    def test_results_of_two_versions_do_not_mix(self):
        simlette("sweep", BUFFERS, "--out", str(self.out))
        with sqlite3.connect(self.out) as connection:
            connection.execute("UPDATE study SET value = '0.0.9' WHERE name = 'version'")
        connection.close()
        self.refused([BUFFERS, "--out", str(self.out)], "holds results of Simlette 0.0.9")

    def test_a_database_that_cannot_be_written_is_status_3(self):
        for file in ("no/such/folder/x.sqlite", str(self.folder)):
            done = simlette("sweep", BUFFERS, "--out", file)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn(f"{file}: cannot be written: ", done.stderr)

    def test_a_bad_study_is_refused_before_anything_runs(self):
        self.refused(["tests/refuse/study-points.yaml", "--out", str(self.out)],
                     "tests/refuse/study-points.yaml:5:23: `ports` is `eight`")
        self.refused([BUFFERS, "--out", str(self.out), "--set", "topology.buffers=unlimited"],
                     "--set topology.buffers: the study varies `topology.buffers`")
        self.refused(["no-such.yaml", "--out", str(self.out)], "no-such.yaml: there is no such file")
        self.assertEqual(os.listdir(self.folder), [])

    def test_wrong_usage_is_refused(self):
        self.refused([], "expected a study file")
        self.refused([BUFFERS, "--jobs", "0"], "`--jobs` is `0`")
        self.refused([BUFFERS, "--job", "2"], "did you mean `--jobs`?")
        self.refused([BUFFERS, "--out", "-"], "`--out` is a database")
        self.refused([BUFFERS, "--out", BUFFERS], "would replace the input")
        self.refused([BUFFERS, "--csv", "workloads/one-shot.yaml"], "would replace the input")
        self.refused([BUFFERS, "--out", str(self.out), "--csv", str(self.out)], "both write to")

    def test_a_plot_is_drawn_by_gnuplot(self):
        svg = self.folder / "p.svg"
        words = ["sweep", BUFFERS, "--quiet", "--plot", "x=topology.buffers,y=completion_ps", "--svg", str(svg)]
        environment = {**os.environ, "PATH": str(self.folder)}
        done = simlette(*words, env=environment)
        self.assertEqual((done.returncode, os.listdir(self.folder)), (3, []))
        self.assertIn("gnuplot, which draws the plot, is not installed", done.stderr)
        (self.folder / "gnuplot").write_text("#!/bin/sh\nexit 1\n")
        (self.folder / "gnuplot").chmod(0o755)
        self.assertIn("draws the plot, failed", simlette(*words, env=environment).stderr)
        self.refused([BUFFERS, "--svg", str(svg)], "expected both `--plot` and `--svg`")
        if shutil.which("gnuplot") is None:
            self.skipTest("gnuplot is not installed")
        done = simlette(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        root = xml.etree.ElementTree.parse(svg).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        for text in ("single-level-ocs", "unlimited", "completion in us"):
            self.assertIn(text, "".join(root.itertext()))

    def test_processes_run_their_shares_and_one_process_gathers_them(self):
        for rank, size in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
                           ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")):
            out = self.folder / f"{rank}#?%41.sqlite"
            table = self.folder / f"{rank}.csv"
            words = ["sweep", STUDY, "--out", str(out), "--csv", str(table)]
            for number in range(3):
                done = simlette(*words, env={**os.environ, rank: str(number), size: "3"})
                told = "simlette: nothing goes to `--csv` yet; the same command alone gathers the shares and writes it\n"
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "" if number else told))
                self.assertEqual(len(dump(f"{out}.share-{number}")["runs"]), POINTS // 3)
            self.assertFalse(out.exists() or table.exists())
            costs = [row for n in range(3) for row in sqlite3.connect(f"{out}.share-{n}").execute("SELECT * FROM costs")]
            self.assertEqual(simlette(*words).returncode, 1)
            self.assertEqual(dump(out), self.content)
            self.assertEqual(sorted(sqlite3.connect(out).execute("SELECT * FROM costs")), sorted(costs))  # none ran again
            self.assertEqual(list(self.folder.glob(f"{rank}*.share-*")), [])
            simlette(*words, env={**os.environ, rank: "1", size: "2"})
            self.assertEqual(dump(f"{out}.share-1")["runs"], [])
        one = {**os.environ, "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
        done = simlette("sweep", BUFFERS, env=one)
        self.assertEqual(done.returncode, 2)
        self.assertIn("each of 2 processes keeps its share", done.stderr)

    def test_overrides_and_the_seed_hold_for_all_points(self):
        done = simlette("sweep", BUFFERS, "--set", "topology.ports=5", "--seed", "7", "--out", str(self.out))
        self.assertEqual(done.returncode, 0)
        texts = sqlite3.connect(self.out).execute("SELECT configuration FROM configurations").fetchall()
        topologies = [json.loads(text)["topology"] for text, in texts]
        self.assertEqual({(t["ports"], t["seed"]) for t in topologies}, {(5, 7)})


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
