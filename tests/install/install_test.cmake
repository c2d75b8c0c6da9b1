# Installs the build tree into a prefix that is empty except for an old file. Checks the variants of
# plugins, and that the installed package does not refer to the build tree.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${PREFIX} ${RECORD})
file(MAKE_DIRECTORY ${RECORD})
# A variant of a plugin that an earlier portable build has installed.
set(plugins ${PREFIX}/lib/torsor/plugins)
file(WRITE ${plugins}/x86-64-v4/newton_euler.so "")
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})

# A portable build has a variant of each plugin for each processor level. Another build has none.
file(STRINGS ${BUILD}/CMakeCache.txt portable REGEX "^TORSOR_PORTABLE:BOOL=(ON|1|TRUE)$")
cmake_host_system_information(RESULT machine QUERY OS_PLATFORM)
set(expected)
if(portable AND machine STREQUAL x86_64)
  file(GLOB expected RELATIVE ${plugins} ${plugins}/*.so)
endif()
foreach(level x86-64-v3 x86-64-v4)
  file(GLOB variants RELATIVE ${plugins}/${level} ${plugins}/${level}/*)
  if(NOT variants STREQUAL "${expected}")
    message(FATAL_ERROR "${plugins}/${level} has '${variants}' instead of '${expected}'")
  endif()
endforeach()
file(COPY ${BUILD}/install_manifest.txt ${BUILD}/install_prefix.txt DESTINATION ${RECORD})
file(GLOB package ${PREFIX}/lib/cmake/Torsor/*.cmake)
if(NOT package)
  message(FATAL_ERROR "there is no package in ${PREFIX}/lib/cmake/Torsor")
endif()
foreach(file IN LISTS package)
  file(READ ${file} text)
  foreach(folder IN ITEMS ${SOURCE}/ ${BUILD}/)
    string(REPLACE "${PREFIX}" "" text "${text}")  # the prefix may be inside the build folder
    string(FIND "${text}" "${folder}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} refers to the folder that built it: ${folder}")
    endif()
  endforeach()
endforeach()
