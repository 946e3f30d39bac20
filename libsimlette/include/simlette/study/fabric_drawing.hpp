// A sketch and the words around it as SVG.
#pragma once

#include <string>
#include <vector>

#include <simlette/study/fabric_sketch.hpp>
#include <simlette/study/run.hpp>

namespace simlette {

// What is drawn, and the words around it.
struct Picture {
    std::string title;
    std::string subtitle;
    std::string description;
    std::vector<std::string> facts;
    const RunReport* run = nullptr;  // with utilization
};

std::string drawing(const FabricSketch& sketch, const Picture& picture);

}  // namespace simlette
