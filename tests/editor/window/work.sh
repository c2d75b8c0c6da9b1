# shellcheck shell=bash disable=SC2154
# Tests of unsaved work, of files that exist already, of Esc, and of windows of any size.

is_closed_by() { # KEY: presses KEY until the window ends
  ended || { xdotool key "$1" && false; }
}
ends_well() {
  wait "$pid"
  expect "status at the end" 0 $?
  pid=''
}
slider_moves() { # at step 5
  key Right Right Right Right Right
  wait_for "the steps" prints "step 5,"
  drag 200 583 240 583
}

test_closing_asks_about_unsaved_work() {
  open "$scene"
  slider_moves
  look
  local edited=$hash
  key ctrl+q space Right # the dialog keeps the last two
  look
  expect "state below the dialog" "$edited" "$hash"
  key Escape Right
  look
  expect "step after Esc" 6 "$step"
  key Left
  look
  expect "state after a step back" "$edited" "$hash"
  key ctrl+q
  wait_for "the end, with the work kept" is_closed_by k
  ends_well
  open "$scene"
  wait_for "the work of the last session" prints "state $edited"
  expect_in "message about the restored work" "restored from the last session: 1 edit" "$said"
  key ctrl+q
  wait_for "the end, with the work discarded" is_closed_by d
  ends_well
  open "$scene"
  look
  expect "step after the work was discarded" 0 "$step"
  close_window
}

test_work_is_saved_as_the_window_closes() {
  cd "$scratch" || exit 1
  open "$root/$scene"
  slider_moves
  key ctrl+q
  wait_for "the end, with a recording" is_closed_by s
  ends_well
  [[ -s recordings/iiwa_free_swing.h5 ]] || fail "there is no recording"
  grep -aq '"edits"' recordings/iiwa_free_swing.h5 || fail "the recording has no edits"
}

test_a_reload_keeps_time_and_edits() {
  local file=$scratch/swing.lua good
  cp "$scene" "$file"
  open "$file"
  slider_moves
  look
  local edited=$hash
  good=$(cat "$file")
  printf '%s\n' "${good/0.3, 0.8/0.1, 0.8}" >"$file"
  wait_for "the reload" prints "reloaded at t = 0.005 s with 1 edit"
  look
  expect "step after the reload" 5 "$step"
  printf '%s\n' "$good" >"$file"
  wait_for "the state of before" prints "state $edited"
  key ctrl+q
  wait_for "the end" is_closed_by d
  ends_well
}

test_files_are_numbered() {
  cd "$scratch" || exit 1
  open "$root/$scene"
  key ctrl+s
  wait_for "the recording" prints "recordings/iiwa_free_swing.h5: recording saved"
  key ctrl+s
  wait_for "the second recording" prints "recordings/iiwa_free_swing-2.h5: recording saved"
  key ctrl+shift+p
  wait_for "the picture" prints "torsor.png: picture saved"
  key ctrl+shift+p
  wait_for "the second picture" prints "torsor-2.png: picture saved"
  close_window
}

test_escape_closes_menus_and_leaves_the_run_alone() {
  open "$scene"
  click 30 10 # the first menu
  key Right
  look
  expect "step below a menu" 0 "$step"
  key Escape Right
  look
  expect "step after Esc" 1 "$step"
  key space
  wait_for "a run that plays" moves_on
  key Escape
  wait_for "a run that plays on after Esc" moves_on
  close_window
}
moves_on() {
  local before
  ask && before=$(step_of "$line") && ask && [[ $(step_of "$line") -gt $before ]]
}

test_small_windows() {
  local size
  for size in 1x1 10x10 39x600 600x39; do
    edit "$scene" --size "$size" --screenshot "$scratch/$size.png"
    expect "status of $size" 0 "$status"
    expect "errors of $size" '' "$err"
    expect "size of the picture" "$size" "$(png_size "$scratch/$size.png")"
  done
  open "$scene"
  xdotool mousemove --window "$window" 0 0 # in the window at any size
  for size in '1 1' '39 600' '600 39' '1280 800'; do
    # shellcheck disable=SC2086
    xdotool windowsize --sync "$window" $size
    key Right
  done
  look
  expect "step after all sizes" 4 "$step"
  close_window
}

# open_breaking HOW: opens a run whose solver breaks from t = 0.05 s on, and plays it.
open_breaking() {
  local plugin=${torsor%/bin/torsor}/tests/host/plugins/breaking.so file=$scratch/hangs.lua
  cat >"$file" <<'END'
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 0, 1} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
local world = torsor.world{}
world:add(arm)
return world:experiment{ solver = "breaking", integrator = { "rk4", dt = 1e-3 }, duration = 10, record = { "arm.q" } }
END
  export BREAK_IN="inverse $1" BREAK_MARKER=$scratch/loops
  open "$file" --plugins "$plugin"
  key space
}
open_run_that_hangs() { # in the threads beside that of the window
  open_breaking loop_beside
  wait_for "the call that hangs" test -e "$scratch/loops"
}
test_a_plugin_that_hangs_is_ended() {
  open_run_that_hangs
  wait_for "the window that restores the run" starts_again
  close_window
}
starts_again() { # by the action of the notice, once there is one; the process stays the same
  shows_window
  ask F12 50 && [[ $said == *"restored from the last session"* ]] && return
  key ctrl+p
  xdotool type "end and reopen"
  key Return Escape
  return 1
}
test_a_window_closes_while_a_plugin_hangs() {
  open_run_that_hangs
  key ctrl+q
  wait_for "the end" ended_or_discards
  wait "$pid"
  expect "status at the end" 3 $?
  pid=''
  expect_in "message about the thread" "the window was closed while" "$(cat "$scratch/err")"
}
test_the_next_window_says_what_ended_the_last() {
  open_breaking segfault
  wait_for "the end" ended
  wait "$pid"
  expect "status at the end" 3 $?
  unset BREAK_IN
  open "$scratch/hangs.lua" --plugins "${torsor%/bin/torsor}/tests/host/plugins/breaking.so"
  wait_for "the report" prints "a fault ended the last window: $scratch/hangs.lua: at t = 0.05 s (step 50): solver 'solver.breaking' crashed in inverse: segmentation fault"
  close_window
}
