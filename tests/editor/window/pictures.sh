# shellcheck shell=bash disable=SC2154
# Tests that make pictures of scenes and panels.

test_pictures() {
  local size theme scale name
  actions "$(iiwa)"
  for name in 1280x800.dark.1 1280x800.light.1 2560x1440.dark.1 2560x1440.light.2; do
    IFS=. read -r size theme scale <<<"$name"
    edit "$scene" --actions "$scratch/actions" --screenshot "$pictures/iiwa.$name.png" --size "$size" --theme "$theme" --scale "$scale"
    expect "status of $name" 0 "$status"
    expect "errors of $name" '' "$err"
    expect "size of $name" "$size" "$(png_size "$pictures/iiwa.$name.png")"
    # A picture of an empty window would be a small file.
    [[ $(stat -c %s "$pictures/iiwa.$name.png") -gt 40000 ]] || fail "$name is empty"
  done
}

# Opens all scenes in one window, one after the other.
test_every_scene_is_drawn() {
  local file lines=('0 view.toggle frames on' '0 view.toggle inertia on' '0 view.toggle labels on')
  for file in scenes/*.lua scenes/*.urdf scripts/robots/scara.lua; do
    [[ $file != scenes/experiments.lua ]] || continue # a script for torsor lua
    lines+=("0 scene.open $file" '0 time.go 0.5' "0 scene.print" "0 window.screenshot \"$pictures/${file//\//.}.png\"")
  done
  rm -f "$pictures"/scenes.*.png
  actions "${lines[@]}" '0 window.quit'
  edit scenes/iiwa_free_swing.lua --actions "$scratch/actions" --size 640x400
  expect "status" 0 "$status"
  expect "errors" '' "$err"
  for file in scenes/*.lua scenes/*.urdf scripts/robots/scara.lua; do
    [[ $file != scenes/experiments.lua ]] || continue # a script for torsor lua
    [[ -s $pictures/${file//\//.}.png ]] || fail "there is no picture of $file"
  done
}

# Shows each panel in front of the others, in both sizes and themes.
test_every_panel_is_shown() {
  local look size theme scale name names=(editor/panels/*/) lines
  names=("${names[@]%/}") names=("${names[@]##*/}")
  for look in 1280x800.dark.1 2560x1440.light.2; do
    IFS=. read -r size theme scale <<<"$look"
    lines=('0 time.go 1' '0 plugin.select solver.newton_euler' '0 scene.select link link4' '0 console.run iiwa:mass_matrix()')
    for name in "${names[@]}"; do
      lines+=("0 panel.show $name" "0 window.screenshot \"$pictures/panels.$look.$name.png\"")
    done
    actions "${lines[@]}" '0 window.quit'
    edit scenes/computed_torque.lua --actions "$scratch/actions" --size "$size" --theme "$theme" --scale "$scale"
    expect "status of $look" 0 "$status"
    expect "errors of $look" '' "$err"
    for name in "${names[@]}"; do
      expect "size of $look, $name" "$size" "$(png_size "$pictures/panels.$look.$name.png")"
    done
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
