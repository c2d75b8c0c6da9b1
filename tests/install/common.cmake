# Begins each test of an installed engine:
#   cmake -D SOURCE=.. -D BUILD=.. -D PREFIX=.. -D RECORD=.. -D SCRATCH=.. -P TEST.cmake
# Creates an empty folder SCRATCH. Clears the variables by which the installation would find the
# user's plugins and scripts or the build tree. RECORD is the folder with the manifest of the
# installation.

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
foreach(name TORSOR_PLUGIN_PATH TORSOR_SCRIPTS CMAKE_PREFIX_PATH DESTDIR)
  unset(ENV{${name}})
endforeach()
set(ENV{HOME} ${SCRATCH})
set(ENV{XDG_DATA_HOME} ${SCRATCH}/.local/share)

# run([IN FOLDER] COMMAND...): runs a command in SCRATCH or in FOLDER below it. Stops the test if
# the command fails. Sets `output` to its standard output.
function(run)
  set(folder .)
  if(ARGV0 STREQUAL IN)
    list(POP_FRONT ARGV in folder)
  endif()
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${SCRATCH}/${folder} OUTPUT_VARIABLE output COMMAND_ECHO STDOUT
                  ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()
