# -D LANGUAGE=C|CXX -D COMPILER=.. -D KINDS=solver,..: creates a new plugin of each kind with the
# installed files only. Builds it and runs its tests and its scene, and a benchmark of the solver.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
set(ENV{PATH} "${PREFIX}/bin:$ENV{PATH}")  # CMake looks for packages there too
set(language c++)
if(LANGUAGE STREQUAL C)
  set(language c)
endif()
string(REPLACE "," ";" kinds "${KINDS}")

foreach(kind IN LISTS kinds)
  set(name my_${kind})
  run(torsor new ${kind} ${name} --language ${language})
  run(IN ${name} ${CMAKE_COMMAND} -G Ninja -B build -DCMAKE_${LANGUAGE}_COMPILER=${COMPILER}
      "-DCMAKE_${LANGUAGE}_FLAGS=-Wall -Wextra -Wpedantic -Werror -march=native -ffast-math")
  run(IN ${name} ${CMAKE_COMMAND} --build build)
  run(IN ${name} nm build/${name}.so)
  if(output MATCHES " u ([^\n]*)")
    message(FATAL_ERROR "${name}.so has the unique symbol ${CMAKE_MATCH_1}, with which it would not unload")
  endif()
  run(IN ${name} ctest --test-dir build --output-on-failure)  # runs torsor validate
  run(IN ${name} torsor run ${name}.lua --plugins build/${name}.so)
  if(NOT EXISTS ${SCRATCH}/${name}/recordings/${name}.h5 OR NOT output MATCHES "${name}")
    message(FATAL_ERROR "the scene of ${name} ran without it or wrote no recording")
  endif()
  if(kind STREQUAL solver AND EXISTS ${PREFIX}/bin/torsor_bench)
    run(IN ${name} torsor bench chain:7 --plugins build/${name}.so --solver ${name},newton_euler --quantity inverse_dynamics
        --repetitions 1 --min-time 0.001)
  endif()
endforeach()
