# -D COMPILER=..: builds an external project with the installed engine. Runs its program and the
# installed program.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B consumer -G Ninja -DCMAKE_PREFIX_PATH=${PREFIX}
    -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build consumer)

# The commands below use only installed files, except for the scene.
set(scene ${SOURCE}/scenes/iiwa_free_swing.lua)
run(consumer/consumer ${PREFIX} consumer/hinge.so ${scene})
run(consumer/c_consumer ${scene})
if(NOT output MATCHES "^0.01 s ")
  message(FATAL_ERROR "the program in C printed '${output}'")
endif()
run(${PREFIX}/bin/torsor plugins)
run(${PREFIX}/bin/torsor run ${scene} --duration 0.01 --folder recording)
if(NOT EXISTS ${SCRATCH}/recording/iiwa_free_swing.h5)
  message(FATAL_ERROR "the installed program wrote no recording")
endif()
