# Writes the file OUT, which registers each test suite of a program as one test. Arguments: -D
# PROGRAM=.. -D NAME=.. -D PROPERTIES=.. -D OUT=..

list(TRANSFORM PROPERTIES REPLACE "(.+)" "\"\\1\"")
list(JOIN PROPERTIES " " properties)

execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY TIMEOUT 60)
string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\." suites "\n${listed}")
set(text "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "[\n.]" "" suite ${suite})
  string(APPEND text "add_test(\"${NAME}.${suite}\" \"${PROGRAM}\" \"--gtest_filter=${suite}.*\")\n"
                     "set_tests_properties(\"${NAME}.${suite}\" PROPERTIES ${properties})\n")
endforeach()
file(WRITE ${OUT} "${text}")
