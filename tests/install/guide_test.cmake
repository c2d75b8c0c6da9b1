# Follows the section "A solver in ten minutes" of plugins/README.md. Runs its commands in order and
# makes its changes of the solver.

include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
set(ENV{PATH} "${PREFIX}/bin:$ENV{PATH}")
execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/guide_test.sh ${SOURCE}/plugins/README.md WORKING_DIRECTORY ${SCRATCH}
                COMMAND_ERROR_IS_FATAL ANY)
