#!/bin/bash
# Builds and runs the two small programs as a user of the library would, in one of several ways.
# Usage: consume.sh install|headers|find_package|pkg_config|add_subdirectory BUILD GENERATOR COMPILER [FLAGS]
set -euo pipefail
way=$1 build=$2 generator=$3 compiler=$4
read -ra flags <<<"${5-}"
here=$(cd "$(dirname "$0")" && pwd)
prefix=$build/consumer/prefix
work=$build/consumer/$way

# 245 + 10 + 300 + 10 + 245 ns of latency, and the flit of 640 bytes written twice at 400 Gb/s.
expect_one_flit() {
    local said
    said=$("$@")
    echo "$said"
    [[ "$said" =~ ^simlette\ [0-9.]+:\ 835600\ ps$ ]]
}

run_programs() {
    expect_one_flit "$work/core"
    expect_one_flit "$work/study" "$here/pair.yaml" "$here/one-flit.yaml"
}

build_by_cmake() {
    cmake -S "$here/$way" -B "$work" -G "$generator" -D CMAKE_CXX_COMPILER="$compiler" \
        -D CMAKE_CXX_FLAGS="${flags[*]}" "$@"
    cmake --build "$work"
    run_programs
}

rm -rf "$work"
mkdir -p "$work"
case $way in
install)
    rm -rf "$prefix"
    cmake --install "$build" --prefix "$prefix"
    if [[ -e "$prefix/bin/simlette" ]]; then
        "$prefix/bin/simlette" --help >/dev/null
    fi
    ;;
headers)
    # Each alone, as C++17, with no other include path.
    cd "$prefix/include"
    find simlette -name '*.h*' | sort | while read -r header; do
        echo "$header"
        echo "#include <$header>" |
            "$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I. -x c++ -
    done
    ;;
find_package)
    build_by_cmake -D CMAKE_PREFIX_PATH="$prefix"
    ;;
add_subdirectory)
    build_by_cmake
    ;;
pkg_config)
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name simlette.pc)")
    export PKG_CONFIG_PATH
    read -ra compile_flags <<<"$(pkg-config --cflags simlette)"
    read -ra link_flags <<<"$(pkg-config --libs simlette)"
    for program in core study; do
        "$compiler" -std=c++17 "${flags[@]}" "${compile_flags[@]}" "$here/$program.cpp" -o "$work/$program" \
            "${link_flags[@]}" -Wl,-rpath,"$(pkg-config --variable=libdir simlette)"
    done
    run_programs
    ;;
*)
    echo "consume.sh: unknown way '$way'" >&2
    exit 2
    ;;
esac
