#!/usr/bin/env bash
# window_test.sh CASES CASE BUILD ROOT PICTURES: runs a case of the file CASES. The editor has a
# real window, under Xvfb with Mesa, and gets mouse and key events from xdotool. Stores pictures in
# PICTURES.
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
# Mesa leaks a few blocks when it is unloaded. The tests without a window check the editor for
# leaks.
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

# wait_for WHAT COMMAND...: repeats the command until it succeeds. Fails after 300 attempts.
wait_for() {
  local k
  for ((k = 0; k < 300; ++k)); do
    "${@:2}" && return
    sleep 0.1
  done
  fail "timed out waiting for $1" "$(cat "$scratch/out" "$scratch/err")"
  exit 1
}

# Use a display that no other running test uses.
export DISPLAY=:$((1000 + $$ % 30000))
: >"$scratch/out" >"$scratch/err"
Xvfb "$DISPLAY" -screen 0 2560x1440x24 -nolisten tcp -noreset >"$scratch/xvfb" 2>&1 &
xvfb=$!
wait_for "Xvfb" xdotool getmouselocation >/dev/null 2>&1

# edit ARGUMENTS...: runs the editor until it closes; its output is in out and err, its exit status
# in status.
edit() {
  timeout 120 "$torsor" edit "$@" >"$scratch/out" 2>"$scratch/err"
  status=$?
  out=$(cat "$scratch/out") err=$(cat "$scratch/err")
}
actions() { # LINES: writes a file of actions
  printf '%s\n' "$@" >"$scratch/actions"
}
states() { sed -n 's/.*, state \([0-9a-f]*\),.*/\1/p' <<<"$out"; } # prints the printed hashes, one per line

# open ARGUMENTS...: starts the editor in the background and waits until its scene is loaded.
open() {
  "$torsor" edit "$@" >"$scratch/out" 2>"$scratch/err" &
  pid=$!
  wait_for "the window" shows_window
  wait_for "the scene" shows_scene
}
shows_window() { window=$(xdotool search --pid "$pid" --name Torsor 2>/dev/null | tail -1) && [[ -n $window ]]; }
shows_scene() {
  xdotool mousemove --window "$window" 640 745 # keys go to the window under the pointer
  ask F12 50
}
key() { xdotool key "$@"; }
# Closes the window as a user does.
close_window() {
  xdotool key ctrl+q
  wait_for "the end" ended_or_discards
  wait "$pid"
  expect "status at the end" 0 $?
  pid=''
}
ended() { ! kill -0 "$pid" 2>/dev/null; }
ended_or_discards() { ended || { xdotool key d && ended; }; } # d discards unsaved work

# ask [KEY [TRIES]]: presses F12 (or KEY: "i" while Ctrl is down) and waits until the window prints
# its state and problems. They are in `said`, and the line of the state is in `line`. The window
# handles input in order. Its answer means that it has handled all keys and mouse buttons that were
# pressed before.
ask() {
  local printed
  printed=$(wc -c <"$scratch/out")
  xdotool key "${1:-F12}"
  wait_for_answer "$printed" "${2:-1500}"
}
wait_for_answer() { # BYTES-PRINTED-BEFORE TRIES
  local k
  for ((k = 0; k < $2; ++k)); do
    said=$(tail -c "+$(($1 + 1))" "$scratch/out")
    line=$(grep '^t = .* selected ' <<<"$said" | tail -1) && [[ -n $line ]] && return
    sleep 0.02
  done
  return 1
}
# frame [KEY]: waits until the window has drawn a frame after all input so far.
frame() { ask "${1:-F12}" || { fail "the window does not answer" "$(cat "$scratch/out" "$scratch/err")" && exit 1; }; }
frames() { # COUNT
  local k
  for ((k = 0; k < $1; ++k)); do frame; done
}
prints() { ask && [[ $said == *"$1"* ]]; } # TEXT
is_at_rest() { ask && [[ $line != *", playing"* && $line != *", busy"* ]]; }
is_past() { ask "${2:-F12}" && [[ $(step_of "$line") -gt $1 ]]; } # STEP [KEY]
step_of() { sed 's/.* step \([0-9]*\),.*/\1/' <<<"$1"; }
# look: waits until all commands are done and the run is paused. Sets line, step and hash.
look() {
  wait_for "the window to be at rest" is_at_rest
  step=$(step_of "$line")
  hash=${line#*state } hash=${hash%%,*}
}
point() { # X Y
  xdotool mousemove --window "$window" "$1" "$2"
  frame
}
click() { # X Y
  point "$1" "$2"
  xdotool mousedown 1
  frame
  xdotool mouseup 1
  frame
}
drag() { # X Y X Y
  local k
  point "$1" "$2"
  xdotool mousedown 1
  frame
  for k in 1 2 3 4; do point $(($1 + ($3 - $1) * k / 4)) $(($2 + ($4 - $2) * k / 4)); done
  xdotool mouseup 1
  frame
}

run_hash() { # SECONDS [ARGUMENTS]: prints the hash of the state at that time, as `torsor run` computes it
  "$torsor" run "$scene" --duration "$1" --folder "$scratch/run" --format csv "${@:2}" >/dev/null &&
    sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$scratch/run/$(basename "$scene" .lua).json"
}

png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $1*16777216+$2*65536+$3*256+$4 "x" $5*16777216+$6*65536+$7*256+$8 }'; }

scene=scenes/iiwa_free_swing.lua
iiwa() { printf '%s\n' '0 time.go 1.2' '0 scene.select joint joint4'; }

# shellcheck source=/dev/null
source "$1"
"$2"
exit "$failures"
