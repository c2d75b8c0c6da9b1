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
