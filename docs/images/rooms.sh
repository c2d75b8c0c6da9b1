#!/usr/bin/env bash
# rooms.sh: draws rooms.svg again: which room of the engine includes which, from the #include lines.
# The folders of scripting/ and cli/ are rooms of their own. "cli" stands for cli/main.cpp.
# Arrows that follow from others are left out. Needs dot and tred (package graphviz).
set -euo pipefail
images=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$images/../../engine"
room='(scripting/[a-z]+|cli/[a-z]+|[a-z]+)'
{
  echo 'digraph rooms {'
  echo 'ranksep = 0.4; nodesep = 0.25; bgcolor = white;'
  echo 'node [shape = box, style = "rounded,filled", fillcolor = "#eef3fa", color = "#5b7db1",'
  echo '  fontname = "sans-serif", fontsize = 12]; edge [color = "#5b7db1", arrowsize = 0.7];'
  grep -rhoE --include='*.hpp' --include='*.cpp' --include='*.h' -H '#include "torsor/[^"]+/' . |
    sed -E "s,^\./$room/.*\"torsor/$room/.*,\"\1\" -> \"\2\"," |
    sort -u | awk '$1 != $3 { print $0 ";" }'
  echo '}'
} | tred | dot -Tsvg -o "$images/rooms.svg"
