# torsor_add_plugin(NAME SOURCES...): the plugin file NAME.so, in this project and, after find_package(Torsor), in any other.
#
# Only the entry is visible and no symbol is unique, so that it unloads and never mixes with another. The other flags make
# recursions over bodies up to twice as fast, measured with gcc 12: no SLP vectorisation, and small structs kept in registers
# instead of being stored number by number and read back as a vector, which stalls.
function(torsor_add_plugin name)
  set(exports ${TORSOR_SDK_DIRECTORY}/torsor_plugin.map)
  set(gcc -fno-gnu-unique -fno-tree-slp-vectorize --param=sra-max-scalarization-size-Ospeed=2048
          --param=early-inlining-insns=1000 --param=max-inline-insns-auto=1000 --param=max-inline-insns-single=2000
          --param=large-function-growth=1000 --param=inline-unit-growth=1000)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Torsor::sdk Torsor::spatial)
  target_compile_options(${name} PRIVATE -O3 -fno-math-errno "$<$<CXX_COMPILER_ID:GNU>:${gcc}>"
                                         $<$<CXX_COMPILER_ID:Clang>:-fno-slp-vectorize>)
  target_link_options(${name} PRIVATE -Wl,--no-undefined -Wl,--version-script=${exports})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${exports})
endfunction()
