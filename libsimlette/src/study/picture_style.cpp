#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <simlette/study/picture_style.hpp>

namespace simlette {

namespace {

// Twelve hues of middle lightness, so that they stand out from white and from black.
constexpr std::array<const char*, colour_count> hues{"#3b78c4", "#d9822b", "#3a9a5b", "#c8453b", "#8a63c0", "#2aa3a3",
                                                     "#c75c9a", "#9a8a2b", "#6b7f99", "#a0633a", "#4f9bd0", "#7fa83a"};

// The viridis scale, even to the eye: the busier, the further from the paper.
constexpr std::array<const char*, use_steps> use_on_light{"#c8d93a", "#95d840", "#5ec962", "#35b779", "#1f9e89",
                                                          "#26828e", "#31688e", "#3e4989", "#482878", "#440154"};
constexpr std::array<const char*, use_steps> use_on_dark{"#53498f", "#46609c", "#3a77a0", "#2f8ea0", "#2aa198",
                                                         "#3fb883", "#6ccd5f", "#9fda3a", "#d2e21b", "#fde725"};

std::string strokes(const std::array<const char*, use_steps>& scale) {
    std::string text;
    for (std::size_t i = 0; i < scale.size(); ++i) {
        text += fmt::format(".u{}{{stroke:{}}}", i, scale[i]);
    }
    return text + '\n';
}

}  // namespace

std::string picture_style() {
    std::string text =
        "svg{font-family:system-ui,'Helvetica Neue',Arial,'Liberation Sans',sans-serif}\n"
        "text{font-size:13px;fill:#24292f;font-variant-numeric:tabular-nums}\n"
        ".head{font-size:20px;font-weight:600}.label{font-size:11px}.small{font-size:9px}\n"
        ".soft{fill:#667079}.middle{text-anchor:middle}.end{text-anchor:end}\n"
        ".paper{fill:#fcfcfb}.device{fill:#eef0f2;stroke:#57606a;stroke-width:1.2}\n"
        ".switch{fill:#dde3ea;stroke:#57606a;stroke-width:1.2}\n"
        "path{fill:none;stroke-linecap:butt}.faint{opacity:.55}.dashed{stroke-dasharray:5 3}\n"
        ".idle{stroke:#b6bcc3;stroke-dasharray:2 4}.rim{fill:none;stroke:#d5d9de}\n";
    for (std::size_t i = 0; i < hues.size(); ++i) {
        text += fmt::format(".c{}{{stroke:{}}}", i, hues[i]);
    }
    text += '\n' + strokes(use_on_light);
    text +=
        "@media (prefers-color-scheme:dark){\n"
        "text{fill:#e6e8eb}.soft{fill:#9aa3ad}.paper{fill:#15181c}.device{fill:#2a3038;stroke:#aab2bd}\n"
        ".switch{fill:#38414c;stroke:#aab2bd}.idle{stroke:#545d68}.rim{stroke:#3a424c}\n";
    return text + strokes(use_on_dark) + "}\n";
}

std::string colour_class(std::uint32_t colour) {
    const bool dashed = colour / colour_count % 2 == 1;
    return fmt::format("c{}{}", colour % colour_count, dashed ? " dashed" : "");
}

std::string use_class(std::int64_t billionths) {
    if (billionths == 0) {
        return "idle";
    }
    return fmt::format("u{}", std::min(billionths * use_steps / 1'000'000'000, use_steps - 1));
}

}  // namespace simlette
