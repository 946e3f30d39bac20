#!/bin/bash
# Formats every C++ file of the tree. With --check it changes nothing and fails on a difference.
set -euo pipefail
cd "$(dirname "$0")/../.."
action=(-i)
if [[ "${1-}" == --check ]]; then
    action=(--dry-run -Werror)
fi
find libsimlette apps tests bench \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' \) -print0 | sort -z |
    xargs -0 -r clang-format "${action[@]}"
