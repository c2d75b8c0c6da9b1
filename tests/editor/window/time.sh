# shellcheck shell=bash disable=SC2154
# Tests that a run in the window equals that of `torsor run` bit for bit.

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
  "$torsor" run "$scene" --folder "$scratch/run" >/dev/null
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
  expect_in "solver at 0.8 s" "solver lie_group" "$(grep "^t = " <<<"$out" | tail -1)"
}

test_forks_go_on_alone() {
  actions '0 time.go 0.8' '0 time.go 0.4' '0 run.fork pushed' '0 scene.print' '0 edit.torque joint2 60' '0 time.go 0.8' '0 scene.print' \
    '0 run.keep far' '0 run.compare run' '0 panel.show runs on'
  edit "$scene" --actions "$scratch/actions" --screenshot "$pictures/forks.png" --size 1280x800
  expect "status of the picture" 0 "$status"
  expect "errors of it" '' "$err"
  sed -i '$d' "$scratch/actions"
  printf '%s\n' '0 run.choose run' '0 time.go 0.8' '0 scene.print' '0 run.show far' '0 scene.print' '0 window.quit' >>"$scratch/actions"
  edit "$scene" --actions "$scratch/actions"
  expect status 0 "$status"
  readarray -t state < <(states)
  expect "state at the fork" "$(run_hash 0.4)" "${state[0]}"
  expect_not "state that was pushed" "$(run_hash 0.8)" "${state[1]}"
  expect "state of the run that was left" "$(run_hash 0.8)" "${state[2]}"
  expect "state that was kept" "${state[1]}" "${state[3]}"
}
