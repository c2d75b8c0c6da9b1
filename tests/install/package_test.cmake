# Makes the Debian package, checks its dependencies, unpacks it and runs its program.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
# zstd is faster than the default, gzip.
run(${CMAKE_CPACK_COMMAND} --config ${BUILD}/CPackConfig.cmake -D CPACK_DEBIAN_COMPRESSION_TYPE=zstd -B ${SCRATCH})
file(GLOB package ${SCRATCH}/torsor_*.deb)
run(dpkg-deb --field ${package} Depends)
if(NOT output MATCHES "libc6 .*libhdf5")
  message(FATAL_ERROR "${package} says that it depends on '${output}'")
endif()
run(dpkg-deb --extract ${package} root)
run(root/usr/bin/torsor run ${SOURCE}/scenes/iiwa_free_swing.lua --duration 0.01)
# The Python package finds the library next to itself.
find_program(python python3 PATHS /usr/bin NO_DEFAULT_PATH)
execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE lacks_numpy ERROR_QUIET)
if(lacks_numpy EQUAL 0)
  set(ENV{PYTHONPATH} ${SCRATCH}/root/usr/lib/python3/dist-packages)
  run(${python} -c "from torsor import load\nprint(load('${SOURCE}/scenes/iiwa_free_swing.lua').run(0.01).time[-1])")
  if(NOT output STREQUAL "0.01\n")
    message(FATAL_ERROR "the Python package printed '${output}'")
  endif()
endif()
