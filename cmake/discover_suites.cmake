# Run after a test program was linked: makes a CTest test of each of its GoogleTest suites, named PROGRAM.SUITE. A process for
# each single test would start some thousand processes more, which load shared libraries for longer than they test.
#
#   cmake -D PROGRAM=FILE -D NAME=NAME -D TESTS=FILE -D LABELS=... -D ENVIRONMENT=... -P discover_suites.cmake
execute_process(COMMAND ${CMAKE_COMMAND} -E env ${ENVIRONMENT} ${PROGRAM} --gtest_list_tests
  OUTPUT_VARIABLE listed RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${status}\n${listed}")
endif()
# A suite's line is "Suite." or "Instance/Suite/0.  # TypeParam = ...", its tests' lines are indented.
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${listed}")
set(script)
foreach(suite ${suites})
  string(REGEX MATCH "[A-Za-z0-9_/]+" suite "${suite}")
  string(APPEND script
    "add_test([=[${NAME}.${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n"
    "set_tests_properties([=[${NAME}.${suite}]=] PROPERTIES LABELS [=[${LABELS}]=] ENVIRONMENT [=[${ENVIRONMENT}]=])\n")
endforeach()
file(WRITE ${TESTS} "${script}")
