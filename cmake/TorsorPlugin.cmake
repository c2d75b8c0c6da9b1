# torsor_add_plugin(NAME SOURCES...): the plugin file NAME.so, in this project and, after find_package(Torsor), in any other.
#
# Only the entry is visible and no symbol is unique, so that it unloads and never mixes with another; no SLP vectorisation,
# which costs recursions over bodies up to a factor of two.
function(torsor_add_plugin name)
  set(exports ${TORSOR_SDK_DIRECTORY}/torsor_plugin.map)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Torsor::sdk Torsor::spatial)
  target_compile_options(${name} PRIVATE -O3 -fno-math-errno $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique -fno-tree-slp-vectorize>
                                         $<$<CXX_COMPILER_ID:Clang>:-fno-slp-vectorize>)
  target_link_options(${name} PRIVATE -Wl,--no-undefined -Wl,--version-script=${exports})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${exports})
endfunction()
