#!/usr/bin/env python3
"""Plants one fault at a time and proves that tidy.py, or same_results.py, finds it."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import tidy

LINK = "libsimlette/include/simlette/link/link.hpp"
VERSION = "libsimlette/include/simlette/version.hpp"
SOURCE = "libsimlette/src/link/link.cpp"
CLEAN = {
    LINK: "// One wire.\n#pragma once\n\n#include <vector>\n\n#include <simlette/base/units.hpp>\n",
    "libsimlette/include/simlette/base/units.hpp": "// Units.\n#pragma once\n\n#include <cstdint>\n",
    VERSION: "// Version.\n#pragma once\n\n#include <simlette/base/units.hpp>\n",
    SOURCE: "#include <fmt/format.h>\n\n#include <simlette/link/link.hpp>\n",
    "libsimlette/src/study/load.cpp": "#include <sys/resource.h>\n#include <sqlite3.h>\n#include <yaml-cpp/yaml.h>\n",
    "libsimlette/CMakeLists.txt": "add_library(core\n  src/link/link.cpp\n  src/study/load.cpp\n)\n"
    "target_sources(core FILES include/simlette/base/units.hpp\n  include/simlette/version.hpp)\n",
    "apps/simlette/main.cpp": '#include <CLI/CLI.hpp>\n\n#include "run.hpp"\n',
    "apps/simlette/run.hpp": "// The subcommand run.\n#pragma once\n\n#include <simlette/study/run.hpp>\n",
    "apps/CMakeLists.txt": "add_executable(program simlette/main.cpp)\n",
}


def findings(changed):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**CLEAN, **changed}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return tidy.problems(root)


def function_of(lines):
    return "namespace simlette {\n\nint f(int a,\n      int b) {\n" + "    ++a;\n" * (lines - 3) + "}\n\n}\n"


class Planted(unittest.TestCase):
    def expect(self, changed, text):
        found = findings(changed)
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def test_a_clean_tree_has_no_findings(self):
        self.assertEqual(findings({}), [])

    def test_an_arrow_the_wrong_way_in_a_header(self):
        header = CLEAN[LINK] + "#include <simlette/fabric/spec.hpp>\n"
        self.expect({LINK: header}, "link.hpp:7: #include simlette/fabric/spec.hpp: an arrow the wrong way")

    def test_an_arrow_the_wrong_way_in_a_source(self):
        self.expect({SOURCE: "#  include <simlette/study/load.hpp>\n"}, "`link` may not include `study`")

    def test_an_unknown_room(self):
        self.expect({SOURCE: "#include <simlette/attic/old.hpp>\n"}, "no room `attic`")

    def test_a_third_party_in_a_header(self):
        header = CLEAN[LINK] + "#include <fmt/format.h>\n"
        self.expect({LINK: header}, "only the standard library")

    def test_boost_in_a_header_that_is_not_installed(self):
        self.assertEqual(findings({LINK: CLEAN[LINK] + "#include <boost/container/small_vector.hpp>\n"}), [])

    def test_boost_in_an_installed_header(self):
        version = CLEAN[VERSION] + "#include <boost/container/small_vector.hpp>\n"
        self.expect({VERSION: version}, "version.hpp:5: #include boost/container/small_vector.hpp: an installed header")

    def test_an_installed_header_that_includes_one_that_is_not(self):
        contract = {"libsimlette/include/simlette/base/contract.hpp": "// Promises.\n#pragma once\n"}
        version = {VERSION: CLEAN[VERSION] + "#include <simlette/base/contract.hpp>\n"}
        self.expect({**contract, **version}, "an installed header includes only installed ones")

    def test_yaml_outside_study(self):
        self.expect({SOURCE: "#include <yaml-cpp/yaml.h>\n"}, "`link` may not see `yaml-cpp`")
        self.expect({SOURCE: "#include <sqlite3.h>\n"}, "`link` may not see SQLite")

    def test_an_unknown_third_party(self):
        self.expect({SOURCE: "#include <gtest/gtest.h>\n"}, "`link` may not see `gtest`")

    def test_a_quoted_include_of_another_folder(self):
        self.expect({SOURCE: '#include "../base/units.hpp"\n'}, "leaves its folder")

    def test_a_source_that_no_list_names(self):
        self.expect({"libsimlette/src/link/forgotten.cpp": "\n"}, "no CMakeLists.txt lists")

    def test_a_test_that_no_list_names(self):
        self.expect({"tests/unit/link/forgotten.cpp": "\n"}, "no CMakeLists.txt lists")

    def test_a_long_file(self):
        self.assertEqual(findings({SOURCE: "//\n" * tidy.MAX_FILE_LINES}), [])
        self.expect({SOURCE: "//\n" * (tidy.MAX_FILE_LINES + 1)}, "601 lines")

    def test_a_long_function(self):
        self.assertEqual(findings({SOURCE: function_of(tidy.MAX_FUNCTION_LINES)}), [])
        self.expect({SOURCE: function_of(tidy.MAX_FUNCTION_LINES + 1)}, "link.cpp:3: 71 lines")

    def test_a_header_without_its_role(self):
        self.expect({LINK: "#pragma once\n"}, "says its role")

    def test_a_header_without_pragma_once(self):
        self.expect({LINK: "// One wire.\n"}, "has `#pragma once`")

    def test_two_types_of_one_name(self):
        link = {LINK: CLEAN[LINK] + "class SIMLETTE_EXPORT Link {\n};\nclass Port;\n"}
        self.assertEqual(findings({**link, "tests/support/wire.hpp": "struct Port {\n};\nclass Link;\n"}), [])
        self.expect({**link, "tests/support/wire.hpp": "\nstruct Link : Port {\n"}, "wire.hpp:2: `Link` is a type of")


class TwoBuilds(unittest.TestCase):
    """same_results.py on shell scripts that stand for two builds of the program."""

    def compare(self, *scripts):
        with tempfile.TemporaryDirectory() as folder:
            programs = [os.path.join(folder, name) for name in ("a", "b")]
            for program, script in zip(programs, scripts):
                pathlib.Path(program).write_text(f"#!/bin/sh\n{script}\n")
                os.chmod(program, 0o755)
            command = [sys.executable, "-B", os.path.join(os.path.dirname(__file__), "same_results.py"), *programs]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    def say(self, completion, wall):
        return f"""echo '{{"completion_ps": {completion}, "events": {wall}, "wall_seconds": {wall}.5, "cpu_seconds": {wall}.25}}'"""

    def test_the_same_results_in_another_time_are_the_same(self):
        done = self.compare(self.say(7, 1), self.say(7, 2))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_one_picosecond_is_a_difference(self):
        done = self.compare(self.say(7, 1), self.say(8, 1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("differs in line 1", done.stdout)

    def test_a_run_that_fails_is_no_agreement(self):
        self.assertNotEqual(self.compare("exit 2", "exit 2").returncode, 0)

    def test_output_that_is_no_result_is_no_agreement(self):
        self.assertNotEqual(self.compare("echo {}", "echo {}").returncode, 0)


if __name__ == "__main__":
    unittest.main()
