# Takes away what install_test.cmake has put in place, but what is not of it.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(WRITE ${PREFIX}/lib/torsor/plugins/mine.so "")
run(${CMAKE_COMMAND} -D MANIFEST=${PREFIX}.manifest -P ${SOURCE}/cmake/Uninstall.cmake)
file(GLOB_RECURSE left LIST_DIRECTORIES TRUE RELATIVE ${PREFIX} ${PREFIX}/*)
set(expected bin include lib lib/cmake lib/torsor lib/torsor/plugins lib/torsor/plugins/mine.so share)
list(SORT left)
if(NOT left STREQUAL expected)
  message(FATAL_ERROR "uninstalling left ${left}, and not ${expected}")
endif()
