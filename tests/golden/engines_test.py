#!/usr/bin/env python3
"""Which engine carries what is shipped: every topology with every workload that fits it.

Usage: engines_test.py PROGRAM, in the root of the tree.
"""

import collections
import itertools
import json
import multiprocessing.pool
import os
import pathlib
import subprocess
import sys
import unittest

FIT = 150  # pairs that fit each other, at least: fewer would say that this test asks for too little


def simlette(*words):
    return subprocess.run([PROGRAM, "run", *words], capture_output=True, text=True, check=False, timeout=300)


def engine_for(pair):
    """None if the workload does not fit the topology: it needs other ranks, or links that are not there."""
    if simlette(*pair, "--check").returncode == 2:
        return None
    done = simlette(*pair, "--until", "1 ns", "--json", "-")
    return json.loads(done.stdout)["engine"] if done.stdout else done.stderr


class EnginesTest(unittest.TestCase):
    def test_of_what_is_shipped_at_least_95_percent_runs_on_the_sweep(self):
        topologies, workloads = (sorted(map(str, pathlib.Path(folder).glob("*.yaml"))) for folder in
                                 ("topologies", "workloads"))
        with multiprocessing.pool.ThreadPool(os.cpu_count()) as pool:
            engines = collections.Counter(pool.map(engine_for, itertools.product(topologies, workloads)))
        del engines[None]
        self.assertGreaterEqual(engines.total(), FIT)
        self.assertGreaterEqual(engines["sweep"], 0.95 * engines.total(), engines)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
