#include <simlette/study/load.hpp>

#include "arguments.hpp"
#include "output.hpp"

namespace simlette::program {

int schema_command(const Arguments& arguments) {
    std::string kind;
    CLI::App app("Print the JSON Schema (draft 2020-12) of a file kind, for editors and checks.", "simlette schema");
    app.add_option("KIND", kind, "topology, workload, schedule, plan or study")->type_name("");
    app.footer("Example:\n  simlette schema topology");
    if (!parse(app, arguments, {})) {
        return done;
    }
    if (kind.empty()) {
        refuse("expected a file kind: topology, workload, schedule, plan or study");
    }
    expect_word("file kind", kind, "",
                {{"topology", true}, {"workload", true}, {"schedule", true}, {"plan", true}, {"study", true}});
    print(schema(kind));
    return done;
}

}  // namespace simlette::program
