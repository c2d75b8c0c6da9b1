#!/usr/bin/env bash
# readme_test.sh SOURCE BUILD COMPILER: checks that the first command of README.md prints what
# README.md shows. Then runs the first scene of scenes/README.md with its own solver and with the
# solver of plugins/README.md, and compares the two motions.
set -euo pipefail
source=$1 build=$2 compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

block() { # FILE HEADING LANGUAGE: prints the code blocks of this language below this heading
  awk -v heading="## $2" -v fence="\`\`\`$3" '
    /^## / { section = $0 == heading; inside = 0 }
    inside && $0 == "```" { inside = 0; next }
    inside
    section && $0 == fence { inside = 1 }' "$1"
}
without_numbers() { sed -E 's/-?[0-9][0-9.e+-]*/N/g'; }

# The first command of README.md must print what README.md shows, apart from numbers.
diff <(block "$source/README.md" "Two commands" "" | without_numbers) \
  <("$build/bin/torsor" run "$source/scenes/iiwa_free_swing.lua" | without_numbers)

block "$source/scenes/README.md" "Your first scene" lua >pendulum.lua
block "$source/plugins/README.md" "A complete solver" cpp >short.cpp
[[ -s pendulum.lua && -s short.cpp ]]

"$compiler" -std=c++20 -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -fno-gnu-unique \
  -I "$build/include" short.cpp -o short.so
"$build/bin/torsor" run pendulum.lua
"$build/bin/torsor" run pendulum.lua --plugins short.so --solver short --folder by_short
for run in recordings by_short; do "$build/bin/torsor" convert $run/pendulum.h5 $run/pendulum.csv; done

# Compares the two motions. Values must agree to 1e-6 of the largest value of their column, because
# rounding errors grow along a chaotic motion.
paste -d, <(grep -v '^#' recordings/pendulum.csv) <(grep -v '^#' by_short/pendulum.csv) | awk -F, '
  NR == 1 { columns = NF / 2; next }
  { for (i = 1; i <= columns; ++i) {
      difference = $i - $(i + columns); if (difference < 0) difference = -difference
      size = $i < 0 ? -$i : $i
      if (size > largest[i]) largest[i] = size
      if (difference > worst[i]) worst[i] = difference } }
  END {
    if (NR != 5002) { print "rows: " NR; exit 1 }
    for (i = 2; i <= 5; ++i) if (!(worst[i] <= 1e-6 * largest[i]) || largest[i] == 0) { print "column " i ": " worst[i]; exit 1 }
  }'
