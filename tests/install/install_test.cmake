# Installs the build tree into an empty prefix and checks that the installed package does not refer
# to the build tree.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${PREFIX} ${RECORD})
file(MAKE_DIRECTORY ${RECORD})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
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
