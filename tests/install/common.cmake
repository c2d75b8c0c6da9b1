# Of the tests of an installed engine, cmake -D SOURCE=.. -D BUILD=.. -D PREFIX=.. -D SCRATCH=.. -P TEST.cmake: a folder of their own, and
# no plugins of the user's or else in the environment that would help.

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
foreach(name TORSOR_PLUGIN_PATH TORSOR_SCRIPTS CMAKE_PREFIX_PATH DESTDIR)
  unset(ENV{${name}})
endforeach()
set(ENV{HOME} ${SCRATCH})
set(ENV{XDG_DATA_HOME} ${SCRATCH}/.local/share)

# run([IN FOLDER] COMMAND...): in a folder of SCRATCH, to success; what it prints on standard output is in `output`.
function(run)
  set(folder .)
  if(ARGV0 STREQUAL IN)
    list(POP_FRONT ARGV in folder)
  endif()
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${SCRATCH}/${folder} OUTPUT_VARIABLE output COMMAND_ECHO STDOUT
                  ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()
