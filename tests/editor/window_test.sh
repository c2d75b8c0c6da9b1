#!/usr/bin/env bash
# window_test.sh CASE BUILD ROOT PICTURES: the editor in a real window, under Xvfb with Mesa, with mouse and keys from
# xdotool. Pictures that it makes are kept in PICTURES, to be looked at.
# shellcheck disable=SC2317
set -uo pipefail

torsor=$2/bin/torsor root=$3 pictures=$4
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

# --- cases -----------------------------------------------------------------------------------------------

test_pictures() {
  local size theme scale name
  actions "$(iiwa)"
  for name in 1280x800.dark.1 1280x800.light.1 2560x1440.dark.1 2560x1440.light.2; do
    IFS=. read -r size theme scale <<<"$name"
    edit "$scene" --actions "$scratch/actions" --screenshot "$pictures/iiwa.$name.png" --size "$size" --theme "$theme" --scale "$scale"
    expect "status of $name" 0 "$status"
    expect "errors of $name" '' "$err"
    expect "size of $name" "$size" "$(png_size "$pictures/iiwa.$name.png")"
    # A window that shows nothing packs into very little.
    [[ $(stat -c %s "$pictures/iiwa.$name.png") -gt 40000 ]] || fail "$name is empty"
  done
}

test_every_scene_is_drawn() {
  local file
  for file in scenes/*.lua scenes/*.urdf scripts/robots/scara.lua; do
    actions '0 time.go 0.5' '0 view.toggle frames on' '0 view.toggle inertia on' '0 view.toggle labels on'
    edit "$file" --actions "$scratch/actions" --screenshot "$pictures/${file//\//.}.png" --size 640x400
    expect "status of $file" 0 "$status"
    expect "errors of $file" '' "$err"
  done
}

test_joints_are_inspected() {
  local name joint time
  while read -r name joint time; do
    actions "0 time.go $time" "0 scene.select joint $joint"
    edit "scenes/$name.lua" --actions "$scratch/actions" --screenshot "$pictures/joint.$name.png"
    expect "status of $name" 0 "$status"
    expect "errors of $name" '' "$err"
  done <<<'elastic_arm joint1 0.5
stiction rail 1.9
dropped_ball turn 0.5
tumbling_body free 3'
}

test_play_scrub_back_play_on() {
  actions '0 time.speed 8' '0 time.play' '0.3 time.pause' '0.3 time.go 0.25' '0.3 scene.print' '0.3 time.play' '0.7 time.pause' \
    '0.7 time.go 1.5' '0.7 scene.print' '0.7 time.step_back' '0.7 time.step_back' '0.7 time.step 2' '0.7 scene.print' \
    '0.7 time.reset' '0.7 time.go 5' '0.7 scene.print' '0.7 window.quit'
  edit "$scene" --actions "$scratch/actions"
  expect status 0 "$status"
  local half full
  half=$(run_hash 1.5)
  full=$(run_hash 5)
  expect "states as run has them" "$(run_hash 0.25)"$'\n'"$half"$'\n'"$half"$'\n'"$full" "$(states)"
}

test_recording_is_that_of_run() {
  actions '0 time.speed 4' '0 time.play' '0.4 time.pause' '0.4 time.go 0.1' '0.4 time.play' '0.6 time.pause' \
    "0.6 scene.record $scratch/edit" '0.6 window.quit'
  edit "$scene" --actions "$scratch/actions"
  expect status 0 "$status"
  "$torsor" run "$scene" --out "$scratch/run" >/dev/null
  cmp "$scratch/run/iiwa_free_swing.h5" "$scratch/edit/iiwa_free_swing.h5" || fail "the recording differs"
}

test_solver_changes_in_mid_run() {
  actions '0 time.go 0.4' '0 scene.print' '0 solver.choose newton_euler' '0 scene.print' '0 time.go 0.8' '0 scene.print' \
    '0 solver.choose lie_group' '0 time.play' '0.2 solver.choose lagrange_christoffel' '0.5 time.pause' '0.5 time.go 0.2' \
    '0.5 time.go 0.8' '0.5 scene.print' '0.5 window.quit'
  edit "$scene" --actions "$scratch/actions"
  expect status 0 "$status"
  readarray -t state < <(states)
  expect "states printed" 4 "${#state[@]}"
  expect "state at the change" "${state[0]}" "${state[1]}"
  expect "state before the change" "$(run_hash 0.4)" "${state[0]}"
  expect "the same time scrubbed to again" "${state[2]}" "${state[3]}"
  expect_not "state by another solver" "$(run_hash 0.8)" "${state[2]}" # they round differently
  expect_in "solver at 0.8 s" "solver lie_group" "$(tail -1 <<<"$out")"
}

test_mouse_and_keys() {
  open "$scene"
  look
  expect "step at first" 0 "$step"
  click 95 754 # play
  sleep 0.7
  click 95 754 # pause
  look
  [[ $step -gt 0 ]] || fail "the play button plays nothing"
  local played=$step at=$hash
  key Right Right Right
  look
  expect "steps forward" $((played + 3)) "$step"
  key Left Left Left
  look
  expect "state after stepping there and back" "$at" "$hash"
  drag 300 781 640 781 # the time line
  look
  [[ $step -gt 2300 && $step -lt 2700 ]] || fail "the time line went to step $step"
  expect "state scrubbed to" "$(run_hash "$(awk "BEGIN { print $step / 1000 }")")" "$hash"
  key BackSpace
  look
  expect "step after the reset" 0 "$step"
  key space
  sleep 0.5
  key space
  look
  [[ $step -gt 0 ]] || fail "the space bar plays nothing"
  key F1
  sleep 0.5
  close_window
}

test_clicks_select() {
  open "$scene"
  look
  expect_in "at first" "selected none" "$line"
  click 60 186 # a row of the tree
  look
  expect_in "a row of the tree" "selected link link3" "$line"
  click 613 300 # the column, in the view
  look
  expect_in "a link in the view" "selected link link1" "$line"
  drag 700 380 760 380 # turns the camera
  look
  expect_in "after a drag" "selected link link1" "$line"
  click 880 90 # the sky
  look
  expect_in "the sky" "selected none" "$line"
}

test_sliders() {
  open "$scene"
  look
  local before=$hash
  drag 200 583 230 583 # position of the first joint, in the inspector
  look
  expect_not "state after the drag" "$before" "$hash"
  local dragged=$hash
  key ctrl+z
  look
  expect "state after one undo" "$before" "$hash"
  key ctrl+y
  look
  expect "state after redo" "$dragged" "$hash"
  click 122 535 # sliders of velocity
  drag 190 583 250 583
  look
  expect_not "state after the second drag" "$dragged" "$hash"
  key ctrl+z ctrl+z
  look
  expect "state after both were undone" "$before" "$hash"
}

test_reload() {
  local file=$scratch/swing.lua good
  sed 's/duration = 5.0/duration = 2.0/' "$scene" >"$file"
  open "$file"
  good=$(cat "$file")
  printf '%s\n' "${good/articulated_body/articulated_bodi}" >"$file"
  wait_for "the error of a broken scene" prints "'articulated_bodi'"
  expect_in "what goes on" "what was loaded before goes on" "$said"
  printf '%s\n' 'local x = = 1' >"$file"
  wait_for "the error of a broken script" prints "swing.lua:1: "
  look
  expect "step" 0 "$step"
  key Right
  look
  expect "the last good scene still steps" 1 "$step"
  printf '%s\n' "${good/0.3, 0.8/0.1, 0.8}" >"$file"
  wait_for "the mended scene" prints "step 0,"
  look
  expect_not "its start" "$(run_hash 0.001 | head -1)" "$hash"
  printf 'while true do end\n' >"$file"
  wait_for "the end of a script without one" prints "swing.lua:1: "
}

test_killed_and_opened_again() {
  open "$scene"
  drag 200 583 240 583
  key Right Right Right Right Right
  look
  local kept=$hash at=$step
  expect "step before" 5 "$at"
  sleep 1.5 # the journal is written every half second
  kill -KILL "$pid"
  wait "$pid" 2>/dev/null
  open "$scene"
  wait_for "the edits to be made again" prints "state $kept"
  expect_in "what it says" "was not closed: its edits (1) are made again" "$said"
  close_window
  open "$scene"
  look
  expect "step after a window that was closed" 0 "$step"
  expect_not "state after a window that was closed" "$kept" "$hash"
}

test_settings_are_kept() {
  open "$scene"
  key ctrl+equal
  drag 283 400 383 400 # the left column
  close_window
  expect_in "scale" '"scale": 1.125' "$(cat "$XDG_CONFIG_HOME/torsor/editor.json")"
  expect_not "width" 0.2200000 "$(sed -n 's/.*"left": \(.\{9\}\).*/\1/p' "$XDG_CONFIG_HOME/torsor/editor.json")"
  printf '{"theme": 3' >"$XDG_CONFIG_HOME/torsor/editor.json"
  open "$scene"
  look
  expect_in "what it says of broken ones" "these are no settings of the editor" "$said"
}

test_malformed() {
  edit
  expect "status without a scene" 2 "$status"
  expect "error without a scene" "torsor: SCENE is required (see 'torsor edit --help')" "$err"
  edit no_such.lua
  expect "status without the file" 2 "$status"
  expect "error without the file" "torsor: 'no_such.lua' is not there to be read" "$err"
  edit "$scene" --size big
  expect "status of a bad size" 2 "$status"
  expect_in "error of a bad size" "--size: 'big' is not WIDTHxHEIGHT" "$err"
  edit "$scene" --acton x
  expect_in "error of an unknown option" "did you mean '--actions'" "$err"
  actions '0 scene.print' '0 window.quit'
  edit "$scene" --floating-base --actions "$scratch/actions"
  expect_in "what it says of a base in Lua" "problem: --floating-base is for URDF files" "$out"
  actions '0 time.go 1' '1 time.fly 2'
  edit "$scene" --actions "$scratch/actions"
  expect "status of an unknown action" 2 "$status"
  expect_in "error of an unknown action" "actions:2: there is no action 'time.fly'" "$err"
  actions '0 time.go soon'
  edit "$scene" --actions "$scratch/actions"
  expect_in "error of a bad argument" "actions:1: time.go: SECONDS is 'soon'; it must be a finite number" "$err"
  actions 'time.go 1'
  edit "$scene" --actions "$scratch/actions"
  expect_in "error of a line without a time" "actions:1: a line is SECONDS ACTION ARGUMENTS" "$err"
  edit "$scene" --screenshot /proc/no/picture.png
  expect "status of a picture that cannot be written" 2 "$status"
  expect_in "error of it" "the picture '/proc/no/picture.png' cannot be written" "$err"
  printf 'return 3\n' >"$scratch/three.lua"
  actions '0 scene.print' '0 window.quit'
  edit "$scratch/three.lua" --actions "$scratch/actions"
  expect "status of a window that shows what is wrong" 0 "$status"
  expect_in "what it says" "problem: $scratch/three.lua: this file is to return" "$out"
  actions '0 time.play'
  edit "$scratch/three.lua" --actions "$scratch/actions"
  expect_in "error of playing nothing" "actions:1: time.play: no scene is loaded" "$err"
}

test_no_display() {
  DISPLAY='' edit "$scene"
  expect status 2 "$status"
  expect lines 1 "$(wc -l <<<"$err")"
  expect_in error "torsor: the editor needs a display, and there is none" "$err"
  DISPLAY=:4095 edit "$scene"
  expect "status of a wrong display" 2 "$status"
  expect "lines of it" 1 "$(wc -l <<<"$err")"
}

"$1"
exit "$failures"
