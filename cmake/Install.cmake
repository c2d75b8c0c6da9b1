# cmake --install: bin/, include/torsor/, lib/ with plugins beside, share/torsor/scripts/, and find_package(Torsor).

include(CMakePackageConfigHelpers)

get_property(plugins GLOBAL PROPERTY TORSOR_PLUGINS)
add_custom_target(torsor_runtime DEPENDS torsor ${plugins})
if(TORSOR_BUILD_EDITOR)
  add_custom_target(torsor_editor_runtime DEPENDS torsor_runtime torsor_editor)
endif()

install(TARGETS torsor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(layer spatial sdk model dynamics planning host simulation scripting)
  install(DIRECTORY engine/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/torsor
          FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.map")
endforeach()
install(DIRECTORY scripts/ DESTINATION share/torsor/scripts FILES_MATCHING PATTERN "*.lua")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Torsor)
install(EXPORT TorsorTargets NAMESPACE Torsor:: DESTINATION ${package})
set(sdk_directory ${CMAKE_INSTALL_INCLUDEDIR}/torsor/sdk)
configure_package_config_file(cmake/TorsorConfig.cmake.in ${PROJECT_BINARY_DIR}/TorsorConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS sdk_directory)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TorsorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TorsorConfig.cmake ${PROJECT_BINARY_DIR}/TorsorConfigVersion.cmake
              cmake/TorsorPlugin.cmake
        DESTINATION ${package})
