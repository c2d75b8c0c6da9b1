# cmake -D BUILD=.. -D SOURCE=.. -D SCRATCH=.. -D COMPILER=.. -P install_test.cmake: installs the build tree, lets another
# project find, link and run the engine, and runs the installed program.

set(prefix ${SCRATCH}/prefix)
file(REMOVE_RECURSE ${SCRATCH})

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SCRATCH} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
file(GLOB package ${prefix}/lib/cmake/Torsor/*.cmake)
foreach(file IN LISTS package)
  file(READ ${file} text)
  if(text MATCHES "${SOURCE}|${BUILD}")
    message(FATAL_ERROR "${file} points back to where it was built: ${CMAKE_MATCH_0}")
  endif()
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B consumer -G Ninja -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build consumer)

# What follows must come from the installed files alone.
set(scene ${SOURCE}/scenes/iiwa_free_swing.lua)
run(consumer/consumer ${prefix} consumer/hinge.so ${scene})
run(${CMAKE_COMMAND} -E env --unset=TORSOR_PLUGIN_PATH --unset=TORSOR_SCRIPTS ${prefix}/bin/torsor plugins)
run(${CMAKE_COMMAND} -E env --unset=TORSOR_PLUGIN_PATH --unset=TORSOR_SCRIPTS
    ${prefix}/bin/torsor run ${scene} --duration 0.01 --out recording)
if(NOT EXISTS ${SCRATCH}/recording/iiwa_free_swing.h5)
  message(FATAL_ERROR "the installed program wrote no recording")
endif()
