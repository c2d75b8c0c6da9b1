#!/usr/bin/env bash
# mutation_test.sh TABLE SOURCE BUILD COMPILER: checks that the conformance suite detects faults in
# a solver.
#
# TABLE is SOLVER.mutations: mutations of plugins/solvers/SOLVER/ and of the headers of engine/sdk/,
# in blocks separated by empty lines. A block has a title, the text to remove after "- " and its
# replacement after "+ ". The text must occur exactly once in these files. Each mutation is built
# alone, into a folder with the other plugins of this build. The conformance tests of that solver
# and of traces run with that folder. Prints the tests that fail. Exits with 1 if a mutation fails
# no test, if a text does not occur once, or if the unchanged solver fails.
set -euo pipefail
(($# == 4)) || { echo "usage: mutation_test.sh TABLE SOURCE BUILD COMPILER" >&2; exit 1; }
table=$1 source=$2 build=$3 compiler=$4
solver=$(basename "$table" .mutations)
for needed in "$table" "$source/plugins/solvers/$solver/" "$build/lib/torsor/plugins/$solver.so"; do
  [[ -e $needed ]] || { echo "$needed: not there" >&2; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/plugins"
cp "$build"/lib/torsor/plugins/*.so "$scratch/plugins"
cp -r "$source/plugins/solvers/$solver" "$scratch/$solver"
mkdir -p "$scratch/include/torsor"
cp -r "$source"/engine/{sdk,spatial} "$scratch/include/torsor"

compile() { # Replaces the plugin by one from the scratch sources.
  rm "$scratch/plugins/$solver.so"
  "$compiler" -std=c++20 -O1 -w -shared -fPIC -fvisibility=hidden -fno-gnu-unique -I "$scratch/include" \
    "$scratch/$solver"/*.cpp -o "$scratch/plugins/$solver.so"
}
failing_tests() { # Prints the failing tests of this solver, one per line; "stopped in TEST" after a crash or a hang.
  local status=0
  TORSOR_TEST_PLUGINS=$scratch/plugins timeout 120 "$build/bin/conformance_tests" --gtest_filter="*$solver*:*Trace*" \
    >"$scratch/log" 2>&1 || status=$?
  sed -nE 's/^\[  FAILED  \] ([^ ,]+),? .*\([0-9]+ ms\)$/\1/p' "$scratch/log"
  if ((status > 1)); then
    sed -nE 's/^\[ RUN      \] (.*)/stopped in \1/p' "$scratch/log" | tail -1
  fi
}

compile
if [[ -n $(failing_tests) ]] || ! grep -q '^\[  PASSED  \] [1-9]' "$scratch/log"; then
  echo "$solver does not pass its tests unharmed: run conformance_tests --gtest_filter='*$solver*'" >&2
  exit 1
fi

bad=0 total=0
mutate() { # TITLE FROM TO
  local file found="" count=0 text before after tests
  total=$((total + 1))
  for file in "$scratch/$solver"/* "$scratch"/include/torsor/sdk/{,ext/}*.h*; do
    text=$(<"$file")
    after=$text
    while [[ $after == *"$2"* ]]; do
      count=$((count + 1)) found=$file
      after=${after#*"$2"}
    done
  done
  if ((count != 1)); then
    echo "STALE     $1: the text stands $count times in plugins/solvers/$solver and engine/sdk, not once: $2"
    bad=$((bad + 1))
    return
  fi
  text=$(<"$found")
  cp "$found" "$scratch/unharmed"
  before=${text%%"$2"*} after=${text#*"$2"}
  printf '%s\n' "$before$3$after" >"$found"
  if ! compile 2>"$scratch/errors"; then
    echo "BROKEN    $1: does not compile: $(grep -m1 error "$scratch/errors")"
    bad=$((bad + 1))
    cp "$build/lib/torsor/plugins/$solver.so" "$scratch/plugins/"
  elif tests=$(failing_tests) && [[ -z $tests ]]; then
    echo "SURVIVED  $1"
    bad=$((bad + 1))
  else
    # Prints one test of each suite, without the names of the robots: PREFIX/SUITE.TEST/ROBOT.
    echo "caught    $1: $(wc -l <<<"$tests") tests," \
      "$(sed -E 's/[^ /]*\/([^/]*)\/.*/\1/' <<<"$tests" | awk -F. '!seen[$1]++' | head -4 | paste -sd' ')"
  fi
  cp "$scratch/unharmed" "$found"
}

title="" from="" to="" lines=0 number=0
finish_block() {
  if ((lines == 0)); then return; fi
  if [[ $lines != 3 || -z $title || -z $from || -z $to ]]; then
    echo "$table:$number: the block that ends here is not a title, a line '- TEXT' and a line '+ TEXT'" >&2
    exit 1
  fi
  mutate "$title" "$from" "$to"
  title="" from="" to="" lines=0
}
while IFS= read -r line || [[ -n $line ]]; do
  number=$((number + 1))
  case $line in
    "#"*) continue ;;
    "") finish_block && continue ;;
    "- "*) from=${line#- } ;;
    "+ "*) to=${line#+ } ;;
    *) title=$line ;;
  esac
  lines=$((lines + 1))
done <"$table"
finish_block
echo "$solver: $((total - bad)) of $total mutations caught"
((bad == 0 && total > 0))
