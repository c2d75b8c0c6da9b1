# shellcheck shell=bash disable=SC2154
# Tests of the 3D view and of the mouse in it.

# Draws a mesh whose file exists, and one whose file does not exist. The link of the latter must
# look like a link without a mesh.
test_meshes() {
  local robot=$scratch/robot/arm.urdf mesh
  mkdir -p "$scratch/robot/meshes"
  mesh='solid m
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 300 0 0
vertex 0 0 600
endloop
endfacet
endsolid m'
  printf '%s\n' "$mesh" >"$scratch/robot/meshes/link.stl"
  cat >"$robot" <<'END'
<robot name="arm"><link name="base"/><link name="link">
  <inertial><origin xyz="0 0 0.3"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="package://robot/meshes/link.stl" scale="0.001 0.001 0.001"/></geometry>
    <material name="red"><color rgba="0.9 0.1 0.1 1"/></material></visual></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="link"/><axis xyz="0 1 0"/></joint></robot>
END
  actions '0 view.along y'
  edit "$robot" --actions "$scratch/actions" --screenshot "$pictures/mesh.png" --size 900x600
  expect "status with the mesh" 0 "$status"
  expect "errors with the mesh" '' "$err"
  mv "$scratch/robot/meshes/link.stl" "$scratch/robot/away.stl"
  edit "$robot" --actions "$scratch/actions" --screenshot "$pictures/no_mesh.png" --size 900x600
  expect "status without the mesh" 0 "$status"
  ! cmp -s "$pictures/mesh.png" "$pictures/no_mesh.png" || fail "the mesh makes no difference"
  open "$robot"
  wait_for "message about the missing mesh" prints "arm.urdf:3: mesh 'package://robot/meshes/link.stl' is not drawn: file not found"
  close_window
}

# Shows all symbols of the view at once.
test_signs() {
  local name
  for name in link_frames frames inertia reactions twists labels; do
    printf '0 view.toggle %s on\n' "$name"
  done >"$scratch/actions"
  printf '0 time.go 0.7\n0 scene.select link link5\n' >>"$scratch/actions"
  edit scenes/task_space.lua --actions "$scratch/actions" --screenshot "$pictures/signs.png"
  expect "status" 0 "$status"
  expect "errors" '' "$err"
}

# Pulls the link under the mouse (Ctrl and the mouse button) while the run plays. The spring is an
# edit of the run.
test_pull() {
  open "$scene"
  look
  key Down Down Down space # an eighth of the speed, so that the run does not end meanwhile
  point 613 300
  xdotool keydown ctrl mousedown 1
  frame i
  xdotool mousemove --window "$window" 660 250
  frame i
  wait_for "the pull to act" is_past $(($(step_of "$line") + 200)) i
  xdotool mousemove --window "$window" 700 220
  frame i
  wait_for "the second pull to act" is_past $(($(step_of "$line") + 200)) i
  xdotool mouseup 1
  frame i
  xdotool keyup ctrl
  key space
  look
  local pulled=$hash
  expect_not "state without the pull" "$(run_hash "$(awk "BEGIN { print $step / 1000 }")" | head -1)" "$pulled"
  key Left Left Right Right
  look
  expect "state gone back to" "$pulled" "$hash"
}

# Draws the closures of mechanisms and their wrenches, selects one, and moves a link by the joints.
test_closures() {
  local scene
  for scene in four_bar stewart_platform; do
    actions '0 time.go 0.4' '0 view.toggle closure_wrenches on'
    if [[ $scene == four_bar ]]; then
      printf '%s\n' '0 scene.select closure pin' '0 view.move coupler_end 0 0 0 0.7 0 1' >>"$scratch/actions"
    else
      printf '%s\n' '0 scene.select closure wrist1' '0 view.move platform 0 0 0 0.05 0.05 0.85' >>"$scratch/actions"
    fi
    edit "scenes/$scene.lua" --actions "$scratch/actions" --screenshot "$pictures/closures.$scene.png"
    expect "status of $scene" 0 "$status"
    expect "errors of $scene" '' "$err"
  done
}

# Draws contacts: a gripper that holds a part, and a stack. Throws a box.
test_contacts() {
  local scene
  for scene in gripper box_stack; do
    actions '0 time.go 0.5' '0 view.toggle contacts on' '0 view.toggle collisions on'
    edit "scenes/$scene.lua" --actions "$scratch/actions" --screenshot "$pictures/contacts.$scene.png"
    expect "status of $scene" 0 "$status"
    expect "errors of $scene" '' "$err"
  done
  actions '0 time.go 2' '0 view.pull body 0 0 0 0 1 1.5' '0 time.go 2.2' '0 view.release' '0 time.go 2.4' \
    '0 view.toggle trail on' '0 view.fit'
  edit scenes/dropped_box.lua --actions "$scratch/actions" --screenshot "$pictures/contacts.thrown.png"
  expect "status of the throw" 0 "$status"
  expect "errors of the throw" '' "$err"
}
