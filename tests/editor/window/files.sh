# shellcheck shell=bash disable=SC2154
# Tests of files that change or are malformed, and of settings and edits that outlive the window.

test_reload() {
  local file=$scratch/swing.lua good
  sed 's/duration = 5.0/duration = 2.0/' "$scene" >"$file"
  open "$file"
  good=$(cat "$file")
  printf '%s\n' "${good/articulated_body/articulated_bodi}" >"$file"
  wait_for "the error of a broken scene" prints "'articulated_bodi'"
  expect_in "what goes on" "the last version that loaded is still in use" "$said"
  printf '%s\n' 'local x = = 1' >"$file"
  wait_for "the error of a broken script" prints "swing.lua:1: "
  look
  expect "step" 0 "$step"
  key Right
  look
  expect "the last good scene still steps" 1 "$step"
  printf '%s\n' "${good/0.3, 0.8/0.1, 0.8}" >"$file"
  wait_for "the mended scene" prints "swing.lua: reloaded at t = 0.001 s"
  look
  expect "its step" 1 "$step"
  expect_not "its state" "$(run_hash 0.001 | head -1)" "$hash"
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
  wait_for "the journal to have the five steps" grep -qs '"step":5,' -r "$XDG_STATE_HOME/torsor/editor"
  kill -KILL "$pid"
  wait "$pid" 2>/dev/null
  open "$scene"
  wait_for "the edits to be made again" prints "state $kept"
  expect_in "message about the restored work" "restored from the last session: 1 edit" "$said"
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
  expect_in "message about broken settings" "the settings of the editor cannot be read" "$said"
}

test_malformed() {
  edit no_such.lua
  expect "status without the file" 2 "$status"
  expect "error without the file" "torsor: no_such.lua: there is no such file" "$err"
  edit "$scene" --size big
  expect "status of a bad size" 2 "$status"
  expect_in "error of a bad size" "--size is 'big'; it must be WIDTHxHEIGHT" "$err"
  edit "$scene" --screenshot s.jpg
  expect "status of a bad picture" 2 "$status"
  expect "error of it" "torsor: --screenshot is 's.jpg'; it must end in .png" "$err"
  edit "$scene" --scale nan
  expect "status of a scale that is none" 2 "$status"
  expect "error of it" "torsor: --scale is nan; it must be from 0.5 to 4" "$err"
  edit "$scene" --acton x
  expect_in "error of an unknown option" "did you mean '--actions'" "$err"
  actions '0 scene.print' '0 window.quit'
  edit "$scene" --floating-base --actions "$scratch/actions"
  expect_in "message about a base in Lua" "problem: --floating-base is only for .urdf, " "$out"
  actions '0 time.go 1' '1 time.fly 2'
  edit "$scene" --actions "$scratch/actions"
  expect "status of an unknown action" 2 "$status"
  expect_in "error of an unknown action" "actions:2: there is no action 'time.fly'" "$err"
  actions '0 time.go soon'
  edit "$scene" --actions "$scratch/actions"
  expect_in "error of a bad argument" "actions:1: time.go: SECONDS is 'soon'; it must be a finite number" "$err"
  actions 'time.go 1'
  edit "$scene" --actions "$scratch/actions"
  expect_in "error of a line without a time" "actions:1: a line must be SECONDS ACTION ARGUMENTS" "$err"
  edit "$scene" --screenshot /proc/no/picture.png
  expect "status of a picture that cannot be written" 2 "$status"
  expect_in "error of it" "cannot write '/proc/no'" "$err"
  printf 'return 3\n' >"$scratch/three.lua"
  actions '0 scene.print' '0 window.quit'
  edit "$scratch/three.lua" --actions "$scratch/actions"
  expect "status of a window that shows what is wrong" 2 "$status"
  expect_in "message about the wrong result" "problem: $scratch/three.lua: the file returns" "$out"
  expect_in "its error" "torsor: $scratch/three.lua: the file returns" "$err"
  actions '0 time.play'
  edit "$scratch/three.lua" --actions "$scratch/actions"
  expect_in "error of playing nothing" "actions:1: time.play: no scene is loaded" "$err"
}

test_no_display() {
  DISPLAY='' edit "$scene"
  expect status 2 "$status"
  expect lines 1 "$(wc -l <<<"$err")"
  expect_in error "torsor: the editor needs a display, and there is none" "$err"
  DISPLAY='' edit
  expect_in "error without a scene either" "torsor: the editor needs a display, and there is none" "$err"
  DISPLAY=:4095 edit "$scene"
  expect "status of a wrong display" 2 "$status"
  expect "lines of it" 1 "$(wc -l <<<"$err")"
}

# Opens a scene that names a compiled plugin: the window asks, and runs no code before the answer.
test_asks_about_machine_code() {
  local file=$scratch/swing.lua
  export TORSOR_TEST_MARK=$scratch/mark
  cp "${torsor%/bin/torsor}/tests/host/plugins/marking.so" "$scratch/"
  cp "$scene" "$file"
  open "$file"
  sed -i '1s/^/require("torsor").plugins{ "marking.so" } /' "$file"
  wait_for "the question" prints "is machine code"
  key Escape
  frame
  [[ ! -e $TORSOR_TEST_MARK ]] || fail "the code ran without an answer"
  actions '0 trust.answer once' '0 scene.print'
  edit "$file" --actions "$scratch/actions" --screenshot "$pictures/trust.png"
  expect "status after the answer" 0 "$status"
  [[ -e $TORSOR_TEST_MARK ]] || fail "the code did not run after the answer"
}
