# shellcheck shell=bash disable=SC2034,SC2154
# Defines the mutations of a solver: plugins/solvers/NAME and the headers of engine/sdk. The mutated
# plugin is built into a folder with the other plugins of this build, for this processor: without
# wide registers, no robot would have enough bodies in each group for the kernels in lanes. The
# conformance tests of this solver, the trace tests and the tests of lanes run with that folder.
filter="*$name*:*Trace*:Levels.*"
test_command="conformance_tests --gtest_filter='$filter'"
mkdir "$scratch/plugins"
cp "$build"/lib/torsor/plugins/*.so "$scratch/plugins"
cp -r "$source/plugins/solvers/$name" "$scratch/$name"
mkdir -p "$scratch/include/torsor"
cp -r "$source"/engine/{sdk,spatial} "$scratch/include/torsor"
files=("$scratch/$name"/* "$scratch"/include/torsor/sdk/{,ext/}*.h*)
compile() { # Replaces the plugin by one from the scratch sources.
  rm -f "$scratch/plugins/$name.so"
  "$compiler" -std=c++20 -O1 -march=native -w -shared -fPIC -fvisibility=hidden -fno-gnu-unique \
    -I "$scratch/include" "$scratch/$name"/*.cpp -o "$scratch/plugins/$name.so"
}
run_tests() {
  TORSOR_TEST_PLUGINS=$scratch/plugins timeout 120 "$build/bin/conformance_tests" --gtest_filter="$filter"
}
