// A study file: topologies, workloads and modes to cross, what varies in them, and what to record.
#pragma once

#include <string>
#include <vector>

#include <simlette/sim/mode.hpp>
#include <simlette/study/fields.hpp>

namespace simlette {

// A text of the file, and where it stands.
struct PlacedText {
    std::string text;
    Place place;
};

// Values for one path, one after the other.
struct StudyAxis {
    PlacedText path;
    std::vector<Node> values;
};

// Axes that move in step: their values are equal in number.
using StudyAxes = std::vector<StudyAxis>;

struct StudyFile {
    std::vector<PlacedText> topologies;
    std::vector<PlacedText> workloads;
    std::vector<Mode> modes{Mode::flit};
    StudyAxes vary;              // each by itself
    std::vector<StudyAxes> zip;  // each in step
    std::vector<PlacedText> record;
};

const Fields<StudyFile>& study_fields();

// Reads a tree, and checks that no path is given twice.
StudyFile read_study(const Node& root, Problems& problems);

// A value as results show it: `64 KiB`, `true`, or JSON of a list or map.
std::string value_text(const Node& value);

}  // namespace simlette
