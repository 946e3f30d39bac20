// Which of the processes of one `mpirun` or `srun` this one is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simlette::program {

struct Rank {
    std::size_t number = 0;
    std::size_t of = 1;
};

// From what Open MPI, PMI (MPICH, Intel MPI) and Slurm put into the environment of a process.
Rank rank_of_environment();

// Each rank keeps its share beside the database: `results.sqlite.rank-3`.
std::string file_of_rank(const std::string& out, std::size_t rank);
std::vector<std::string> files_of_ranks(const std::string& out);  // that are there

void remove_database(const std::string& file);  // and what SQLite keeps beside it

}  // namespace simlette::program
