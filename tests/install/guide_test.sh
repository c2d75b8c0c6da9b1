#!/usr/bin/env bash
# guide_test.sh README: runs the commands of the section "A solver in ten minutes". Inserts the
# first block of C++ of this section after the line of my_solver.cpp that requests work memory.
# Inserts the second block at the end of the struct.
set -euo pipefail
guide=$(awk '/^## / { inside = $0 == "## A solver in ten minutes" } inside' "$1")
commands=0 blocks=0

insert() { # BLOCK
  if [[ $1 == 1 ]]; then
    sed -i '/sizes.work_doubles = /r block' my_solver.cpp
  else
    sed -i -e '/^};$/{e echo; cat block' -e '}' my_solver.cpp
  fi
}

while IFS= read -r line; do
  case $line in
    '```cpp') : >block && fence=open ;;
    '```') insert $((++blocks)) && fence= ;;
    '    '*)
      if [[ -n ${fence:-} ]]; then
        printf '%s\n' "$line" >>block
        continue
      fi
      command=${line#    }
      printf '+ %s\n' "$command"
      eval "$command" </dev/null || { echo "failed: $command" && exit 1; }
      ((++commands))
      ;;
    *) if [[ -n ${fence:-} ]]; then printf '%s\n' "$line" >>block; fi ;;
  esac
done <<<"$guide"
echo "$commands commands and $blocks changes"
[[ $commands -ge 20 && $blocks == 2 ]]
