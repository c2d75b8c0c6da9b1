#!/usr/bin/env bash
# make.sh: makes the pictures of the documentation again. Needs pngquant, and a display:
#   xvfb-run -a -s '-screen 0 1280x800x24' docs/images/make.sh
# "make.sh speed" makes only the plots of docs/speed.md. The variables PINOCCHIO and RBDL name the
# folders with the sources of these libraries, and ROBOTS the folder with the robots of the plot of ratios.
set -euo pipefail
images=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$images/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

speed() {
  local libraries=(--peers) robots=(scripts/robots/iiwa.lua)
  [[ -z ${PINOCCHIO:-} ]] || libraries+=(--pinocchio "$PINOCCHIO")
  [[ -z ${RBDL:-} ]] || libraries+=(--rbdl "$RBDL")
  [[ -z ${ROBOTS:-} ]] || robots+=("$ROBOTS/tree31.urdf" "$ROBOTS/humanoid36.urdf")
  local solvers=newton_euler,articulated_body
  local quantities=inverse_dynamics,forward_dynamics,mass_matrix,inverse_mass_matrix
  quantities+=,inverse_dynamics_partials,forward_dynamics_partials
  ./torsor bench "${libraries[@]}" chains --solver $solvers --quantity $quantities --plot "$images/growth.svg"
  ./torsor bench "${libraries[@]}" "${robots[@]}" --solver $solvers --plot "$images/ratios.svg"
}
if [[ ${1:-} == speed ]]; then
  speed
  exit
fi

reduce() { # NAME COLOURS: writes the picture with few colours, below 200 kB
  pngquant --force --speed 1 --output "$images/$1.png" "$2" -- "$scratch/$1.png"
}

window() { # NAME ACTION...: the window of the swinging iiwa after these actions
  printf '0 %s\n' "${@:2}" >"$scratch/actions"
  ./torsor edit scenes/iiwa_free_swing.lua --actions "$scratch/actions" --screenshot "$scratch/$1.png" --size 1280x800
  reduce "$1" 64
}

./torsor run scenes/iiwa_free_swing.lua --folder "$scratch"
./torsor plot "$scratch/iiwa_free_swing.h5" --signals iiwa.q,energy --out "$scratch/swing.png"
reduce swing 32
./torsor run scenes/iiwa_compare.lua --folder "$scratch"
./torsor plot "$scratch/iiwa_compare.h5" --signals compare.Cv --out "$scratch/compare.png"
reduce compare 32
./torsor study scenes/residual_vibration.lua --folder "$scratch" --keep all --replace
./torsor plot "$scratch"/residual_vibration-[0-9].h5 --signals arm.q --out "$scratch/study.png"
reduce study 32

speed

window window 'time.go 1.2' 'scene.select joint joint4'
window forks 'time.go 0.8' 'time.go 0.4' 'run.fork pushed' 'edit.torque joint2 60' 'time.go 0.8' 'run.compare run' \
  'panel.show runs on'
window explain 'time.go 1.2' 'panel.show explain' 'explain.solver newton_euler' 'explain.body link4' 'explain.quantity f'
