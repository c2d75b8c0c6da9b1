# shellcheck shell=bash disable=SC2154
# Tests that make pictures of the panels of numbers and plots.

picture() { # NAME SCENE SIZE SCALE: makes a picture after the actions
  edit "$2" --actions "$scratch/actions" --screenshot "$pictures/$1.png" --size "$3" --scale "$4"
  expect "status of $1" 0 "$status"
  expect "errors of $1" '' "$err"
}

test_energy_is_drawn() {
  actions '0 panel.show energy' '0 time.go 1.5'
  picture energy.elastic scenes/elastic_arm.lua 1280x800 1
  actions '0 panel.show energy' '0 energy.show power' '0 time.go 2'
  picture energy.power scenes/ship_crane.lua 2560x1440 2
}

test_dynamics_are_drawn() {
  actions '0 time.go 1.2' '0 dynamics.show Lambda' '0 solver.show history' '0 time.step 200'
  picture dynamics.lambda "$scene" 1280x800 1
  actions '0 solver.choose newton_euler' '0 time.go 1.2' '0 dynamics.christoffel joint2 joint4 joint4' '0 plot.over 1 iiwa.v' '0 plot.measure 0.3 0.9'
  picture dynamics.christoffel "$scene" 2560x1440 2
  actions '0 solver.choose newton_euler' '0 time.go 1.2' '0 dynamics.show dvdot_dq' '0 panel.show energy'
  picture dynamics.partials "$scene" 1280x800 1
}
