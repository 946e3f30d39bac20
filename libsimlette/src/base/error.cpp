#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>

namespace simlette {

namespace {

std::string joined(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        if (!text.empty()) {
            text += '\n';
        }
        text += problem.text();
    }
    return text;
}

}  // namespace

std::string Problem::text() const {
    std::string place = file;
    if (line > 0) {
        place += ':' + std::to_string(line) + ':' + std::to_string(column);
    }
    return place.empty() ? message : place + ": " + message;
}

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(message), kind_(kind), problems_{{"", 0, 0, message}} {}

Error::Error(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), kind_(ErrorKind::input), problems_(std::move(problems)) {}

Error::~Error() = default;

void broken_promise(const char* promise) {
    throw Error(ErrorKind::internal, std::string("a promise of the library was broken: ") + promise);
}

}  // namespace simlette
