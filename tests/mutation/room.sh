# shellcheck shell=bash disable=SC2034,SC2154
# Defines the mutations of a room of the engine, engine/NAME. The sources of the room and those of
# tests/NAME are compiled here, because the libraries of the build have several files in one object.
# All tests of the room run.
test_command="${name}_tests"
shopt -s nullglob # a room may have no .h or no .cpp file
mkdir -p "$scratch/include/torsor" "$scratch/objects"
cp -r "$source/engine/$name" "$scratch/include/torsor"
files=("$scratch/include/torsor/$name"/*.{h,?pp})
# The libraries that the tests link. The linker takes the objects compiled here first, and not those
# of the room's own library.
archives=("$build"/tests/support/libtorsor_test_support.a "$build"/engine/{analysis,formats,handles,plugin,mechanics,model,shapes,base}/*.a)
stale=(all.hpp) # files changed since the last compilation; a header among them: compile everything
compile() { # [FILE]: compiles what depends on this file, and on the one that was restored.
  stale+=("$@")
  if [[ ${stale[*]} == *.h* ]]; then stale=("$scratch/include/torsor/$name"/*.cpp "$source/tests/$name"/*.cpp); fi
  rm -f "$scratch/tests"
  printf '%s\0' "${stale[@]}" | xargs -0 -P 2 -I '{}' sh -c '"$0" -std=c++20 -O0 -w -DTORSOR_SOURCE_DIR="\"$4\"" \
    -I "$2/include" -I "$3" -I "$4/engine" -I "$4/tests" -isystem /usr/include/eigen3 \
    -c "$1" -o "$2/objects/$(basename "$1").o"' "$compiler" '{}' "$scratch" "$build" "$source" || return
  stale=("$@")
  "$compiler" "$scratch"/objects/*.o -Wl,--start-group "${archives[@]}" -Wl,--end-group \
    -lgmock -lgtest_main -lgtest -lfmt -ltinyxml2 -lassimp -ldl -lpthread -o "$scratch/tests"
}
run_tests() { timeout 120 "$scratch/tests"; }
