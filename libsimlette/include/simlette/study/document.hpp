// Bytes become a tree of values with places. YAML without anchors, aliases, merge keys, tags and complex keys.
#pragma once

#include <string>

#include <simlette/study/node.hpp>
#include <simlette/study/problems.hpp>

namespace simlette {

// Reads the file that `source` is named after into source.text. False: `problems` says why not.
bool read_bytes(Source& source, Problems& problems);

// Checks that source.text is UTF-8 without control bytes, and drops a byte order mark and carriage returns before
// line feeds. False: `problems` says why not.
bool normalize_text(Source& source, Problems& problems);

// The one document of source.text. False: there is no tree to read; with true there may still be problems, each added.
bool parse_document(const Source& source, Problems& problems, Node& root);

// All three, one after the other.
bool load_document(Source& source, Problems& problems, Node& root);

}  // namespace simlette
