#!/usr/bin/env bash
# links_test.sh SOURCE: checks that every relative link in a Markdown file leads to an existing
# file. If a link has an anchor, the file must have that heading.
set -euo pipefail
cd "$1"

anchors() { # FILE: prints the anchor of each heading, as GitHub derives it
  awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
    sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g; s/[^a-z0-9 _-]//g; s/ /-/g'
}

declare -A known=() # path of a file: its anchors, one a line
has_anchor() { # FILE ANCHOR
  [[ -v known[$1] ]] || known[$1]=$'\n'$(anchors "$1")$'\n'
  [[ ${known[$1]} == *$'\n'"$2"$'\n'* ]]
}

links=0 broken=0
while IFS= read -r file; do
  while IFS= read -r target; do
    case $target in http://* | https://* | mailto:*) continue ;; esac
    links=$((links + 1))
    path=${target%%#*} anchor=
    [[ $target != *'#'* ]] || anchor=${target#*#}
    if [[ -z $path ]]; then path=$file; else path=${file%/*}/$path; fi
    if [[ ! -e $path ]]; then
      echo "$file: there is no file for the link '$target'"
      broken=$((broken + 1))
    elif [[ -n $anchor ]] && ! has_anchor "$path" "$anchor"; then
      echo "$file: there is no heading for the link '$target'"
      broken=$((broken + 1))
    fi
  done < <(awk '/^```/ { code = !code } !code' "$file" | tr '\n' ' ' | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\(//; s/\)$//')
done < <(find . \( -name build -o -name '.?*' \) -prune -o -name '*.md' -not -path './plugins/templates/*' -print)
echo "$links links, $broken broken"
[[ $broken == 0 && $links -ge 60 ]]
