# shellcheck shell=bash disable=SC2154
# Tests of mouse and keys.

test_mouse_and_keys() {
  open "$scene"
  look
  expect "step at first" 0 "$step"
  key Down Down Down # an eighth of the speed, so that the run does not end meanwhile
  click 95 754       # play
  wait_for "the play button to play" is_past 100
  click 95 754       # pause
  look
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
  wait_for "the space bar to play" is_past 100
  key space
  look
  key F1
  frames 3
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
