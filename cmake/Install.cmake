# Installs bin/, include/torsor/, lib/ with the plugins, share/torsor/, and the CMake package
# Torsor. Adds the target uninstall and the settings of the Debian package, which cpack makes.

include(CMakePackageConfigHelpers)

get_property(plugins GLOBAL PROPERTY TORSOR_PLUGINS)
add_custom_target(torsor_runtime DEPENDS torsor torsor_fmu ${plugins})
add_custom_target(torsor_library DEPENDS torsor_capi ${plugins})
# What an installation needs: the launcher builds it.
add_custom_target(torsor_installation DEPENDS torsor_runtime torsor_library)
if(TORSOR_BUILD_MPI)
  add_custom_target(torsor_mpi_runtime DEPENDS torsor_runtime torsor_mpi)
endif()
if(TORSOR_BUILD_EDITOR)
  add_custom_target(torsor_editor_runtime DEPENDS torsor_runtime torsor_editor)
endif()

# Removes the variants of an earlier portable build, which would hide the plugins of this build.
if(NOT TORSOR_LEVELS)
  file(REMOVE_RECURSE ${TORSOR_PLUGIN_DIRECTORY}/x86-64-v3 ${TORSOR_PLUGIN_DIRECTORY}/x86-64-v4)
  install(CODE "set(plugins ${plugins})")
  install(CODE [[
    foreach(level x86-64-v3 x86-64-v4)
      set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/torsor/plugins/${level}")
      foreach(plugin IN LISTS plugins)
        file(REMOVE "${folder}/${plugin}.so")
      endforeach()
      file(GLOB left "${folder}/*")
      if(NOT left)
        file(REMOVE_RECURSE "${folder}")
      endif()
    endforeach()]])
endif()

install(TARGETS torsor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS torsor_capi EXPORT TorsorSdkTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS torsor_fmu LIBRARY DESTINATION lib/torsor/fmi)
install(FILES engine/capi/torsor.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(room spatial sdk base shapes model formats mechanics plugin loading handles batch host analysis identification symbolic constraints contact integration motions planning control simulation signals recording run study validation scripting fmi)
  install(DIRECTORY engine/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/torsor
          FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.map")
endforeach()
install(DIRECTORY scripts/ DESTINATION share/torsor/scripts FILES_MATCHING PATTERN "*.lua")
install(DIRECTORY plugins/templates DESTINATION share/torsor)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Torsor)
install(EXPORT TorsorSdkTargets NAMESPACE Torsor:: DESTINATION ${package})
install(EXPORT TorsorTargets NAMESPACE Torsor:: DESTINATION ${package})
set(sdk_directory ${CMAKE_INSTALL_INCLUDEDIR}/torsor/sdk)
set(program ${CMAKE_INSTALL_BINDIR}/torsor)
set(package_files ${PROJECT_BINARY_DIR}/lib/cmake/Torsor)
configure_package_config_file(cmake/TorsorConfig.cmake.in ${package_files}/TorsorConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS sdk_directory program)
write_basic_package_version_file(${package_files}/TorsorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package_files}/TorsorConfig.cmake ${package_files}/TorsorConfigVersion.cmake cmake/TorsorPlugin.cmake
        DESTINATION ${package})

# Exports the package from the build tree too, for -DCMAKE_PREFIX_PATH=build/release, but only to
# build plugins. Removes the files of earlier versions, which find_package would find first.
file(REMOVE ${PROJECT_BINARY_DIR}/TorsorConfig.cmake ${PROJECT_BINARY_DIR}/TorsorConfigVersion.cmake)
export(EXPORT TorsorSdkTargets NAMESPACE Torsor:: FILE ${package_files}/TorsorSdkTargets.cmake)
configure_file(cmake/TorsorPlugin.cmake ${package_files}/TorsorPlugin.cmake COPYONLY)

if(PROJECT_IS_TOP_LEVEL)
  # Writes the prefix for the target uninstall, because the manifest does not contain it.
  install(CODE "file(WRITE \"${PROJECT_BINARY_DIR}/install_prefix.txt\" \"\${CMAKE_INSTALL_PREFIX}\")")
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR}
                                      -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake VERBATIM)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME torsor)
  set(CPACK_PACKAGE_CONTACT "The authors of Torsor")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, python3-numpy, cmake, g++ | clang, ninja-build | make")
  set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "The program torsor, its plugins and robots, what you need to write your own plugin, the engine's libraries, and the Python package.")
  if(NOT TORSOR_PORTABLE)
    string(APPEND CPACK_DEBIAN_PACKAGE_DESCRIPTION "\nThis package needs a processor with the instruction set of the one that built it. \
A build with TORSOR_PORTABLE makes a package for every processor of this architecture, which is as fast.")
  endif()
  include(CPack)
endif()
