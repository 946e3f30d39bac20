// The one exception type of the library, and the places in files that it can point at.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>

namespace simlette {

enum class ErrorKind {
    input,       // a file, an option or an argument of the caller is wrong; nothing was changed
    output,      // a result could not be written
    reentrancy,  // a callback asked for something that only the owner of the simulator may do
    internal,    // a promise of the library was broken: our bug
};

// One thing that is wrong, and where. `line` and `column` count from 1; 0 means that there is none to name.
struct Problem {
    std::string file;  // a path, `--set PATH`, or empty
    int line = 0;
    int column = 0;
    std::string message;  // what is wrong, what was expected, and a hint

    // `file:line:column: message`, `file: message` or `message`.
    SIMLETTE_EXPORT std::string text() const;
};

class SIMLETTE_EXPORT Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& message);
    // Requires: problems is not empty. what() joins them, one a line.
    explicit Error(std::vector<Problem> problems);
    Error(const Error&) = default;
    ~Error() override;

    ErrorKind kind() const noexcept { return kind_; }
    const std::vector<Problem>& problems() const noexcept { return problems_; }

private:
    ErrorKind kind_;
    std::vector<Problem> problems_;
};

}  // namespace simlette
