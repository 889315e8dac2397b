# Debian packages of an installed tree: scripts/packages builds, checks and tries them. Which file belongs to which package is
# the component that its install() names.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gdr)
set(CPACK_PACKAGE_VENDOR "the gdr developers")
set(CPACK_PACKAGE_CONTACT "The gdr developers <gdr@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL gdr libgdr libgdr-dev python3-gdr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The programs find our own shared libraries where the build left them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# debian_package(COMPONENT SECTION DEPENDS SUMMARY TEXT...): what its control file says; DEPENDS beside the shared
# libraries that its programs need.
function(debian_package component section depends summary)
  string(TOUPPER ${component} name)
  list(JOIN ARGN "\n" text)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${name}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  # What Debian wants of every package: who may copy it, and what changed.
  set(documents ${gdr_BINARY_DIR}/packages/${component})
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/debian/copyright ${documents}/copyright COPYONLY)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/debian/changelog.in ${documents}/changelog.Debian @ONLY)
  execute_process(COMMAND gzip -9nf ${documents}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${documents}/copyright ${documents}/changelog.Debian.gz DESTINATION share/doc/${component}
    COMPONENT ${component})
  set(overrides ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/debian/${component}.lintian-overrides)
  if(EXISTS ${overrides})
    install(FILES ${overrides} DESTINATION share/lintian/overrides RENAME ${component} COMPONENT ${component})
  endif()
endfunction()

set(same_version "(= ${gdr_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
debian_package(gdr science "libgdr ${same_version}" "assembler and emulator of the GRAPE-DR accelerator"
  "GRAPE-DR was a SIMD accelerator of 512 processing elements per chip that ran"
  "gravity and dense linear algebra. gdr assembles kernels for it and proves them"
  "legal, runs them on emulated boards to the last bit, integrates N-body systems,"
  "models High Performance LINPACK and the networks between boards, and shows"
  "published numbers beside its own. libtca runs programs for HA-PACS/TCA between"
  "MPI ranks.")
debian_package(libgdr libs "" "emulated GRAPE-DR boards, shared libraries"
  "libgdr drives emulated boards from C++ and from C and Fortran stubs. libgdrblas"
  "is a BLAS whose matrix products a board computes, libg6 and libg5 are the"
  "GRAPE-6 and GRAPE-5 libraries on such boards.")
debian_package(libgdr-dev libdevel "libgdr ${same_version}, libblas-dev | libblas.so, libelf-dev, libfmt-dev, libssl-dev, libtomlplusplus-dev, pkg-config"
  "emulated GRAPE-DR boards, development files"
  "Headers, static libraries, the CMake package gdr and pkg-config files for"
  "programs that drive emulated GRAPE-DR boards.")
# Of gdr, the module needs libgdr_simgrid.so.
debian_package(python3-gdr python "gdr ${same_version}, libgdr ${same_version}, python3, python3-numpy" "emulated GRAPE-DR boards from Python"
  "The module grapedr assembles kernels, runs them on emulated boards and"
  "integrates N-body systems, with NumPy arrays in and out.")
set(CPACK_DEBIAN_GDR_PACKAGE_RECOMMENDS clang-19)  # gdr cc calls it for C++
set(CPACK_DEBIAN_PYTHON3-GDR_PACKAGE_RECOMMENDS "python3-matplotlib, python3-h5py")  # figures, HDF5 tables
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")  # as docs/reference/versions.md promises
set(CPACK_DEBIAN_LIBGDR_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
set(CPACK_DEBIAN_GDR_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
include(CPack)
