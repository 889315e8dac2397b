# The shared library libgdr made of all components, and what cmake --install leaves: programs, libraries, headers, data,
# the CMake package gdr and pkg-config files. docs/reference/components.md says why libgdr is shared, docs/reference/versions.md what its
# number promises.
include(CMakePackageConfigHelpers)

set(installed_components)
foreach(component ${library_components})
  if(TARGET gdr_${component})
    list(APPEND installed_components gdr_${component})
  endif()
endforeach()

# The target gdr is the program; this is the library. It takes every object of the components, needed by another or not,
# and links the components for the sake of the libraries behind them.
add_library(gdr_library SHARED)
foreach(component ${installed_components})
  target_sources(gdr_library PRIVATE $<TARGET_OBJECTS:${component}>)
endforeach()
add_library(gdr::gdr ALIAS gdr_library)
set(version_script ${CMAKE_CURRENT_LIST_DIR}/libgdr.map)
set_target_properties(gdr_library PROPERTIES
  OUTPUT_NAME gdr
  EXPORT_NAME gdr
  LINKER_LANGUAGE CXX
  VERSION ${gdr_VERSION}
  SOVERSION ${gdr_VERSION_MAJOR}
  LINK_DEPENDS ${version_script})
target_compile_features(gdr_library INTERFACE cxx_std_20)
target_link_libraries(gdr_library PRIVATE $<BUILD_INTERFACE:gdr_options> ${installed_components})
target_link_options(gdr_library PRIVATE -Wl,--version-script=${version_script})
gdr_hardened(gdr_library)
if(NOT GDR_SANITIZE)  # the sanitizers' own names are found in the program
  target_link_options(gdr_library PRIVATE -Wl,--no-undefined)
endif()
foreach(component ${installed_components})
  target_include_directories(gdr_library INTERFACE
    $<BUILD_INTERFACE:$<TARGET_PROPERTY:${component},INTERFACE_INCLUDE_DIRECTORIES>>)
endforeach()

foreach(component ${installed_components})
  get_target_property(header_sets ${component} INTERFACE_HEADER_SETS)
  set(file_sets)
  foreach(header_set ${header_sets})
    list(APPEND file_sets FILE_SET ${header_set})
  endforeach()
  gdr_install(TARGETS ${component} EXPORT gdrComponents ${file_sets})
endforeach()
gdr_install(TARGETS gdr_simulation gdr_mapping EXPORT gdrComponents)
if(TARGET gdr_blas)
  gdr_install(TARGETS gdr_blas EXPORT gdrTargets LIBRARY COMPONENT library NAMELINK_COMPONENT development)
endif()
# In a folder of their own: other libraries install headers of these names.
set(grape_include_dir ${CMAKE_INSTALL_INCLUDEDIR}/gdr/grape)
gdr_install(TARGETS gdr_g6 gdr_g5 EXPORT gdrTargets LIBRARY COMPONENT library NAMELINK_COMPONENT development
  FILE_SET HEADERS DESTINATION ${grape_include_dir})
if(TARGET gdr_tca)
  gdr_install(TARGETS gdr_tca EXPORT gdrTca LIBRARY COMPONENT library NAMELINK_COMPONENT development FILE_SET HEADERS)
endif()
gdr_install(TARGETS gdr_g6_static)  # by its name or pkg-config: what it needs of us is libgdr
gdr_install(FILES ${gdr_grape_links} DESTINATION ${CMAKE_INSTALL_LIBDIR})
gdr_install(TARGETS gdr_library EXPORT gdrTargets LIBRARY COMPONENT library NAMELINK_COMPONENT development INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(plugin gdr_jit gdr_opencl gdr_import gdr_goose gdr_xacc gdr_hdf5)  # found beside libgdr and the programs
  if(TARGET ${plugin})
    gdr_install(TARGETS ${plugin} LIBRARY DESTINATION ${GDR_INSTALL_PLUGIN_DIR} COMPONENT library)
  endif()
endforeach()
# What pair functions include, for gdr cc and for the host's compiler.
gdr_install(FILES ${gdr_SOURCE_DIR}/kernels/cc/gdr/kernel.h DESTINATION ${CMAKE_INSTALL_DATADIR}/gdr/kernels/cc/gdr COMPONENT library)
gdr_install(FILES ${gdr_SOURCE_DIR}/kernels/cc/quick/bits/specfun.h
  DESTINATION ${CMAKE_INSTALL_DATADIR}/gdr/kernels/cc/quick/bits COMPONENT library)
gdr_install(FILES ${gdr_SOURCE_DIR}/kernels/cc/gdr/kernel.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gdr)
# What programs with directives of XcalableMP include.
gdr_install(FILES ${gdr_SOURCE_DIR}/kernels/xacc/xmp.h DESTINATION ${CMAKE_INSTALL_DATADIR}/gdr/kernels/xacc COMPONENT library)
foreach(data machines kernels)
  gdr_install(DIRECTORY ${gdr_SOURCE_DIR}/${data} DESTINATION ${CMAKE_INSTALL_DATADIR}/gdr COMPONENT library
    FILES_MATCHING PATTERN *.toml PATTERN *.csv PATTERN *.vsm PATTERN *.cc PATTERN *.lsump PATTERN *.c
    PATTERN src EXCLUDE PATTERN include EXCLUDE)  # of the tests' references, whose folders would stay empty
endforeach()
gdr_install(FILES ${gdr_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gdr)
gdr_install(EXPORT gdrTargets NAMESPACE gdr:: DESTINATION ${package_dir})
# Static libraries, which need the packages behind them where they are linked.
gdr_install(EXPORT gdrComponents NAMESPACE gdr:: DESTINATION ${package_dir})
if(TARGET gdr_tca)
  gdr_install(EXPORT gdrTca NAMESPACE gdr:: DESTINATION ${package_dir})
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gdrConfig.cmake.in ${gdr_BINARY_DIR}/gdrConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${gdr_BINARY_DIR}/gdrConfigVersion.cmake COMPATIBILITY SameMajorVersion)
gdr_install(FILES ${gdr_BINARY_DIR}/gdrConfig.cmake ${gdr_BINARY_DIR}/gdrConfigVersion.cmake DESTINATION ${package_dir})

# From the folder of gdr.pc to the prefix, so that an installed tree may be moved.
file(RELATIVE_PATH GDR_PREFIX_FROM_PKGCONFIG /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/gdr.pc.in ${gdr_BINARY_DIR}/gdr.pc @ONLY)
gdr_install(FILES ${gdr_BINARY_DIR}/gdr.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET gdr_blas)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/gdrblas.pc.in ${gdr_BINARY_DIR}/gdrblas.pc @ONLY)
  gdr_install(FILES ${gdr_BINARY_DIR}/gdrblas.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(TARGET gdr_tca)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/tca.pc.in ${gdr_BINARY_DIR}/tca.pc @ONLY)
  gdr_install(FILES ${gdr_BINARY_DIR}/tca.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
# g6lib and sapporo_light are the names under which AMUSE looks for a GRAPE-6 library.
foreach(grape_package g6 g6lib sapporo_light g5)
  set(grape_library g6)
  set(grape_description GRAPE-6)
  if(grape_package STREQUAL "g5")
    set(grape_library g5)
    set(grape_description GRAPE-5)
  endif()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/grape.pc.in ${gdr_BINARY_DIR}/${grape_package}.pc @ONLY)
  gdr_install(FILES ${gdr_BINARY_DIR}/${grape_package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
