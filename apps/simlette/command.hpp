// What the subcommands have in common.
#pragma once

#include <string>
#include <vector>

namespace simlette::program {

enum ExitStatus { done = 0, stalled = 1, bad_input = 2, no_output = 3, broken = 70, interrupted = 130 };

// What stands behind `simlette <subcommand>`. Each returns an exit status, or throws simlette::Error.
using Arguments = std::vector<std::string>;

int run_command(const Arguments& arguments);
int show_command(const Arguments& arguments);
int show_overlay_command(const Arguments& arguments);  // after `show overlay`
int sweep_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int plan_command(const Arguments& arguments);
int schema_command(const Arguments& arguments);
int reproduce_command(const Arguments& arguments);

}  // namespace simlette::program
