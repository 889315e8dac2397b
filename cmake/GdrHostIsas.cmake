# The instruction sets of the host that vector code is compiled for, once each; which runs is decided at run time. This is
# the only list of them, from the slowest to the fastest: a name, and the features that the compiler may use and that the
# host must have. emulator/include/gdr/emulator/host_isa.h has the same names.
set(GDR_HOST_ISAS portable)
set(gdr_features_portable)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND GDR_HOST_ISAS sse4_2 avx2 avx512)
  set(gdr_features_sse4_2 sse4.2)
  set(gdr_features_avx2 avx2 fma)
  set(gdr_features_avx512 avx512f avx512dq avx512bw avx512vl avx512cd fma)
  # GCC 12 warns of registers that its own intrinsics leave as they are (GCC bug 105593).
  set(gdr_options_avx512 -mprefer-vector-width=512
    $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  list(APPEND GDR_HOST_ISAS neon)
  set(gdr_features_neon)
endif()

# gdr_supported_ISA: a C++ condition that is true on hosts with this instruction set.
foreach(isa ${GDR_HOST_ISAS})
  set(gdr_supported_${isa} true)
  foreach(feature ${gdr_features_${isa}})
    string(APPEND gdr_supported_${isa} " && __builtin_cpu_supports(\"${feature}\")")
  endforeach()
endforeach()

option(GDR_NATIVE_ISA "Compile vector code for the fastest instruction set of this host alone, and portably" OFF)
if(GDR_NATIVE_ISA)
  include(CheckCXXSourceRuns)
  set(gdr_native)
  foreach(isa ${GDR_HOST_ISAS})
    check_cxx_source_runs("int main() { return (${gdr_supported_${isa}}) ? 0 : 1; }" GDR_HOST_HAS_${isa})
    if(GDR_HOST_HAS_${isa})
      set(gdr_native ${isa})
    endif()
  endforeach()
  set(GDR_HOST_ISAS portable ${gdr_native})
  list(REMOVE_DUPLICATES GDR_HOST_ISAS)
endif()

# gdr_host_isa_sources(TARGET TEMPLATE STEM options...): compiles TEMPLATE, in which @isa@ stands for the name of an
# instruction set, into TARGET once for each of them; the files are called STEM_NAME.cpp. Sources of TARGET may include
# host_isas.inc, which has a line for each: GDR_HOST_ISA(name, whether this host has it).
function(gdr_host_isa_sources target template stem)
  set(GDR_HOST_ISA_LINES)
  foreach(isa ${GDR_HOST_ISAS})
    set(options ${gdr_options_${isa}})
    foreach(feature ${gdr_features_${isa}})
      list(APPEND options -m${feature})
    endforeach()
    string(APPEND GDR_HOST_ISA_LINES "GDR_HOST_ISA(${isa}, ${gdr_supported_${isa}})\n")
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${isa}.cpp)
    configure_file(${template} ${source} @ONLY)
    target_sources(${target} PRIVATE ${source})
    # They are optimised in every build: without it GCC's intrinsics are macros, to which xsimd 8.1 hands batches as they
    # are.
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${options} $<$<OR:$<CONFIG:>,$<CONFIG:Debug>>:-O1> ${ARGN})
    # They have no buffers on the stack, and the time of a run goes into them.
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -fno-stack-protector -U_FORTIFY_SOURCE)
  endforeach()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/host_isas.inc.in ${CMAKE_CURRENT_BINARY_DIR}/host_isas/host_isas.inc @ONLY)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/host_isas)
  # Of xsimd only the headers are wanted: Debian's target would link xtl, too.
  list(LENGTH GDR_HOST_ISAS count)
  if(count GREATER 1)
    find_package(xsimd 8.1 REQUIRED)
    target_include_directories(${target} SYSTEM PRIVATE $<TARGET_PROPERTY:xsimd,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
endfunction()
