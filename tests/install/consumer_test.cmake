# -D COMPILER=..: builds another project that finds and links the installed engine. Runs it and the
# installed program.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B consumer -G Ninja -DCMAKE_PREFIX_PATH=${PREFIX}
    -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build consumer)

# From here on only the installed files are used.
set(scene ${SOURCE}/scenes/iiwa_free_swing.lua)
run(consumer/consumer ${PREFIX} consumer/hinge.so ${scene})
run(${PREFIX}/bin/torsor plugins)
run(${PREFIX}/bin/torsor run ${scene} --duration 0.01 --folder recording)
if(NOT EXISTS ${SCRATCH}/recording/iiwa_free_swing.h5)
  message(FATAL_ERROR "the installed program wrote no recording")
endif()
