#include <filesystem>
#include <utility>

#include <simlette/base/fingerprint.hpp>
#include <simlette/study/json_text.hpp>
#include <simlette/study/kinds.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/quantity.hpp>
#include <simlette/study/run_values.hpp>
#include <simlette/study/study.hpp>

namespace simlette {

namespace {

constexpr std::size_t most_points = 100'000;

// The paths of a study count from its folder.
std::string beside(const std::string& study, const std::string& file) {
    return (std::filesystem::path(study).parent_path() / file).lexically_normal().string();
}

std::vector<std::string> texts_of(const std::vector<PlacedText>& placed) {
    std::vector<std::string> texts;
    for (const PlacedText& text : placed) {
        texts.push_back(text.text);
    }
    return texts;
}

// An axis of `vary` stands alone, those of one map of `zip` together.
std::vector<StudyAxes> groups_of(const StudyFile& study) {
    std::vector<StudyAxes> groups;
    for (const StudyAxis& axis : study.vary) {
        groups.push_back({axis});
    }
    groups.insert(groups.end(), study.zip.begin(), study.zip.end());
    return groups;
}

bool starts_with(const std::string& text, const std::string& start) {
    return text.compare(0, start.size(), start) == 0;
}

// `topology.latency.switch` lies at `topology.latency`, and at itself.
bool lies_at(const std::string& path, const std::string& other) {
    return starts_with(path + '.', other + '.');
}

std::optional<std::int64_t> base_number(const std::string& text) {
    std::int64_t number = 0;
    if (parse_whole(text, number)) {
        return number;
    }
    for (const UnitTable* units : {&time_units(), &rate_units(), &size_units(), &flit_units(), &length_units()}) {
        const Quantity quantity = parse_quantity(text, *units);
        if (quantity.form == Quantity::Form::good) {
            return quantity.value;
        }
    }
    return std::nullopt;
}

bool is_number(const std::string& step) {
    return !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
}

// With 0 for every number that stands between dots.
std::string first_items(const std::string& name) {
    std::string text;
    std::size_t from = 0;
    for (std::size_t dot = 0; dot != std::string::npos; from = dot + 1) {
        dot = name.find('.', from);
        const std::string step = name.substr(from, dot == std::string::npos ? dot : dot - from);
        text += (from == 0 ? "" : ".") + (is_number(step) ? "0" : step);
    }
    return text;
}

// Up to `most_points` + 1.
std::size_t count_points(const StudyFile& file, const std::vector<StudyAxes>& groups) {
    std::size_t count = 1;
    const auto times = [&count](std::size_t factor) { count = std::min(count * factor, most_points + 1); };
    times(file.topologies.size());
    times(file.workloads.size());
    times(file.modes.size());
    for (const StudyAxes& group : groups) {
        times(group.front().values.size());
    }
    return count;
}

// The next combination, the last index fastest. False: there is none.
bool advance(std::vector<std::size_t>& indices, const std::vector<std::size_t>& sizes) {
    for (std::size_t i = indices.size(); i-- > 0;) {
        if (++indices[i] < sizes[i]) {
            return true;
        }
        indices[i] = 0;
    }
    return false;
}

std::vector<std::string> keys_of_study() {
    std::vector<std::string> keys;
    for (const FieldInfo& info : infos_of(study_fields())) {
        keys.push_back(info.key);
    }
    return keys;
}

}  // namespace

Study::Study(const StudyInputs& inputs, const Planner& planner) : plans_(planner) {
    read_file(inputs, sources_);
    sources_.raise_any();
    read_inputs(inputs, sources_);
    check_points(sources_);
    sources_.raise_any();
}

void Study::read_file(const StudyInputs& inputs, Problems& problems) {
    InputTree tree = parse_input(inputs.study, problems);
    files_.push_back(inputs.study);
    const std::vector<NamedTree> trees{{"study", tree.parsed ? &tree.root : nullptr, keys_of_study()}};
    for (const Override& override : inputs.overrides) {
        const bool of_study = starts_with(override.path, "study.");
        const std::optional<Change> change = of_study ? change_of(override, problems) : std::nullopt;
        if (change) {
            apply_change(*change, trees, problems);
        }
    }
    if (!tree.parsed) {
        return;
    }
    const StudyFile file = read_study(tree.root, problems);
    topologies_ = texts_of(file.topologies);
    workloads_ = texts_of(file.workloads);
    record_ = texts_of(file.record);
    modes_ = file.modes;
    groups_ = groups_of(file);
    text_ = canonical_json(write_fields(study_fields(), file));
    for (const StudyAxes& axes : groups_) {
        for (const StudyAxis& axis : axes) {
            parameters_.push_back(axis.path.text);
        }
    }
    check_record(file, problems);
    if (problems.size() > 0) {
        return;
    }
    if (count_points(file, groups_) > most_points) {
        problems.add(*tree.source, "more than " + std::to_string(most_points) + " points; split the study");
    } else {
        cross(file);
    }
}

void Study::check_record(const StudyFile& file, Problems& problems) const {
    std::vector<std::string> names = value_names();
    names.insert(names.end(), cost_names().begin(), cost_names().end());
    for (const PlacedText& name : file.record) {
        if (!contains(names, first_items(name.text))) {
            const std::string near = nearest(name.text, names);
            problems.add(name.place, quote(name.text) + " is no result" +
                                         (near.empty() ? "; `simlette run --json` shows all, such as `completion_ps`"
                                                       : "; did you mean " + quote(near) + "?"));
        }
    }
}

// Without hashes: what a point resolves to is not known yet.
void Study::cross(const StudyFile& file) {
    std::vector<std::size_t> sizes{file.topologies.size(), file.workloads.size(), file.modes.size()};
    for (const StudyAxes& group : groups_) {
        sizes.push_back(group.front().values.size());
    }
    std::vector<std::size_t> indices(sizes.size(), 0);
    do {
        points_.push_back({indices[0], indices[1], modes_[indices[2]], {indices.begin() + 3, indices.end()}, "", ""});
    } while (advance(indices, sizes));
}

// Reads every file once.
void Study::read_inputs(const StudyInputs& inputs, Problems& problems) {
    const auto read = [&](const std::vector<std::string>& files, std::vector<InputTree>& trees) {
        for (const std::string& file : files) {
            files_.push_back(beside(inputs.study, file));
            trees.push_back(parse_input(files_.back(), problems));
        }
    };
    read(topologies_, topology_trees_);
    read(workloads_, workload_trees_);
    for (const Override& override : inputs.overrides) {
        if (!starts_with(override.path, "study.")) {
            fix(change_of(override, problems), problems);
        }
    }
    if (inputs.seed) {
        fix(seed_change(*inputs.seed, problems), problems);
    }
}

void Study::fix(const std::optional<Change>& change, Problems& problems) {
    for (const std::string& path : parameters_) {
        if (change && lies_at(change->path, path)) {
            problems.add(change->place, "the study varies " + quote(path));
            return;
        }
    }
    if (change) {
        fixed_.push_back(*change);
    }
}

InputTrees Study::changed(const StudyPoint& point, Problems& problems) const {
    InputTrees trees{topology_trees_[point.topology], workload_trees_[point.workload]};
    const std::vector<NamedTree> named = named_trees(trees);
    for (const Change& change : fixed_) {
        apply_change(change, named, problems);
    }
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        for (const StudyAxis& axis : groups_[group]) {
            apply_change({axis.path.text, axis.path.place, axis.values[point.choices[group]]}, named, problems);
        }
    }
    return trees;
}

// The values that a point gives to its topology.
std::string Study::note(const StudyPoint& point) const {
    std::string text;
    const std::vector<ParameterValue> given = values(point);
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (starts_with(parameters_[i], "topology.")) {
            text += (text.empty() ? " (at " : ", ") + parameters_[i] + " = " + given[i].text;
        }
    }
    return text.empty() ? text : text + ')';
}

void Study::check_points(Problems& problems) {
    FabricChecks checks;
    for (StudyPoint& point : points_) {
        Problems own;
        checks.note = note(point);
        const LoadedRun run = resolve(changed(point, own), named_files_, plans_, &checks, own);
        problems.add_new(own);
        if (problems.full()) {
            return;
        }
        point.configuration_hash = run.configuration_hash;
        point.run = hex_text(fnv1a(run.configuration + '\n' + std::string(name_of(point.mode))));
    }
    for (const Source* source : named_files_.sources()) {
        files_.push_back(source->name);
    }
}

std::vector<ParameterValue> Study::values(const StudyPoint& point) const {
    std::vector<ParameterValue> values;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        for (const StudyAxis& axis : groups_[group]) {
            const std::string text = value_text(axis.values[point.choices[group]]);
            values.push_back({text, base_number(text)});
        }
    }
    return values;
}

// Files are named as the study names them: results do not depend on the folder that it is started in.
RunInputs Study::inputs(const StudyPoint& point) const {
    return {topologies_[point.topology], workloads_[point.workload], {}, {}};
}

LoadedRun Study::load(const StudyPoint& point) const {
    Problems problems;
    LoadedRun run = resolve(changed(point, problems), named_files_, plans_, nullptr, problems);
    problems.raise_any();
    return run;
}

}  // namespace simlette
