#!/usr/bin/env bash
# launcher_test.sh CASE LAUNCHER PROGRAM: runs one test of the launcher, in a simulated checkout with
# simulated tools that record their arguments. Nothing is installed or compiled. PROGRAM is the built
# bin/torsor.
# shellcheck disable=SC2016,SC2317
set -uo pipefail

launcher=$2 program=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
checkout="$scratch/a checkout"
tools=$scratch/tools
export CALLS=$scratch/calls
unset TORSOR_NO_INSTALL TORSOR_PORTABLE CI CCACHE_DIR
export HOME=$scratch/home
mkdir "$checkout" "$tools" "$HOME" "$scratch/elsewhere"
cp "$launcher" "$checkout/torsor"
cd "$scratch/elsewhere" || exit 1

tool() { # NAME <script
  { echo '#!/usr/bin/env bash'; cat; } >"$tools/$1"
  chmod +x "$tools/$1"
}

# Only tools that every Debian system has, so that a test fails if the launcher needs another tool.
for name in awk basename bash env cat chmod cp dirname flock grep ln mkdir mktemp nproc readlink rm sed touch true; do
  ln -s "$(type -P $name)" "$tools/$name"
done
tool id <<<'echo "${FAKE_UID:-0}"'
tool sudo <<<'echo "sudo" >>"$CALLS"; exec "$@"'
tool dpkg-query <<'END'
for package in "${@:4}"; do
  [[ " ${MISSING:-} " == *" $package "* ]] || printf '%s=installed ' "$package"
done
[[ -z ${MISSING:-} ]]
END
# apt-get, cmake and ninja read their standard input to its end. The launcher must not pass them the
# input that is meant for the program.
tool apt-get <<'END'
cat >/dev/null
echo "$DEBIAN_FRONTEND apt-get $*" >>"$CALLS"
echo "words of apt"
[[ " $* " != *" ${APT_FAILS_AT:-nothing} "* ]]
END
tool cmake <<'END'
cat >/dev/null
echo "cmake $*" >>"$CALLS"
echo "words of cmake"
mkdir -p "build/$2/bin"
cache=build/$2/CMakeCache.txt
[[ -e $cache ]] || echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"$cache"
for option in "${@:3}"; do
  option=${option#-D}
  echo "${option%%=*}:BOOL=${option#*=}" >>"$cache"
done
[[ -z ${CMAKE_FAILS:-} ]] || exit 1
touch "build/$2/build.ninja"
END
tool ninja <<'END'
cat >/dev/null
if [[ $1 == -n ]]; then
  [[ -e built-$2 ]] && echo "ninja: no work to do."
  exit 0
fi
mkdir "$CALLS.building" || echo "two builds at once" >>"$CALLS"
[[ -z ${NINJA_WAITS:-} ]] || read -r <"$NINJA_WAITS" # until somebody writes to that pipe
rm -r "$CALLS.building"
echo "ninja $* ccache=${CCACHE_DIR:-}" >>"$CALLS"
echo "[1/2] Building a.cpp.o"
[[ -z ${NINJA_FAILS:-} ]] || { echo "a.cpp:1: error: words of the compiler"; exit 1; }
touch "built-$1"
program=bin/torsor
[[ $1 != torsor_bench && $1 != fuzz_* ]] || program=bin/$1
{
  echo '#!/usr/bin/env bash'
  echo 'printf "<%s>" "$PWD" "$@"; printf "${PROGRAM_LOG:-}"; cat; exit ${PROGRAM_STATUS:-0}'
} >$program
chmod +x $program
END
tool ctest <<'END'
echo "ctest $*" >>"$CALLS"
pwd
if [[ -n ${CTEST_LOG:-} ]]; then
  mkdir -p build/release/Testing/Temporary
  printf '%s\n' "$CTEST_LOG" >build/release/Testing/Temporary/LastTest.log
fi
exit "${CTEST_STATUS:-0}"
END
export PATH=$tools

failures=0
expect() { # WHAT EXPECTED ACTUAL
  [[ $3 == "$2" ]] || {
    printf '%s\n  expected: %s\n  was:      %s\n' "$@"
    failures=1
  }
}
expect_in() { # WHAT PART TEXT
  [[ $3 == *"$2"* ]] || {
    printf '%s\n  expected to contain: %s\n  was: %s\n' "$@"
    failures=1
  }
}
# wait_until COMMAND...: repeats the command until it succeeds. Ends the test after 30 s.
wait_until() {
  local k
  for ((k = 0; k < 600; ++k)); do
    "$@" && return
    /usr/bin/sleep 0.05
  done
  echo "waited in vain for: $*"
  exit 1
}
# torsor ARGUMENTS...: runs the launcher. Sets status, out, err and calls (the calls of the tools).
torsor() {
  : >"$CALLS"
  "${via:-$checkout/torsor}" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
  out=$(cat "$scratch/out") err=$(cat "$scratch/err") calls=$(cat "$CALLS")
}

test_builds_and_runs() {
  torsor run 'my scene.lua' --set ''
  expect status 0 "$status"
  expect arguments "<$PWD><run><my scene.lua><--set><>" "$out"
  expect calls "cmake --preset release -DTORSOR_BUILD_TESTS=OFF"$'\n'"ninja torsor_runtime ccache=" "$calls"
}

test_is_quiet_when_nothing_is_to_be_done() {
  torsor plugins
  torsor plugins
  expect "standard error" '' "$err"
  expect calls '' "$calls"
  expect output "<$PWD><plugins>" "$out"
}

test_hands_on_unknown_commands_status_and_input() {
  PROGRAM_STATUS=7 torsor rum
  expect status 7 "$status"
  expect arguments "<$PWD><rum>" "$out"
  expect input "<$PWD><eval>numbers" "$(echo numbers | "$checkout/torsor" eval 2>/dev/null)"
  rm -r "$checkout/build"
  expect "input of a first run" "<$PWD><eval>numbers" \
    "$(echo numbers | MISSING=ccache "$checkout/torsor" eval 2>/dev/null)"
}

test_installs_what_is_missing_and_only_that() {
  MISSING='ccache libmd-dev libgtest-dev' torsor run s.lua
  expect status 0 "$status"
  expect calls "noninteractive apt-get -q -o DPkg::Lock::Timeout=300 update
noninteractive apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends ccache libmd-dev
cmake --preset release -DTORSOR_BUILD_TESTS=OFF
ninja torsor_runtime ccache=" "$calls"
  expect output "<$PWD><run><s.lua>" "$out"
}

test_tests_need_their_own_packages() {
  MISSING='libgtest-dev clang' torsor test
  expect_in calls "install -y --no-install-recommends libgtest-dev clang" "$calls"
}

test_installs_through_sudo() {
  FAKE_UID=1000 MISSING=ccache torsor run s.lua
  expect status 0 "$status"
  expect "first two calls" "sudo
noninteractive apt-get -q -o DPkg::Lock::Timeout=300 update" "${calls%%$'\n'sudo*}"
}

test_without_root_and_sudo_says_whom_to_ask() {
  rm "$tools/sudo"
  FAKE_UID=1000 MISSING=ccache torsor run s.lua
  expect status 2 "$status"
  expect error "torsor: Debian packages are missing, you are not root and there is no sudo; ask your administrator to run
apt-get install --no-install-recommends ccache" "$err"
  expect calls '' "$calls"
}

test_no_install_prints_the_line_and_stops() {
  TORSOR_NO_INSTALL=1 MISSING='g++ cmake' torsor run s.lua
  expect status 2 "$status"
  expect "last line" "apt-get install --no-install-recommends cmake g++" "${err##*$'\n'}"
  expect calls '' "$calls"
  expect output '' "$out"
  FAKE_UID=1000 TORSOR_NO_INSTALL=1 MISSING=g++ torsor run s.lua
  expect "last line of a user" "sudo apt-get install --no-install-recommends g++" "${err##*$'\n'}"
  TORSOR_NO_INSTALL=1 torsor run s.lua
  expect "status with nothing missing" 0 "$status"
}

test_failed_install_shows_the_words_of_apt() {
  APT_FAILS_AT=install MISSING=ccache torsor run s.lua
  expect status 1 "$status"
  expect_in error "words of apt" "$err"
  expect_in error "the installation failed: apt-get install --no-install-recommends ccache" "$err"
}

test_broken_apt_source_does_not_stop() {
  APT_FAILS_AT=update MISSING=ccache torsor run s.lua
  expect status 0 "$status"
  expect "standard error" "torsor: installing Debian packages (log: build/apt.log): ccache
torsor: configuring build/release
torsor: building build/release" "$err"
}

test_system_without_dpkg() {
  rm "$tools/dpkg-query"
  torsor run s.lua
  expect status 0 "$status"
  rm "$tools/ninja"
  torsor run s.lua
  expect "status without ninja" 2 "$status"
  expect_in error "this is not a Debian system: install the equivalents of cmake ninja-build" "$err"
}

test_failed_build_shows_the_compiler_and_the_command() {
  NINJA_FAILS=1 torsor run s.lua
  expect status 1 "$status"
  expect error "torsor: configuring build/release
torsor: building build/release
a.cpp:1: error: words of the compiler
torsor: the build failed: ninja -C build/release torsor_runtime" "$err"
  expect output '' "$out"
  torsor run s.lua
  expect "status once fixed" 0 "$status"
}

test_failed_configuration_is_shown_and_tried_again() {
  CMAKE_FAILS=1 torsor run s.lua
  expect status 1 "$status"
  expect error "torsor: configuring build/release
words of cmake
torsor: the configuration failed: cmake --preset release -DTORSOR_BUILD_TESTS=OFF" "$err"
  torsor run s.lua
  expect "status once fixed" 0 "$status"
  CMAKE_FAILS=1 torsor test
  expect "status of a failed change" 1 "$status"
  torsor test
  expect_in "calls once fixed" "cmake --preset release -DTORSOR_BUILD_TESTS=ON" "$calls"
}

test_portable_has_a_folder_of_its_own() {
  TORSOR_PORTABLE=1 torsor run s.lua
  expect_in calls "cmake --preset portable" "$calls"
  [[ -e $checkout/build/portable && ! -e $checkout/build/release ]] || expect folder portable other
  TORSOR_PORTABLE=0 torsor run s.lua
  expect_in "calls when off" "cmake --preset release" "$calls"
}

test_test_runs_ctest() {
  torsor test -R 'a b' --quiet
  expect_in calls "cmake --preset release -DTORSOR_BUILD_TESTS=ON -DTORSOR_BUILD_BENCH=ON -DTORSOR_BUILD_EDITOR=ON -DTORSOR_BUILD_MPI=ON"$'\n'"ninja all" "$calls"
  expect "call of ctest" "ctest --preset release -j $(nproc) -LE slow|fuzz -R a b --quiet" "${calls##*$'\n'}"
  expect folder "$checkout" "$out"
}

test_test_says_what_was_skipped() {
  torsor test -N
  expect "output without tests" "$checkout" "$out"
  CTEST_LOG='a passing test' torsor test
  expect_in "last line without skips" $'\n'"torsor: no tests skipped" "$out"
  CTEST_LOG=$'/a b/x.cpp:3: Skipped\nthere is no clang++\n\n[  SKIPPED ] A.b\n/y.cpp:4: Skipped\nno peers\n/z.cpp:5: Skipped\nno peers' \
    CTEST_STATUS=8 torsor test
  expect "status of ctest" 8 "$status"
  expect "last line" "torsor: 3 tests skipped: 1: there is no clang++; 2: no peers" "${out##*$'\n'}"
  torsor test -N
  expect "output after an earlier run" "$checkout" "$out"
}

test_test_takes_a_preset_anywhere() {
  torsor test -R x --preset asan
  expect "call of ctest" "ctest --preset asan -j $(nproc) -LE slow|fuzz -R x" "${calls##*$'\n'}"
  torsor test --preset=portable
  expect "call of ctest" "ctest --preset portable -j $(nproc) -LE slow|fuzz" "${calls##*$'\n'}"
  torsor test --preset fast
  expect status 2 "$status"
  expect error "torsor: unknown preset 'fast'; use one of release portable debug asan" "$err"
  torsor test --preset
  expect "status without a name" 2 "$status"
}

test_slow_tests_are_asked_for() {
  torsor test -L slow
  expect "call of ctest" "ctest --preset release -j $(nproc) -L slow" "${calls##*$'\n'}"
  torsor test -L fuzz
  expect "call of ctest" "ctest --preset release -j $(nproc) -L fuzz" "${calls##*$'\n'}"
  torsor test -LE quick
  expect "call of ctest" "ctest --preset release -j $(nproc) -LE quick" "${calls##*$'\n'}"
}

test_tests_are_added_to_a_build_without() {
  torsor run s.lua
  torsor test
  expect_in calls "cmake --preset release -DTORSOR_BUILD_TESTS=ON" "$calls"
  torsor run s.lua
  expect "calls of a run after it" '' "$calls"
}

test_ci_makes_warnings_errors() {
  CI=true torsor test
  expect_in calls "cmake --preset release -DTORSOR_BUILD_TESTS=ON -DTORSOR_BUILD_BENCH=ON -DTORSOR_BUILD_EDITOR=ON -DTORSOR_BUILD_MPI=ON -DTORSOR_WERROR=ON" "$calls"
  CI=true torsor test
  expect "calls the second time" "ctest --preset release -j $(nproc) -LE slow|fuzz" "$calls"
}

test_build_only_builds() {
  torsor build --preset debug
  expect calls "cmake --preset debug -DTORSOR_BUILD_TESTS=OFF"$'\n'"ninja torsor_installation ccache=" "$calls"
  expect output '' "$out"
  torsor build everything
  expect status 2 "$status"
}

test_edit_builds_the_editor() {
  MISSING=libimgui-dev torsor run 'my scene.lua' # needs no window system
  expect_in "calls of run" "ninja torsor_runtime ccache=" "$calls"
  MISSING='libimgui-dev libglfw3-dev' torsor edit 'my scene.lua' --theme light
  expect_in calls "install -y --no-install-recommends libimgui-dev libglfw3-dev"$'\n'"cmake --preset release \
-DTORSOR_BUILD_EDITOR=ON"$'\n'"ninja torsor_editor_runtime" "$calls"
  expect_in output "<edit><my scene.lua><--theme><light>" "$out"
}

test_a_study_of_an_mpi_job_needs_mpi() {
  MISSING=libopenmpi-dev torsor study s.lua
  expect_in "calls without a job" "ninja torsor_runtime ccache=" "$calls"
  MISSING=libopenmpi-dev OMPI_COMM_WORLD_SIZE=2 torsor study s.lua
  expect_in calls "install -y --no-install-recommends libopenmpi-dev"$'\n'"cmake --preset release \
-DTORSOR_BUILD_MPI=ON"$'\n'"ninja torsor_mpi_runtime" "$calls"
  expect_in output "<study><s.lua>" "$out"
}

test_bench_builds_and_runs_its_own_program() {
  MISSING=libmujoco-dev torsor bench 'my robot.urdf' --json out.json
  expect status 0 "$status"
  expect arguments "<$PWD><my robot.urdf><--json><out.json>" "$out"
  expect calls "cmake --preset release -DTORSOR_BUILD_TESTS=OFF -DTORSOR_BUILD_BENCH=ON
ninja torsor_bench ccache=" "$calls"
  torsor bench chains
  expect "calls with nothing to be done" '' "$calls"
  MISSING='libbenchmark-dev libdart-dev' torsor bench
  expect_in calls "install -y --no-install-recommends libbenchmark-dev"$'\n' "$calls"$'\n'
  PROGRAM_STATUS=2 torsor bench --help
  expect status 2 "$status"
  expect "arguments for help" "<$PWD><--help>" "$out"
}

test_bench_installs_peers_when_asked() {
  torsor bench
  MISSING='libmujoco-dev libdart-dev' torsor bench --peers iiwa.urdf
  expect calls "noninteractive apt-get -q -o DPkg::Lock::Timeout=300 update
noninteractive apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends libmujoco-dev libdart-dev
cmake --preset release -DTORSOR_BENCH_PEERS=ON" "$calls"
  expect arguments "<$PWD><iiwa.urdf>" "$out"
  torsor bench --peers
  expect "calls the second time" '' "$calls"
  torsor bench --peers --preset portable
  expect_in "calls of another preset" "cmake --preset portable -DTORSOR_BUILD_TESTS=OFF -DTORSOR_BUILD_BENCH=ON \
-DTORSOR_BENCH_PEERS=ON" "$calls"
  torsor bench --preset fast
  expect "status of an unknown preset" 2 "$status"
}

test_bench_builds_libraries_from_their_sources() {
  mkdir "$PWD/sources of rbdl"
  torsor bench
  MISSING='clang' torsor bench --rbdl "sources of rbdl" chain:2
  expect calls "noninteractive apt-get -q -o DPkg::Lock::Timeout=300 update
noninteractive apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends clang
cmake --preset release -DTORSOR_BENCH_RBDL=$PWD/sources of rbdl" "$calls"
  expect arguments "<$PWD><chain:2>" "$out"
  torsor bench --rbdl "sources of rbdl"
  expect "calls the second time" '' "$calls"
  torsor bench --pinocchio nowhere
  expect "status of an unknown folder" 2 "$status"
}

make_fuzz_targets() {
  mkdir -p "$checkout/tests/fuzz/corpus/action_file" "$checkout/tests/fuzz/corpus/urdf"
}

test_fuzz_builds_and_runs_a_target() {
  make_fuzz_targets
  mkdir -p "$checkout/tests/fuzz/regressions/urdf" "$checkout/tests/fuzz/dictionaries"
  touch "$checkout/tests/fuzz/dictionaries/urdf"
  export PROGRAM_LOG='\nstat::number_of_executed_units: 1234\nstat::average_exec_per_sec:     56\n'
  MISSING='clang libimgui-dev' torsor fuzz urdf --minutes 3
  expect status 0 "$status"
  expect output "urdf: 1234 executions, 56 per second, no findings" "$out"
  expect_in calls "install -y --no-install-recommends clang
cmake --preset fuzz -DTORSOR_BUILD_TESTS=OFF
ninja fuzz_urdf ccache=" "$calls"
  local folder=$checkout/build/fuzz/urdf fuzz=$checkout/tests/fuzz
  expect_in arguments "<-dict=$fuzz/dictionaries/urdf><-max_total_time=180><-print_final_stats=1>\
<-artifact_prefix=$folder/findings/><$folder/corpus><$fuzz/corpus/urdf><$fuzz/regressions/urdf>" "$(cat "$folder/log")"
  PROGRAM_STATUS=72 torsor fuzz urdf # interrupted
  expect "status of an interrupted run" 0 "$status"
  expect_in "arguments without minutes" "<-max_total_time=60>" "$(cat "$folder/log")"
  MISSING=libimgui-dev torsor fuzz action_file
  expect_in calls "install -y --no-install-recommends libimgui-dev"$'\n'"cmake --preset fuzz -DTORSOR_BUILD_EDITOR=ON" "$calls"
}

test_fuzz_tells_a_finding() {
  make_fuzz_targets
  export PROGRAM_STATUS=77
  PROGRAM_LOG='\n  what():  an error has no message\nstat::number_of_executed_units: 9\nartifact_prefix=x; Test unit written to /a b/crash-1\n' \
    torsor fuzz urdf
  expect status 1 "$status"
  expect output "urdf: 9 executions, 0 per second, 1 finding
finding:   an error has no message
input:     /a b/crash-1
reproduce: ./torsor fuzz urdf /a\\ b/crash-1" "$out"
  torsor fuzz urdf
  expect "status without a finding" 1 "$status"
  expect_in error "the fuzz target failed; see build/fuzz/urdf/log" "$err"
  echo input >"$scratch/an input"
  torsor fuzz urdf "$scratch/an input"
  expect "status of one input" 77 "$status"
  expect output "<$PWD><-timeout=20><-report_slow_units=20><-rss_limit_mb=2048><$scratch/an input>" "$out"
}

test_fuzz_rejects_wrong_arguments() {
  make_fuzz_targets
  for arguments in '' stl --minutes; do
    # shellcheck disable=SC2086
    torsor fuzz $arguments
    expect "status of '$arguments'" 2 "$status"
    expect "calls of '$arguments'" '' "$calls"
  done
  torsor fuzz stl
  expect error "torsor: there is no fuzz target 'stl'; use one of action_file urdf" "$err"
  torsor fuzz
  expect error "torsor: fuzz needs the name of a target; use one of action_file urdf" "$err"
  torsor fuzz urdf --minutes 0
  expect error "torsor: --minutes is '0'; it must be a whole number from 1 to 99999" "$err"
  torsor fuzz urdf nothing
  expect error "torsor: $PWD/nothing: there is no such file; give inputs of the target urdf, or --minutes N" "$err"
}

test_works_through_a_symlink() {
  ln -s "$checkout/torsor" "$scratch/link"
  via=$scratch/link torsor run s.lua
  expect output "<$PWD><run><s.lua>" "$out"
  [[ -e $checkout/build/release ]] || expect "build folder" "in the checkout" elsewhere
}

test_works_without_home() {
  unset HOME
  torsor run s.lua
  expect_in calls "ccache=$checkout/build/ccache" "$calls"
  rm -r "$checkout/build"
  HOME=/nonexistent torsor run s.lua
  expect_in "calls with no such home" "ccache=$checkout/build/ccache" "$calls"
  rm -r "$checkout/build"
  CCACHE_DIR=/elsewhere torsor run s.lua
  expect_in "calls with a cache" "ccache=/elsewhere" "$calls"
}

test_moved_checkout_is_built_again() {
  torsor run s.lua
  cp -r "$checkout" "$scratch/copy"
  via=$scratch/copy/torsor torsor run s.lua
  expect status 0 "$status"
  expect_in error "was made for another checkout: building it again from scratch" "$err"
  expect_in calls "cmake --preset release" "$calls"
  torsor run s.lua
  expect "calls in the first one" '' "$calls"
}

test_two_at_once_take_turns() {
  : >"$CALLS"
  /usr/bin/mkfifo "$scratch/pipe"
  NINJA_WAITS=$scratch/pipe "$checkout/torsor" run one >"$scratch/one" 2>&1 </dev/null &
  wait_until test -e "$CALLS.building"
  "$checkout/torsor" run two >"$scratch/two" 2>"$scratch/two.err" </dev/null &
  wait_until test -s "$scratch/two.err"
  echo go on >"$scratch/pipe"
  wait
  expect calls "cmake --preset release -DTORSOR_BUILD_TESTS=OFF
ninja torsor_runtime ccache=" "$(cat "$CALLS")"
  expect "the second's output" "<$PWD><run><two>" "$(cat "$scratch/two")"
  expect "the second's words" "torsor: another ./torsor is building in this checkout: waiting for it" \
    "$(cat "$scratch/two.err")"
}

test_program_does_not_hold_the_lock() {
  torsor run s.lua
  /usr/bin/mkfifo "$scratch/pipe"
  "$checkout/torsor" run waiting >"$scratch/waiting" 2>&1 <"$scratch/pipe" &
  exec 8>"$scratch/pipe" # the program reads its input to the end
  wait_until test -s "$scratch/waiting"
  flock -n "$checkout/build/.lock" true
  expect "lock is free" 0 $?
  exec 8>&-
  wait
}

test_unwritable_checkout_is_one_line() {
  local as_other=() remedy="use your own checkout, or change the owner of this one"
  [[ $EUID != 0 ]] || as_other=("$setpriv" --reuid 65534 --clear-groups)
  chmod 555 "$checkout"
  "${as_other[@]}" "$checkout/torsor" run s.lua >"$scratch/out" 2>&1
  expect status 2 $?
  expect output "torsor: cannot create the folder $checkout/build: $remedy" "$(cat "$scratch/out")"
  chmod 755 "$checkout"
  mkdir -m 555 "$checkout/build"
  "${as_other[@]}" "$checkout/torsor" run s.lua >"$scratch/out" 2>&1
  expect "status with a build folder" 2 $?
  expect output "torsor: cannot write to $checkout/build: $remedy" "$(cat "$scratch/out")"
}
setpriv=$(PATH=/usr/bin:/bin command -v setpriv)

# Checks that help lists every command of the program, and otherwise only the commands of the
# launcher itself.
test_help_lists_every_command() {
  torsor help
  local own=' test build fuzz help ' listed commands name
  commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z_]\{1,\}\) .*/\1/p')
  listed=$(sed -n '/^Simulate/,/^\.\/torsor/s/^  \([a-z_]\{1,\}\)\( .*\)\{0,1\}$/\1/p' <<<"$out")
  [[ -n $commands && -n $listed ]] || expect "commands" some none
  for name in $commands; do
    expect_in "help has the command $name" $'\n'"$name"$'\n' $'\n'"$listed"$'\n'
  done
  for name in $listed; do
    [[ $own == *" $name "* ]] || expect_in "the program has the command $name" $'\n'"$name"$'\n' $'\n'"$commands"$'\n'
  done
}

test_help_builds_nothing() {
  for arguments in help --help -h '' 'test --help' 'fuzz --help' 'build -h'; do
    # shellcheck disable=SC2086
    torsor $arguments
    expect "status of '$arguments'" 0 "$status"
    expect_in "output of '$arguments'" "Usage: ./torsor COMMAND" "$out"
    expect calls '' "$calls"
  done
  [[ ! -e $checkout/build ]] || expect "build folder" none some
}

"$1"
exit $failures
