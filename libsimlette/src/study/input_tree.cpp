#include <filesystem>

#include <simlette/study/document.hpp>
#include <simlette/study/input_tree.hpp>

namespace simlette {

InputTree parse_input(const std::string& path, Problems& problems) {
    Source& source = problems.add_source(path, true);
    InputTree tree{&source, false, {}};
    tree.parsed = load_document(source, problems, tree.root);
    return tree;
}

std::string path_beside(const Node& file, const std::string& named) {
    const std::filesystem::path folder =
        file.place.source == nullptr ? "" : std::filesystem::path(file.place.source->name).parent_path();
    return (folder / named).lexically_normal().string();
}

const InputTree& NamedFiles::yaml(const std::string& path) {
    const auto found = yaml_.find(path);
    return found != yaml_.end() ? found->second : yaml_.emplace(path, parse_input(path, problems_)).first->second;
}

const InputTree& NamedFiles::text(const std::string& path) {
    const auto found = texts_.find(path);
    if (found != texts_.end()) {
        return found->second;
    }
    Source& source = problems_.add_source(path, true);
    const bool good = read_bytes(source, problems_) && normalize_text(source, problems_);
    return texts_.emplace(path, InputTree{&source, good, {}}).first->second;
}

std::vector<const Source*> NamedFiles::sources() const {
    std::vector<const Source*> sources;
    for (const auto* files : {&yaml_, &texts_}) {
        for (const auto& [path, tree] : *files) {
            sources.push_back(tree.source);
        }
    }
    return sources;
}

}  // namespace simlette
