# Builds Pinocchio and RBDL from their sources, with the options that their developers use for
# benchmarks. Debian has no packages of these versions.
#
# Their Eigen is vectorised and aligns its types more strictly than that of the rest of the program.
# Therefore the objects of a library are linked to one object that exports only the functions
# declared as default here: no function of Eigen in it replaces one of the program, or the reverse.

# clang makes Pinocchio twice as fast as gcc 12 does.
find_program(TORSOR_BENCH_COMPILER NAMES clang++ DOC "Compiler of Pinocchio and RBDL for the benchmark")
if(NOT TORSOR_BENCH_COMPILER)
  set(TORSOR_BENCH_COMPILER ${CMAKE_CXX_COMPILER})
endif()

# torsor_source_peer(NAME FLAGS ... SOURCES ...): compiles peers/NAME.cpp and the sources of a
# library, and adds them to torsor_bench.
function(torsor_source_peer name)
  cmake_parse_arguments(ARG "" "" "FLAGS;SOURCES" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  set(objects)
  foreach(source ${CMAKE_CURRENT_SOURCE_DIR}/peers/${name}.cpp ${ARG_SOURCES})
    cmake_path(GET source STEM stem)
    set(object ${folder}/${stem}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${TORSOR_BENCH_COMPILER} -std=c++20 -O3 -march=native -DNDEBUG -fPIC
              -fvisibility=hidden -fvisibility-inlines-hidden -w -I${folder}/include ${ARG_FLAGS}
              -I${PROJECT_SOURCE_DIR}/tests -I${PROJECT_BINARY_DIR}/include
              -I${eigen}
              -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${name}/${stem}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${folder}.o
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${folder}/all.o ${objects}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${folder}/all.o ${folder}.o
    DEPENDS ${objects} VERBATIM)
  string(TOUPPER ${name} upper)
  target_sources(torsor_bench PRIVATE ${folder}.o)
  target_compile_definitions(torsor_bench PRIVATE TORSOR_BENCH_${upper})
  set(has_peers 1 PARENT_SCOPE)
endfunction()

# Pinocchio needs only its headers, and those that its build generates. An installation has both.
if(TORSOR_BENCH_PINOCCHIO)
  set(include ${TORSOR_BENCH_PINOCCHIO}/include)
  if(NOT EXISTS ${include}/pinocchio/algorithm/rnea.hpp)
    message(FATAL_ERROR "TORSOR_BENCH_PINOCCHIO: ${TORSOR_BENCH_PINOCCHIO} has no include/pinocchio; "
                        "give the folder of the sources of Pinocchio 3, or of its installation")
  endif()
  if(NOT EXISTS ${include}/pinocchio/config.hpp)
    file(STRINGS ${TORSOR_BENCH_PINOCCHIO}/package.xml version REGEX "<version>")
    string(REGEX REPLACE ".*<version>(.*)</version>.*" "\\1" version "${version}")
    string(REPLACE "." ";" numbers "${version}")
    list(GET numbers 0 major)
    list(GET numbers 1 minor)
    list(GET numbers 2 patch)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/pinocchio/include/pinocchio)
    file(CONFIGURE OUTPUT ${generated}/config.hpp CONTENT "#pragma once
#define PINOCCHIO_VERSION \"@version@\"
#define PINOCCHIO_MAJOR_VERSION @major@
#define PINOCCHIO_MINOR_VERSION @minor@
#define PINOCCHIO_PATCH_VERSION @patch@
#define PINOCCHIO_DLLAPI
" @ONLY)
    file(CONFIGURE OUTPUT ${generated}/warning.hpp CONTENT "#pragma once
#define PINOCCHIO_WARN(text) (\"WARNING: \" text)
" @ONLY)
    file(CONFIGURE OUTPUT ${generated}/deprecated.hpp CONTENT "#pragma once
#define PINOCCHIO_DEPRECATED [[deprecated]]
#define PINOCCHIO_DEPRECATED_MESSAGE(text) [[deprecated(#text)]]
#define PINOCCHIO_DEPRECATED_HEADER(text)
" @ONLY)
  endif()
  torsor_source_peer(pinocchio FLAGS -I${include})
endif()

if(TORSOR_BENCH_RBDL)
  set(sources ${TORSOR_BENCH_RBDL}/src)
  if(NOT EXISTS ${sources}/Dynamics.cc)
    message(FATAL_ERROR "TORSOR_BENCH_RBDL: ${TORSOR_BENCH_RBDL} has no src/Dynamics.cc; "
                        "give the folder of the sources of RBDL 3")
  endif()
  file(STRINGS ${TORSOR_BENCH_RBDL}/CMakeLists.txt lines REGEX "SET \\( RBDL_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
  list(JOIN numbers "." version)
  list(GET numbers 0 RBDL_VERSION_MAJOR)
  list(GET numbers 1 RBDL_VERSION_MINOR)
  list(GET numbers 2 RBDL_VERSION_PATCH)
  set(RBDL_BUILD_STATIC ON)
  configure_file(${TORSOR_BENCH_RBDL}/include/rbdl/rbdl_config.h.cmake ${CMAKE_CURRENT_BINARY_DIR}/rbdl/include/rbdl/rbdl_config.h)
  set(files Dynamics Joint Kinematics Model Logging rbdl_mathutils rbdl_utils rbdl_errors)
  list(TRANSFORM files REPLACE "(.+)" "${sources}/\\1.cc")
  torsor_source_peer(rbdl FLAGS -I${TORSOR_BENCH_RBDL}/include -DTORSOR_BENCH_RBDL_VERSION="${version}" SOURCES ${files})
endif()
