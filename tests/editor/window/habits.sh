# shellcheck shell=bash disable=SC2154
# Tests of the palette, of Problems and of a viewed recording, with a real mouse and keyboard.

# enter LINE: types the line and Enter. A text field that was just opened accepts keys from its
# third frame on.
enter() {
  frames 3
  xdotool type "$1"
  key Return
  frames 2 # the console's prompt has the keyboard again in the second frame after Return
}

# Presses Ctrl+V as a user does: Ctrl is down for longer than a frame.
paste() {
  frame
  xdotool keydown ctrl
  frame i
  xdotool key v
  frame i
  xdotool keyup ctrl
}

test_palette_and_problems() {
  local file=$scratch/swing.lua good
  sed 's/duration = 5.0/duration = 2.0/' "$scene" >"$file"
  open "$file"
  look
  key ctrl+p
  enter 'stepforwardby10'
  look
  expect "step after a line of the palette" 10 "$step"
  key ctrl+o
  frames 3
  key ctrl+p # replaces the dialog
  enter 'edit.position joint2 0.25'
  look
  expect_not "state after an edit by the palette" "$(run_hash 0.01)" "$hash"
  good=$(cat "$file")
  printf '%s\n%s\n' "$good" 'local x = = 1' >"$file"
  wait_for "the error of a broken script" prints "swing.lua:"
  click 360 586 # its FILE:LINE in Problems, which is in front now, below a note
  key alt+c
  frame
  click 560 719
  xdotool type 'print("copied '
  paste
  enter '")'
  wait_for "what the console prints" grep -q '^copied ' "$scratch/out"
  expect_in "what was copied" "copied $file:$(($(wc -l <<<"$good") + 1))" "$(cat "$scratch/out")"
  click 1100 60 # outside the prompt
  close_window
}

test_recording_is_viewed() {
  "$torsor" run "$scene" --duration 2 --folder "$scratch/run" >/dev/null
  "$torsor" view "$scratch/run/iiwa_free_swing.h5" >"$scratch/out" 2>"$scratch/err" &
  pid=$!
  wait_for "the window" shows_window
  wait_for "the recording" shows_scene
  look
  local first=$hash
  key Down Down Down # an eighth of the speed, so that it does not end meanwhile
  click 95 754       # play
  wait_for "the play button to play" is_past 100
  click 95 754       # pause
  look
  drag 300 781 640 781 # the time line
  look
  [[ $step -gt 900 && $step -lt 1100 ]] || fail "the time line went to step $step"
  key BackSpace
  look
  expect "step after the reset" 0 "$step"
  drag 200 547 230 547 # a slider
  look
  expect "state after a slider was drawn at" "$first" "$hash"
  key ctrl+f
  wait_for "message about a fork" prints "a recording cannot be changed; open its scene to run it"
  close_window
}
