# shellcheck shell=bash disable=SC2154
# The palette, Problems and a viewed recording, with a real mouse and keyboard.

# As a hand does, held down for more than a frame.
enter() { # LINE
  sleep 0.5
  xdotool type --delay 60 "$1"
  xdotool sleep 0.3 keydown Return sleep 0.3 keyup Return sleep 0.3
}

test_palette_and_problems() {
  local file=$scratch/swing.lua good
  sed 's/duration = 5.0/duration = 2.0/' "$scene" >"$file"
  open "$file"
  look
  key ctrl+p
  enter 'tenstepsfo'
  look
  expect "step after a line of the palette" 10 "$step"
  key ctrl+o
  sleep 0.2
  key ctrl+p # takes the place of the other
  enter 'edit.position joint2 0.25'
  look
  expect_not "state after an edit by the palette" "$(run_hash 0.01)" "$hash"
  good=$(cat "$file")
  printf '%s\n%s\n' "$good" 'local x = = 1' >"$file"
  wait_for "the error of a broken script" prints "swing.lua:"
  click 360 586 # its place in Problems, which has come to the front, below a note
  key alt+c
  sleep 0.5
  click 560 719
  xdotool type --delay 60 'print("copied '
  sleep 0.2
  xdotool keydown ctrl keydown v sleep 0.3 keyup v keyup ctrl
  enter '")'
  wait_for "what the console prints" grep -q '^copied ' "$scratch/out"
  expect_in "what was copied" "copied $file:$(($(wc -l <<<"$good") + 1))" "$(cat "$scratch/out")"
  click 1100 60 # out of the prompt
  close_window
}

test_recording_is_viewed() {
  "$torsor" run "$scene" --duration 2 --out "$scratch/run" >/dev/null
  "$torsor" view "$scratch/run/iiwa_free_swing.h5" >"$scratch/out" 2>"$scratch/err" &
  pid=$!
  wait_for "the window" shows_window
  wait_for "the recording" prints "state "
  look
  local first=$hash
  click 95 754 # play
  sleep 0.6
  click 95 754 # pause
  look
  [[ $step -gt 100 ]] || fail "the play button plays nothing: step $step"
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
  wait_for "what it says of a fork" prints "a recording is looked at, not changed; open its scene to run it"
  close_window
}
