# shellcheck shell=bash disable=SC2154
# Tests of the Lua console.

test_console() {
  actions '0 panel.show console' '0 time.go 0.2' "0 console.run \"print(iiwa.q[1] == state.q.joint1, state.t)\"" \
    "0 console.run \"set_q('joint2', 0.5) step(100) print(state.step, iiwa.q.joint2 ~= 0.5)\"" '0 scene.print' \
    '0 console.run "iiwa:mass_matrix()"' "0 console.run \"print(pcall(error, 'no'))\"" '0 scene.print'
  edit "$scene" --actions "$scratch/actions" --screenshot "$pictures/console.png"
  expect status 0 "$status"
  expect "what it prints" $'true\t0.2' "$(head -1 <<<"$out")"
  expect "what it prints next" $'300\ttrue' "$(sed -n 2p <<<"$out")"
  readarray -t state < <(states)
  expect "the state after what changes nothing" "${state[0]}" "${state[1]}"
  actions '0 time.go 0.2' '0 edit.position joint2 0.5' '0 time.step 100' '0 scene.print' '0 window.quit'
  edit "$scene" --actions "$scratch/actions"
  expect "the state as the sliders have it" "${state[0]}" "$(states)"
  actions '0 console.run "assert(state.t > 1)"' '9 window.quit'
  edit "$scene" --actions "$scratch/actions"
  expect "status of an error" 2 "$status"
  expect "error" "torsor: $scratch/actions:1: console:1: assertion failed!" "$err"
}

test_console_by_hand() {
  open "$scene"
  key alt+c
  frame
  type_in 'step(3)'
  wait_for "three steps" prints "step 3,"
  click 560 719
  xdotool type 'while true do end'
  key Return
  wait_for "the chunk to run" prints ", busy"
  key Escape # stops the chunk
  look
  frames 2 # the prompt has the keyboard again in the second frame after Escape
  xdotool type 'step(4)'
  key Return
  wait_for "steps after an endless chunk" prints "step 7,"
  click 1100 60
  close_window
}
# type_in LINE: types the line into the prompt, then clicks elsewhere, so that the window receives
# the next keys.
type_in() {
  click 560 719
  xdotool type "$1"
  key Return
  frame
  click 1100 60
}
