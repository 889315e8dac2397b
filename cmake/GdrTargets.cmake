# How every target of the project is compiled, and the short forms that the components' lists use.

# gdr_install(arguments of install()...): installs what projects that gdr is a part of do not want unasked.
function(gdr_install)
  if(GDR_INSTALL)
    install(${ARGN})
  endif()
endfunction()

find_program(GDR_CCACHE ccache)
if(GDR_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # Without this sloppiness ccache keeps nothing that is compiled with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${GDR_CCACHE})
endif()

# mold links in a quarter of the time. What is shipped is linked as the compiler does by itself.
find_program(GDR_MOLD mold)
set(GDR_QUICKLY_LINKED)
if(GDR_MOLD AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING)
  set(GDR_QUICKLY_LINKED -fuse-ld=mold)
endif()

add_library(gdr_options INTERFACE)
target_compile_features(gdr_options INTERFACE cxx_std_20)
# Results are bit exact: no contraction, no value-changing optimisation, whatever the compiler's default.
target_compile_options(gdr_options INTERFACE -ffp-contract=off -fno-fast-math)
if(PROJECT_IS_TOP_LEVEL)
  # GCC 12 sees overlaps in std::string's concatenation that are none (GCC bug 105329).
  target_compile_options(gdr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  # Clang reports std::stable_sort's own use of a deprecated function in the library of GCC 12.
  target_compile_options(gdr_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  # Asserts name files as seen from this folder, so that a compiler cache can serve several clones (scripts/test).
  target_compile_options(gdr_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  target_compile_options(gdr_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  if(CMAKE_UNITY_BUILD)
    # In a unity source compilers warn of what no source by itself does: a name hides one of another source. GCC also
    # takes the sources for headers, and warns of their classes with members of types without linkage.
    target_compile_options(gdr_options INTERFACE -Wno-shadow
      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:-Wno-subobject-linkage>)
    # GCC walks all that it holds each time that this has grown by a half or so; up to 1 GiB (in KiB) it leaves that, which
    # takes a tenth of the time off a unity source and adds some 300 MB.
    target_compile_options(gdr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
  endif()
  if(GDR_WARNINGS_AS_ERRORS)
    target_compile_options(gdr_options INTERFACE -Werror)
  endif()
endif()
if(GDR_SANITIZE)
  target_compile_options(gdr_options INTERFACE -fsanitize=${GDR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gdr_options INTERFACE -fsanitize=${GDR_SANITIZE} ${GDR_QUICKLY_LINKED})
endif()

# What runs inside other people's programs checks the stack and the bounds of buffers. The C library's checks need an
# optimising compiler, and sanitizers bring their own.
set(GDR_HARDENED_OPTIONS -fstack-protector-strong)
if(NOT GDR_SANITIZE)
  list(APPEND GDR_HARDENED_OPTIONS
    "$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>" "$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>")
endif()

# Code that computes next to nothing by itself (tests, option parsing, editor, debugger) is optimised less in release
# builds: it compiles in less than two thirds of the time. With sanitizers it is not optimised at all.
set(GDR_BARELY_RUN $<$<CONFIG:Release>:-Og>)
if(GDR_SANITIZE)
  set(GDR_BARELY_RUN -O0)
endif()

# gdr_shipped(TARGET): a program or shared library that is shipped. Its tables of addresses cannot be written to once it is
# loaded. It looks for libraries in the absolute folders that it was linked with outside the project, in the build tree as
# when it is installed: CMake ends the path of what it will rewrite for an installation in ':', which means the current
# folder. A wheel takes the files as they were linked.
function(gdr_shipped target)
  target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

# gdr_hardened(TARGET): a shared library that is shipped and runs inside other people's programs.
function(gdr_hardened target)
  gdr_shipped(${target})
  target_compile_options(${target} PRIVATE ${GDR_HARDENED_OPTIONS})
endfunction()

# gdr_plugin(NAME sources... LOADED_BY target LIBRARIES libraries...): the library gdr_NAME, which a component or program
# loads when it is needed. What links with such a component is linked after the plug-in was built, so that no build of
# selected targets lacks it; with GDR_WAIT_FOR_COMPILERS off, not after those of the component compiler.
function(gdr_plugin name)
  cmake_parse_arguments(PLUGIN "" "LOADED_BY" "LIBRARIES" ${ARGN})
  add_library(gdr_${name} MODULE ${PLUGIN_UNPARSED_ARGUMENTS})
  target_link_libraries(gdr_${name} PRIVATE ${PLUGIN_LIBRARIES} gdr_options)
  set_target_properties(gdr_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  gdr_hardened(gdr_${name})
  get_target_property(kind ${PLUGIN_LOADED_BY} TYPE)
  if(kind STREQUAL EXECUTABLE)
    add_dependencies(${PLUGIN_LOADED_BY} gdr_${name})
  elseif(GDR_WAIT_FOR_COMPILERS OR NOT PLUGIN_LOADED_BY STREQUAL gdr_compiler)
    set_property(TARGET ${PLUGIN_LOADED_BY} APPEND PROPERTY
      INTERFACE_LINK_DEPENDS $<BUILD_INTERFACE:$<TARGET_FILE:gdr_${name}>>)
  endif()
endfunction()

# What libFuzzer is told of is the components' code, which the fuzz targets run; programs of other kinds link it as it
# is.
if(GDR_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang OR NOT GDR_SANITIZE MATCHES address)
    message(FATAL_ERROR "GDR_FUZZERS needs Clang and GDR_SANITIZE with address")
  endif()
  set(GDR_COMPONENT_OPTIONS -fsanitize=fuzzer-no-link)
endif()

# gdr_component(NAME sources... DEPENDS components... PRIVATE libraries...): the library gdr::NAME of a component, whose
# public headers are include/gdr/NAME/*.h. DEPENDS repeats the table of components in docs/reference/components.md.
function(gdr_component name)
  cmake_parse_arguments(COMPONENT "" "" "DEPENDS;PRIVATE" ${ARGN})
  set(kind STATIC)
  if(GDR_SHARED_COMPONENTS)
    set(kind SHARED)
  endif()
  add_library(gdr_${name} ${kind} ${COMPONENT_UNPARSED_ARGUMENTS})
  add_library(gdr::${name} ALIAS gdr_${name})
  set_target_properties(gdr_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/gdr/${name}/*.h)
  target_sources(gdr_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR}/include FILES ${headers})
  target_compile_features(gdr_${name} PUBLIC cxx_std_20)
  target_compile_options(gdr_${name} PRIVATE ${GDR_COMPONENT_OPTIONS})
  # The components' objects stand inside libraries that are preloaded. gdr_host_isa_sources() takes this back.
  target_compile_options(gdr_${name} PRIVATE ${GDR_HARDENED_OPTIONS})
  target_include_directories(gdr_${name} PRIVATE src)
  foreach(component ${COMPONENT_DEPENDS})
    target_link_libraries(gdr_${name} PUBLIC gdr::${component})
  endforeach()
  target_link_libraries(gdr_${name} PRIVATE ${COMPONENT_PRIVATE} $<BUILD_INTERFACE:gdr_options>)
endfunction()

# Optimising what a test says of the code under test takes longer than running it does. Tests name what they include,
# although in some presets it has been read before.
function(gdr_test_options target)
  target_compile_options(${target} PRIVATE ${GDR_BARELY_RUN})
  if(TARGET gdr_test_headers)
    target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_OPTIONS>)
    target_precompile_headers(${target} REUSE_FROM gdr_test_headers)
  endif()
endfunction()

# gdr_suites(PROGRAM NAME name ENVIRONMENT variables...): each GoogleTest suite of the program becomes a CTest test NAME.SUITE of
# the label unit, with the variables set; see cmake/discover_suites.cmake for those that are not for every change.
function(gdr_suites program)
  cmake_parse_arguments(SUITES "" "NAME" "ENVIRONMENT" ${ARGN})
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${SUITES_NAME}_suites.cmake)
  add_custom_command(TARGET ${program} POST_BUILD VERBATIM BYPRODUCTS ${tests}
    COMMAND ${CMAKE_COMMAND} -D "RUNNER=${CMAKE_CROSSCOMPILING_EMULATOR}" -D PROGRAM=$<TARGET_FILE:${program}>
      -D NAME=${SUITES_NAME} -D TESTS=${tests} -D "ENVIRONMENT=${SUITES_ENVIRONMENT}" -P ${PROJECT_SOURCE_DIR}/cmake/discover_suites.cmake)
  # CTest shows what was not built as a test that cannot be run.
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${SUITES_NAME}_include.cmake)
  file(CONFIGURE OUTPUT ${include} @ONLY CONTENT
"if(EXISTS [=[@tests@]=])
  include([=[@tests@]=])
else()
  add_test(@SUITES_NAME@_NOT_BUILT @SUITES_NAME@_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()

# gdr_test(NAME sources... LIBRARIES libraries...): a GoogleTest program, whose suites are CTest tests. Presets with
# unity builds compile up to eight of its sources as one, since headers are half of the work.
function(gdr_test name)
  cmake_parse_arguments(TEST "" "" "LIBRARIES" ${ARGN})
  add_executable(${name} ${TEST_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${TEST_LIBRARIES} gdr_test_main gdr_options)
  gdr_test_options(${name})
  if($CACHE{CMAKE_UNITY_BUILD})
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  gdr_suites(${name} NAME ${name}
    ENVIRONMENT GDR_CACHE_DIR=${PROJECT_BINARY_DIR}/loop-cache POCL_CACHE_DIR=${PROJECT_BINARY_DIR}/opencl-cache)
endfunction()
