#!/usr/bin/env python3
"""Interrupts and ends the program while it works: what is kept, and what lies about.

Usage: interrupt_test.py PROGRAM [TEST...], in the root of the tree.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

EPS = "topologies/single-level-eps.yaml"
ONE_SHOT = "workloads/one-shot.yaml"
# A minute of work and more, in port-messages of 205 flits: some are delivered at once.
LONG = ["--set", "topology.accelerators=512", "--set", "workload.collectives.0.bytes=1 MiB"]


class InterruptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start_long_run(self, *more):
        words = ["run", EPS, ONE_SHOT, *LONG, *more, "--engine", "reference", "--progress", "always",
                 "--json", str(self.folder / "x.json")]
        process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.progress(process)
        return process

    def progress(self, process):
        """The simulated time in us of the next line of progress."""
        line = process.stderr.readline()
        self.assertRegex(line, r"^ +\d+ %  [0-9.]+ us  [0-9.]+ M events/s")
        return float(line.split()[2])

    def test_an_interrupt_keeps_what_was_finished(self):
        process = self.start_long_run()
        while self.progress(process) < 10:  # the first messages are there after 4 us
            pass
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        report = json.loads((self.folder / "x.json").read_text())
        whole = subprocess.run([PROGRAM, "run", EPS, ONE_SHOT, "--json", "-"], capture_output=True, check=True)
        self.assertEqual(list(report), list(json.loads(whole.stdout)))
        self.assertEqual((report["outcome"], report["completion_ps"]), ("interrupted", None))
        self.assertGreater(report["flits"], 0)

    def test_an_interrupt_while_critical_paths_are_found_keeps_the_run_and_says_what_it_lacks(self):
        file = self.folder / "x.json"
        process = subprocess.Popen(
            [PROGRAM, "run", EPS, ONE_SHOT, "--set", "topology.accelerators=64", "--set",
             "workload.collectives.0.bytes=20000 MiB", "--progress", "always", "--json", str(file)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while not process.stderr.readline().startswith("critical path"):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted; the run is whole, its critical paths were not found", errors)
        report = json.loads(file.read_text())
        self.assertEqual(report["outcome"], "finished")
        self.assertIsNone(report["collectives"][0]["critical_path_ps"])

    def test_an_interrupt_ends_all_modes(self):
        process = self.start_long_run("--mode", "all")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        modes = json.loads((self.folder / "x.json").read_text())["modes"]
        self.assertEqual([(one["mode"], one["outcome"]) for one in modes],
                         [(mode, "interrupted") for mode in ("flit", "message", "analytic")])

    def test_a_killed_run_leaves_no_file(self):
        process = self.start_long_run()
        process.kill()
        process.communicate(timeout=60)
        self.assertEqual(os.listdir(self.folder), [])

    def is_being_written(self):
        try:
            return any(path.stat().st_size for path in self.folder.glob(".simlette-*"))
        except FileNotFoundError:  # it was there only to see whether it may be
            return False

    def stops_while_it_writes(self, process):
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        return self.is_being_written()

    def signal_while_it_writes(self, file, number, times):
        """A run that got the signal so often while it was writing its trace; those that were too fast do not count."""
        while True:
            for path in self.folder.iterdir():
                path.unlink()
            process = subprocess.Popen([PROGRAM, "run", EPS, ONE_SHOT, "--set", "topology.accelerators=64", "--quiet",
                                        "--trace", str(file)])
            self.addCleanup(process.kill)
            while not self.is_being_written() and process.poll() is None:
                pass
            sent = 0
            while sent < times and process.poll() is None and self.stops_while_it_writes(process):
                process.send_signal(number)
                process.send_signal(signal.SIGCONT)
                sent += 1
            if sent == times:
                return process
            process.kill()
            process.wait()

    def test_a_file_that_is_being_written_is_whole_before_a_signal_ends_the_program(self):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and what it starts inherits that
        for number, times, status in ((signal.SIGTERM, 1, -signal.SIGTERM), (signal.SIGHUP, 1, -signal.SIGHUP),
                                      (signal.SIGINT, 2, 0)):
            with self.subTest(number):
                file = self.folder / f"{number}.json"
                process = self.signal_while_it_writes(file, number, times)
                self.assertEqual(process.wait(timeout=60), status)
                self.assertTrue(json.loads(file.read_text())["traceEvents"])
                self.assertEqual(list(self.folder.glob(".simlette-*")), [])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
