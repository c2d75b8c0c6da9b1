# Functions and flags for the targets of this project.

set(TORSOR_SDK_DIRECTORY ${PROJECT_SOURCE_DIR}/engine/sdk)
include(${CMAKE_CURRENT_LIST_DIR}/TorsorPlugin.cmake)

# Sets the optimisation of code that runs once or a few times per run. For such code, -O2 or -O3
# would only take longer to compile. torsor_room(OPTIMISED) and torsor_plugin set higher levels.
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")

# Warning flags of all targets, kernels included.
add_library(torsor_warnings INTERFACE)
target_compile_options(torsor_warnings INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${TORSOR_WERROR}>:-Werror>)
# clang has no levels of -Wshadow.
target_compile_options(torsor_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
# gcc 12 gives false warnings in std::string of its library (gcc bug 105651) and, in kernels, in its
# AVX-512 intrinsics (105593). Both are fixed in gcc 13.
target_compile_options(torsor_warnings INTERFACE
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict;-Wno-use-after-free>")
# A unity build includes .cpp files. gcc then warns about their classes as if these were in a
# header.
if(CMAKE_UNITY_BUILD)
  target_compile_options(torsor_warnings INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()

# Flags of all targets except kernels. Products and sums are not contracted, so an inline function
# gives the same bits at any level of optimisation. Therefore it does not matter which copy of the
# function the linker keeps.
add_library(torsor_build_flags INTERFACE)
target_link_libraries(torsor_build_flags INTERFACE torsor_warnings)
target_compile_options(torsor_build_flags INTERFACE -ffp-contract=off -fno-math-errno)
if(NOT TORSOR_PORTABLE)
  target_compile_options(torsor_build_flags INTERFACE -march=native)
  # -march=native changes how Eigen aligns and allocates. A program that is built without this flag
  # and frees a matrix of the engine would corrupt its heap. Therefore Eigen is configured as on
  # plain x86-64, like in all Debian packages.
  # Setting the alignment alone is not sufficient: for vectors of more than 16 bytes, Eigen uses its
  # own allocator in any case.
  target_compile_definitions(torsor_build_flags INTERFACE EIGEN_DONT_VECTORIZE EIGEN_MAX_ALIGN_BYTES=16
                                                          EIGEN_MAX_STATIC_ALIGN_BYTES=16)
endif()
# By default, gcc collects its garbage often, which takes a tenth of the time to compile the files
# of this project. These flags let a compiler use up to 0.5 GB first.
target_compile_options(torsor_build_flags INTERFACE
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=500000;--param=ggc-min-expand=100>")

# Flags of code that computes in every step. The flags for gcc keep small structs in registers (see
# torsor_add_plugin).
add_library(torsor_optimised INTERFACE)
target_compile_options(torsor_optimised INTERFACE $<$<CONFIG:Release>:-O3>
  "$<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize;--param=sra-max-scalarization-size-Ospeed=2048>")

# torsor_precompile(NAME HEADERS ... LINKS ...): precompiles headers of other libraries that most
# files include. A header that few files need would slow down the others.
# Targets use them with target_precompile_headers(TARGET REUSE_FROM NAME). They must
# have the same flags and LINKS as NAME. At another level of optimisation, gcc 12 crashes.
# Every file must still include what it uses, because the preset debug builds each file alone and
# without precompiled headers. The other presets compile 24 files at a time (CMAKE_UNITY_BUILD), so
# names in unnamed namespaces must differ from those of neighbouring files.
function(torsor_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINKS" ${ARGN})
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${name}.cpp)
  target_link_libraries(${name} PRIVATE torsor_build_flags fmt::fmt ${ARG_LINKS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS}
    <algorithm> <array> <chrono> <cmath> <filesystem> <fmt/format.h> <functional> <map> <memory> <optional> <span> <string>
    <variant> <vector>)
endfunction()
# Compiles programs with -fPIC, like libraries. Otherwise they could not share precompiled headers.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE ${CMAKE_CXX_COMPILE_OPTIONS_PIC})

# torsor_room(NAME [OPTIMISED] [SOURCES ...] [EXCEPT ...] LINKS ...): makes the static library of one
# folder of engine/, which links only lower rooms. The sources are by default all of the folder,
# except those of EXCEPT. OPTIMISED is for rooms that compute in every step.
function(torsor_room name)
  cmake_parse_arguments(ARG "OPTIMISED" "" "SOURCES;EXCEPT;LINKS;PRIVATE_LINKS" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB_RECURSE ARG_SOURCES CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp)
    list(REMOVE_ITEM ARG_SOURCES "" ${ARG_EXCEPT})
  endif()
  add_library(torsor_${name} STATIC ${ARG_SOURCES})
  add_library(Torsor::${name} ALIAS torsor_${name})
  set_target_properties(torsor_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(torsor_${name} PUBLIC ${ARG_LINKS} PRIVATE $<BUILD_INTERFACE:torsor_build_flags> ${ARG_PRIVATE_LINKS})
  install(TARGETS torsor_${name} EXPORT TorsorTargets)
  if(ARG_OPTIMISED)
    target_link_libraries(torsor_${name} PRIVATE $<BUILD_INTERFACE:torsor_optimised>)
    target_precompile_headers(torsor_${name} REUSE_FROM torsor_optimised_headers)
  else()
    target_precompile_headers(torsor_${name} REUSE_FROM torsor_engine_headers)
  endif()
endfunction()

# torsor_header_room(NAME LINKS ...): makes the target of a folder of engine/ that contains only
# headers.
function(torsor_header_room name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  add_library(torsor_${name} INTERFACE)
  add_library(Torsor::${name} ALIAS torsor_${name})
  set_target_properties(torsor_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(torsor_${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine>
                                                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(torsor_${name} INTERFACE ${ARG_LINKS})
  install(TARGETS torsor_${name} EXPORT TorsorSdkTargets)
endfunction()

# The processor levels for which a portable build contains variants of the plugins, in addition to
# the plugins for every processor (engine/loading/plugin_variant.hpp).
set(TORSOR_LEVELS)
if(TORSOR_PORTABLE AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(TORSOR_LEVELS x86-64-v3 x86-64-v4)
endif()

# torsor_plugin(NAME SOURCES ... [OPTIONS ...]): makes a plugin of this project in
# lib/torsor/plugins, and its variant for each level of TORSOR_LEVELS in a subfolder. A variant is a
# complete file with one -march, so the linker cannot use its inline functions elsewhere.
function(torsor_plugin name)
  if(TORSOR_PORTABLE)
    torsor_plugin_file(${name} lib/torsor/plugins "" ${ARGN})
  else()
    torsor_plugin_file(${name} lib/torsor/plugins native ${ARGN})
  endif()
  foreach(level IN LISTS TORSOR_LEVELS)
    torsor_plugin_file(${name}_${level} lib/torsor/plugins/${level} ${level} ${ARGN})
    set_target_properties(${name}_${level} PROPERTIES OUTPUT_NAME ${name})
  endforeach()
endfunction()

# torsor_plugin_file(NAME FOLDER MARCH SOURCES ... [OPTIONS ...]): makes one file of a plugin. Its
# kernels skip products with a constant zero (sdk/joints.hpp). This is correct for finite numbers
# only, so the host checks every result.
function(torsor_plugin_file name folder march)
  cmake_parse_arguments(ARG "" "" "SOURCES;OPTIONS" ${ARGN})
  torsor_add_plugin(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE torsor_warnings)
  if(march)
    target_compile_options(${name} PRIVATE -march=${march})
  endif()
  # Debug builds use -O3 too. Otherwise the tests would take minutes.
  target_compile_options(${name} PRIVATE -O3 -ffinite-math-only -fno-signed-zeros ${ARG_OPTIONS})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(${name} PRIVATE -s)
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION ${folder})
  set_property(GLOBAL APPEND PROPERTY TORSOR_PLUGINS ${name})
endfunction()
