# Run after a test program was linked: makes CTest tests of its GoogleTest suites.
#
#   cmake -D RUNNER=EMULATOR -D PROGRAM=FILE -D NAME=NAME -D TESTS=FILE -D ENVIRONMENT=... -P discover_suites.cmake
#
# A suite is one test, NAME.SUITE, with the label unit: a process for each single test would start some thousand processes more,
# which load shared libraries for longer than they test. Suites with Nightly or Soak in their name carry the label nightly, which
# scripts/nightly runs, or soak, for scripts/soak. Each of their tests is one of CTest's, NAME.SUITE.TEST: they take so long that
# they run side by side.
execute_process(COMMAND ${CMAKE_COMMAND} -E env ${ENVIRONMENT} ${RUNNER} ${PROGRAM} --gtest_list_tests --gtest_filter=*
  OUTPUT_VARIABLE listed RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${status}\n${listed}")
endif()
set(script)
macro(add name filter label)
  string(APPEND script
    "add_test([=[${NAME}.${name}]=] ${RUNNER} [=[${PROGRAM}]=] [=[--gtest_filter=${filter}]=])\n"
    "set_tests_properties([=[${NAME}.${name}]=] PROPERTIES LABELS ${label} ENVIRONMENT [=[${ENVIRONMENT}]=])\n")
endmacro()
# A suite's line is "Suite." or "Instance/Suite/0.  # TypeParam = ...", its tests' lines are "  Test" or "  Test/0  # GetParam() = ...".
string(REGEX MATCHALL "(^|\n)([A-Za-z0-9_/]+\\.|  [A-Za-z0-9_/]+)" lines "${listed}")
foreach(line ${lines})
  string(REGEX MATCH "[A-Za-z0-9_/]+" name "${line}")
  if(line MATCHES "  ")
    if(NOT label STREQUAL unit)
      add(${suite}.${name} ${suite}.${name} ${label})
    endif()
    continue()
  endif()
  set(suite ${name})
  set(label unit)
  if(suite MATCHES Nightly)
    set(label nightly)
  elseif(suite MATCHES Soak)
    set(label soak)
  else()
    add(${suite} ${suite}.* unit)
  endif()
endforeach()
file(WRITE ${TESTS} "${script}")
