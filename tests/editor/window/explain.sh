# shellcheck shell=bash disable=SC2154
# Tests of the panel that explains the recursions of solvers step by step.

test_recursions_are_explained() {
  local name size theme scale
  actions '0 time.go 1.2' '0 panel.show explain' '0 explain.solver newton_euler' '0 explain.body link4' '0 explain.quantity f' \
    '0 explain.print' '0 explain.next' '0 explain.print' '0 explain.back' '0 explain.print'
  for name in 1280x800.dark.1 2560x1440.light.2; do
    IFS=. read -r size theme scale <<<"$name"
    edit scenes/iiwa_free_swing.lua --actions "$scratch/actions" --screenshot "$pictures/explain.wrench.$name.png" \
      --size "$size" --theme "$theme" --scale "$scale"
    expect "status of $name" 0 "$status"
    expect "errors of $name" '' "$err"
  done
  expect_in "the wrench through joint 4" "solver.newton_euler, step 35 of 42: f_i of link4, wrench transmitted by the joint: " "$out"
  expect_in "what comes next" "step 36 of 42: tau_i of joint4, joint torque or force: " "$out"
  expect "the step back" "$(sed -n 1p <<<"$out")" "$(sed -n 3p <<<"$out")"

  actions '0 time.go 1.2' '0 panel.show explain' '0 explain.solver articulated_body' '0 explain.quantity P' '0 explain.body link3'
  edit scenes/iiwa_free_swing.lua --actions "$scratch/actions" --screenshot "$pictures/explain.inertia.png" --size 1280x800
  expect "status of the inertia" 0 "$status"
  expect "errors of the inertia" '' "$err"
}

# Explains the constraints of mechanisms with independent and with dependent rows.
test_constraints_are_explained() {
  local scene
  for scene in four_bar stewart_platform; do
    actions '0 time.go 0.4' '0 panel.show explain' '0 explain.show constraints' '0 explain.compare' '0 explain.print'
    edit "scenes/$scene.lua" --actions "$scratch/actions" --screenshot "$pictures/explain.constraints.$scene.png" \
      --size 1600x1000
    expect "status of $scene" 0 "$status"
    expect "errors of $scene" '' "$err"
    expect_in "comparison of $scene" "pivoting and projected_gauss_seidel: differ by " "$out"
    [[ $scene == four_bar ]] && expect_in "rows of $scene" "constraints: 5 rows, rank 2" "$out"
    [[ $scene == stewart_platform ]] && expect_in "rows of $scene" "constraints: 18 rows, rank 18" "$out"
  done
}

# Explains the contacts of scenes with few and with many degrees of freedom.
test_contacts_are_explained() {
  local scene
  for scene in dropped_box box_stack; do
    actions '0 time.go 1' '0 panel.show solvers off' '0 panel.show energy off' '0 panel.show controllers off' \
      '0 panel.show explain' '0 explain.show contacts' '0 explain.compare' '0 explain.print'
    edit "scenes/$scene.lua" --actions "$scratch/actions" --screenshot "$pictures/explain.contacts.$scene.png" \
      --size 1600x1000
    expect "status of $scene" 0 "$status"
    expect "errors of $scene" '' "$err"
    [[ $scene == dropped_box ]] && expect_in "points of $scene" "body_1 - ground: gap " "$out"
    [[ $scene == box_stack ]] && expect_in "problem of $scene" "contacts: 40 points, 120 rows, 40 friction groups" "$out"
  done
}
