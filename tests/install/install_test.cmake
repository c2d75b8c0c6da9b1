# Installs the build tree; what is in place is of nothing but itself.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${PREFIX})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
file(COPY_FILE ${BUILD}/install_manifest.txt ${PREFIX}.manifest)
file(GLOB package ${PREFIX}/lib/cmake/Torsor/*.cmake)
foreach(file IN LISTS package)
  file(READ ${file} text)
  if(text MATCHES "${SOURCE}|${BUILD}")
    message(FATAL_ERROR "${file} points back to where it was built: ${CMAKE_MATCH_0}")
  endif()
endforeach()
