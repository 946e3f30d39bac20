// Tables of sizes: what each rank of an all-to-all has for each other.
#pragma once

#include <string>
#include <vector>

#include <simlette/collective/spec.hpp>
#include <simlette/study/input_tree.hpp>
#include <simlette/study/kinds.hpp>

namespace simlette {

// The value of `sizes`: rows in the workload, or a file that has them.
struct SizesText {
    std::string file;
    SizeTable table;
    std::vector<Place> rows;  // of each row

    bool given() const { return !file.empty() || !rows.empty(); }
};

Kind<SizesText> sizes_kind();

// Whole numbers of bytes with commas between them, a line for each row; a line that begins with `#` is a comment.
// False: problems were added.
bool read_csv(const Source& source, Problems& problems, SizesText& into);

}  // namespace simlette
