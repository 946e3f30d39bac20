// Results out: to stdout, or to a file that is whole or not there at all.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace simlette::program {

// To stdout. Throws Error{output} if it cannot be written.
void print(const std::string& text);

// The files that a command will write. Checked before anything is computed, written when all is known.
class Outputs {
public:
    // `file` as the user gave it: empty for none, `-` for stdout. `option` names it in messages. Throws Error{input}
    // when two go to one place, Error{output} when the file cannot be written.
    void expect(const std::string& option, const std::string& file);
    bool wanted(const std::string& option) const;
    bool uses_stdout() const;

    // Throws Error{input} if the file of an option is one of these.
    void keep_apart_from(const std::vector<std::string>& inputs) const;

    // Does nothing if the option has no file. Throws Error{output}; what stood in the file before is then still there.
    void write(const std::string& option, const std::string& text) const;

private:
    const std::string* file_of(const std::string& option) const;

    std::vector<std::pair<std::string, std::string>> files_;  // option, file
};

}  // namespace simlette::program
