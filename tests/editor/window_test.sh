#!/usr/bin/env bash
# window_test.sh CASES CASE BUILD ROOT PICTURES: a case of the file CASES, the editor in a real window, under Xvfb with Mesa,
# with mouse and keys from xdotool. Pictures that it makes are kept in PICTURES, to be looked at.
# shellcheck disable=SC2317
set -uo pipefail

torsor=$3/bin/torsor root=$4 pictures=$5
scratch=$(mktemp -d)
window='' pid=''
stop_window() {
  [[ -z $pid ]] || { kill "$pid" && wait "$pid"; } 2>/dev/null
  pid=''
}
trap 'stop_window; kill "$xvfb" 2>/dev/null; rm -rf "$scratch"' EXIT
mkdir -p "$pictures" "$scratch/config" "$scratch/state"
export XDG_CONFIG_HOME=$scratch/config XDG_STATE_HOME=$scratch/state LIBGL_ALWAYS_SOFTWARE=1
unset WAYLAND_DISPLAY
# Mesa leaves a few blocks behind as it is unloaded. For leaks of the editor's own, the tests without a window look.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
cd "$root" || exit 1

failures=0
fail() {
  printf '%s\n' "$@"
  failures=1
}
expect() { # WHAT EXPECTED ACTUAL
  [[ $3 == "$2" ]] || fail "$1" "  expected: $2" "  was:      $3"
}
expect_not() { # WHAT OTHER ACTUAL
  [[ $3 != "$2" ]] || fail "$1" "  should differ from: $2"
}
expect_in() { # WHAT PART TEXT
  [[ $3 == *"$2"* ]] || fail "$1" "  expected to contain: $2" "  was: $3"
}

wait_for() { # WHAT COMMAND...: until it succeeds
  local k
  for ((k = 0; k < 300; ++k)); do
    "${@:2}" && return
    sleep 0.1
  done
  fail "waited in vain for $1" "$(cat "$scratch/out" "$scratch/err")"
  exit 1
}

# A display that no other test that runs now has.
export DISPLAY=:$((1000 + $$ % 30000))
: >"$scratch/out" >"$scratch/err"
Xvfb "$DISPLAY" -screen 0 2560x1440x24 -nolisten tcp -noreset >"$scratch/xvfb" 2>&1 &
xvfb=$!
wait_for "Xvfb" xdotool getmouselocation >/dev/null 2>&1

# edit ARGUMENTS...: the editor until it closes; what it printed is in out and err, its exit status in status.
edit() {
  timeout 120 "$torsor" edit "$@" >"$scratch/out" 2>"$scratch/err"
  status=$?
  out=$(cat "$scratch/out") err=$(cat "$scratch/err")
}
actions() { # LINES: a file of actions
  printf '%s\n' "$@" >"$scratch/actions"
}
states() { sed -n 's/.*, state \([0-9a-f]*\),.*/\1/p' <<<"$out"; } # that were printed, one a line

# open ARGUMENTS...: the editor in the background, with its scene loaded.
open() {
  "$torsor" edit "$@" >"$scratch/out" 2>"$scratch/err" &
  pid=$!
  wait_for "the window" shows_window
  wait_for "the scene" prints "state "
}
shows_window() { window=$(xdotool search --pid "$pid" --name Torsor 2>/dev/null | tail -1) && [[ -n $window ]]; }
key() { xdotool key "$@"; }
# Closes the window as its user does.
close_window() {
  xdotool key ctrl+q
  wait_for "the end" ended
  wait "$pid"
  expect "status at the end" 0 $?
  pid=''
}
ended() { ! kill -0 "$pid" 2>/dev/null; }
# Asks for the state (Ctrl+I) and looks for a text in what is printed from now on.
prints() { # TEXT
  local before
  before=$(wc -c <"$scratch/out")
  xdotool mousemove --window "$window" 640 745 sleep 0.05 key ctrl+i # keys go to the window under the pointer
  sleep 0.3
  said=$(tail -c "+$((before + 1))" "$scratch/out")
  [[ $said == *"$1"* ]]
}
# The state the window stands at: the line, and its fields.
look() {
  wait_for "a state" prints "state "
  line=$(grep '^t = ' <<<"$said" | tail -1)
  step=${line#*step } step=${step%%,*}
  hash=${line#*state } hash=${hash%%,*}
}
click() { # X Y
  xdotool mousemove --window "$window" "$1" "$2" sleep 0.2 mousedown 1 sleep 0.1 mouseup 1 sleep 0.2
}
drag() { # X Y X Y
  local k
  xdotool mousemove --window "$window" "$1" "$2" sleep 0.2 mousedown 1 sleep 0.2
  for k in 1 2 3 4; do
    xdotool mousemove --window "$window" $(($1 + ($3 - $1) * k / 4)) $(($2 + ($4 - $2) * k / 4)) sleep 0.1
  done
  xdotool mouseup 1 sleep 0.3
}

run_hash() { # SECONDS [ARGUMENTS]: state after so long, by `torsor run`
  "$torsor" run "$scene" --duration "$1" --out "$scratch/run" --format csv "${@:2}" >/dev/null &&
    sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$scratch/run/$(basename "$scene" .lua).json"
}

png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $1*16777216+$2*65536+$3*256+$4 "x" $5*16777216+$6*65536+$7*256+$8 }'; }

scene=scenes/iiwa_free_swing.lua
iiwa() { printf '%s\n' '0 time.go 1.2' '0 scene.select joint joint4'; }

# shellcheck source=/dev/null
source "$1"
"$2"
exit "$failures"
