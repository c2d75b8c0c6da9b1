# How every target of this project is built.

set(TORSOR_SDK_DIRECTORY ${PROJECT_SOURCE_DIR}/engine/sdk)
include(${CMAKE_CURRENT_LIST_DIR}/TorsorPlugin.cmake)

add_library(torsor_build_flags INTERFACE)
target_compile_options(torsor_build_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow=local $<$<BOOL:${TORSOR_WERROR}>:-Werror>)
# gcc 12 warns of its own AVX-512 intrinsics wherever Eigen uses them (gcc bug 105593) and, precompiled, of its own strings
# (105651); mended in 13.
target_compile_options(torsor_build_flags INTERFACE
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict;-Wno-use-after-free>")
if(CMAKE_UNITY_BUILD)  # where a .cpp file is included, gcc takes its classes for a header's
  target_compile_options(torsor_build_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
if(NOT TORSOR_PORTABLE)
  target_compile_options(torsor_build_flags INTERFACE -march=native)
  # -march=native would change how Eigen aligns and allocates, and a program built without it that frees a matrix of
  # ours would corrupt its heap: keep to what Eigen does on plain x86-64, as every Debian package does. (The alignment
  # alone is not enough: above 16 bytes of vector width Eigen has an allocator of its own, whatever the alignment.)
  target_compile_definitions(torsor_build_flags INTERFACE EIGEN_DONT_VECTORIZE EIGEN_MAX_ALIGN_BYTES=16
                                                          EIGEN_MAX_STATIC_ALIGN_BYTES=16)
endif()

# torsor_precompile(NAME HEADERS ... LINKS ...): compiles headers of other libraries once, with those that most files include,
# for targets with target_precompile_headers(TARGET REUSE_FROM NAME) that link the same LINKS. Every file still includes what it
# uses: the preset debug builds without this, and each file alone, where the others compile them eight at a time (CMAKE_UNITY_BUILD, for
# whose sake names in unnamed namespaces are unlike those of the files beside). A header that few files need would cost all the others time.
function(torsor_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINKS" ${ARGN})
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${name}.cpp)
  target_link_libraries(${name} PRIVATE torsor_build_flags fmt::fmt ${ARG_LINKS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS}
    <algorithm> <array> <chrono> <cmath> <filesystem> <fmt/format.h> <functional> <map> <memory> <optional> <span> <string>
    <variant> <vector>)
endfunction()
set(CMAKE_CXX_COMPILE_OPTIONS_PIE ${CMAKE_CXX_COMPILE_OPTIONS_PIC})  # else programs cannot use what libraries do

# torsor_layer(NAME SOURCES ... LINKS ...): the static library of one folder of engine/, linking only downward.
function(torsor_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(torsor_${name} STATIC ${ARG_SOURCES})
  add_library(Torsor::${name} ALIAS torsor_${name})
  set_target_properties(torsor_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(torsor_${name} PUBLIC ${ARG_LINKS} PRIVATE $<BUILD_INTERFACE:torsor_build_flags> ${ARG_PRIVATE_LINKS})
  install(TARGETS torsor_${name} EXPORT TorsorTargets)
  target_precompile_headers(torsor_${name} REUSE_FROM torsor_engine_headers)
endfunction()

# torsor_header_layer(NAME LINKS ...): a folder of engine/ that is headers alone.
function(torsor_header_layer name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  add_library(torsor_${name} INTERFACE)
  add_library(Torsor::${name} ALIAS torsor_${name})
  set_target_properties(torsor_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(torsor_${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(torsor_${name} INTERFACE ${ARG_LINKS})
  install(TARGETS torsor_${name} EXPORT TorsorSdkTargets)
endfunction()

# torsor_plugin(NAME SOURCES ...): a plugin of this project, in lib/torsor/plugins. Its kernels do not compute products with a
# constant zero (sdk/joints.hpp), which is right for finite numbers only: the host checks every result.
function(torsor_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  torsor_add_plugin(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE torsor_build_flags)
  target_compile_options(${name} PRIVATE -O3 -ffinite-math-only -fno-signed-zeros)  # -O3 in Debug too: tests take minutes without
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${TORSOR_PLUGIN_DIRECTORY})
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(${name} PRIVATE -s)
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION lib/torsor/plugins)
  set_property(GLOBAL APPEND PROPERTY TORSOR_PLUGINS ${name})
endfunction()

# A program whose copies of inline functions are the engine's, whatever its own files were compiled with: what programs make of the same
# bits has the same bits. The linker keeps the first copy that it sees.
function(torsor_engine_first name)
  set(first)
  foreach(layer model dynamics simulation)
    list(APPEND first $<TARGET_FILE:torsor_${layer}>)
  endforeach()
  target_link_options(${name} BEFORE PRIVATE LINKER:--whole-archive ${first} LINKER:--no-whole-archive)
endfunction()
