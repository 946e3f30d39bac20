# Turns a text file into a C++ source: cmake -DINPUT=... -DOUTPUT=... -DFUNCTION=... -DHEADER=... -P embed_text.cmake
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}" "#include <${HEADER}>

namespace simlette {

std::string_view ${FUNCTION}() {
    return R\"embedded(${text})embedded\";
}

}  // namespace simlette
")
