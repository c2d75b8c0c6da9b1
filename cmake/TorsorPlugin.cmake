# torsor_add_plugin(NAME SOURCES...): makes the plugin file NAME.so from C11 or C++20 sources, in
# this project and, after find_package(Torsor), in any other.
#
# The file exports only the entry function, and no symbol has the ELF binding STB_GNU_UNIQUE.
# Therefore the plugin can be unloaded, and its symbols do not conflict with others.
# The remaining flags of the list for gcc make recursions over bodies up to twice as fast (measured
# with gcc 12). They disable SLP vectorisation and keep small structs in registers. Otherwise
# structs are stored number by number and read back as a vector, which stalls the processor.
# Debug builds get no -O3. A project may add its own flags, even -ffast-math, because the host
# restores its own floating-point environment.
function(torsor_add_plugin name)
  set(exports ${TORSOR_SDK_DIRECTORY}/torsor_plugin.map)
  set(gcc -fno-gnu-unique -fno-tree-slp-vectorize --param=sra-max-scalarization-size-Ospeed=2048
          --param=early-inlining-insns=1000 --param=max-inline-insns-auto=1000 --param=max-inline-insns-single=2000
          --param=large-function-growth=1000 --param=inline-unit-growth=1000)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Torsor::sdk Torsor::spatial -lm)
  foreach(language C CXX)
    target_compile_options(${name} PRIVATE "$<$<COMPILE_LANG_AND_ID:${language},GNU>:${gcc}>"
                                           $<$<COMPILE_LANG_AND_ID:${language},Clang>:-fno-slp-vectorize>)
  endforeach()
  target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3> -fno-math-errno)
  target_link_options(${name} PRIVATE -Wl,--no-undefined -Wl,--version-script=${exports})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${exports})
endfunction()
