#!/usr/bin/env bash
# rooms.sh: draws rooms.svg again: which room of the engine includes which, from the #include lines.
# Arrows that follow from others are left out. Needs dot and tred (package graphviz).
set -euo pipefail
images=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$images/../../engine"
{
  echo 'digraph rooms {'
  echo 'ranksep = 0.4; nodesep = 0.25; bgcolor = white;'
  echo 'node [shape = box, style = "rounded,filled", fillcolor = "#eef3fa", color = "#5b7db1",'
  echo '  fontname = "sans-serif", fontsize = 12]; edge [color = "#5b7db1", arrowsize = 0.7];'
  grep -rhoE --include='*.hpp' --include='*.cpp' --include='*.h' -H '#include "torsor/[a-z]+/' . |
    sed -E 's|^\./([a-z]+)/.*"torsor/([a-z]+)/|\1 -> \2|' | sort -u | awk '$1 != $3 { print $0 ";" }'
  echo '}'
} | tred | dot -Tsvg -o "$images/rooms.svg"
