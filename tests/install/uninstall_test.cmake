# Uninstalls the files of install_test.cmake. The folders above the prefix are named torsor and have
# spaces in their names. Other files, and empty folders that are not Torsor's, must remain.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(WRITE ${PREFIX}/lib/torsor/plugins/mine.so "")
file(WRITE ${PREFIX}/lib/python3/dist-packages/torsor/__pycache__/robots.cpython-311.pyc "")
cmake_path(GET PREFIX PARENT_PATH above)
file(MAKE_DIRECTORY ${above}/torsor ${PREFIX}/torsor)
run(${CMAKE_COMMAND} -D BUILD=${RECORD} -P ${SOURCE}/cmake/Uninstall.cmake)
set(expected bin include lib lib/cmake lib/python3 lib/python3/dist-packages lib/torsor lib/torsor/plugins lib/torsor/plugins/mine.so share torsor)
file(GLOB_RECURSE left LIST_DIRECTORIES TRUE RELATIVE ${PREFIX} ${PREFIX}/*)
list(SORT left)
if(NOT left STREQUAL expected)
  message(FATAL_ERROR "uninstalling left ${left} instead of ${expected}")
endif()

# Checks that nothing remains of a prefix that only Torsor uses. The last folder of the prefix is
# named torsor too.
set(alone ${SCRATCH}/a\ place/torsor)
file(WRITE ${alone}/share/torsor/robots/arm.lua "")
file(WRITE ${SCRATCH}/build/install_manifest.txt "${alone}/share/torsor/robots/arm.lua\n")
file(WRITE ${SCRATCH}/build/install_prefix.txt "${alone}")
run(${CMAKE_COMMAND} -D BUILD=${SCRATCH}/build -P ${SOURCE}/cmake/Uninstall.cmake)
foreach(folder IN ITEMS ${above}/torsor ${alone}/share)
  if(NOT IS_DIRECTORY ${folder})
    message(FATAL_ERROR "uninstalling removed ${folder}, which is not Torsor's")
  endif()
endforeach()
if(EXISTS ${alone}/share/torsor)
  message(FATAL_ERROR "uninstalling left the empty folder ${alone}/share/torsor")
endif()
