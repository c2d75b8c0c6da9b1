#!/usr/bin/env bash
# mutation_test.sh TABLE SOURCE BUILD COMPILER: checks that tests detect faults in a solver
# (solver.sh) or in a room of the engine (room.sh).
#
# TABLE is NAME.mutations: mutations of the files of that solver or room, in blocks separated by
# empty lines. A block has a title, the text to remove after "- " and its replacement after "+ ".
# The text must occur exactly once in these files. Each mutation is built and tested alone. Prints
# the tests that fail. Exits with 1 if a mutation fails no test, if a text does not occur once, or
# if the unchanged code fails.
set -euo pipefail
(($# == 4)) || { echo "usage: mutation_test.sh TABLE SOURCE BUILD COMPILER" >&2; exit 1; }
table=$1 source=$2 build=$3 compiler=$4
name=$(basename "$table" .mutations)
[[ -e $table ]] || { echo "$table: not there" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [[ -d $source/plugins/solvers/$name ]]; then kind=solver; else kind=room; fi
# shellcheck source=solver.sh source=room.sh
. "$(dirname "$0")/$kind.sh" # sets files and test_command, defines compile() and run_tests()

failing_tests() { # Prints the failing tests, one per line; "stopped in TEST" after a crash or a hang.
  local status=0
  run_tests >"$scratch/log" 2>&1 || status=$?
  sed -nE 's/^\[  FAILED  \] ([^ ,]+),? .*\([0-9]+ ms\)$/\1/p' "$scratch/log"
  if ((status > 1)); then
    sed -nE 's/^\[ RUN      \] (.*)/stopped in \1/p' "$scratch/log" | tail -1
  fi
}

compile
if [[ -n $(failing_tests) ]] || ! grep -q '^\[  PASSED  \] [1-9]' "$scratch/log"; then
  echo "$name does not pass its tests without mutations: run $test_command" >&2
  exit 1
fi

bad=0 total=0
mutate() { # TITLE FROM TO
  local file found="" count=0 text before after tests
  total=$((total + 1))
  for file in "${files[@]}"; do
    text=$(<"$file")
    after=$text
    while [[ $after == *"$2"* ]]; do
      count=$((count + 1)) found=$file
      after=${after#*"$2"}
    done
  done
  if ((count != 1)); then
    echo "STALE     $1: the text occurs $count times, not once: $2"
    bad=$((bad + 1))
    return
  fi
  text=$(<"$found")
  cp "$found" "$scratch/original"
  before=${text%%"$2"*} after=${text#*"$2"}
  printf '%s\n' "$before$3$after" >"$found"
  if ! compile "$found" >"$scratch/errors" 2>&1; then
    echo "BROKEN    $1: does not compile: $(grep -m1 error "$scratch/errors")"
    bad=$((bad + 1))
  elif tests=$(failing_tests) && [[ -z $tests ]]; then
    echo "SURVIVED  $1"
    bad=$((bad + 1))
  else
    # Prints one test of each suite, without the names of the robots: PREFIX/SUITE.TEST/ROBOT.
    echo "caught    $1: $(wc -l <<<"$tests") tests," \
      "$(sed -E 's/[^ /]*\/([^/]*)\/.*/\1/' <<<"$tests" | awk -F. '!seen[$1]++' | head -4 | paste -sd' ')"
  fi
  cp "$scratch/original" "$found"
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
echo "$name: $((total - bad)) of $total mutations caught"
((bad == 0 && total > 0))
