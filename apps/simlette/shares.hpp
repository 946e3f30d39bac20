// The share of a process among those of one `mpirun` or `srun`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simlette::program {

struct Share {
    std::size_t number = 0;
    std::size_t of = 1;
};

// From what Open MPI, PMI (MPICH, Intel MPI) and Slurm put into the environment of a process.
Share share_of_environment();

// Each process keeps its share beside the database: `results.sqlite.share-3`.
std::string file_of_share(const std::string& out, std::size_t share);
std::vector<std::string> files_of_shares(const std::string& out);  // that are there

void remove_database(const std::string& file);  // and what SQLite keeps beside it

}  // namespace simlette::program
