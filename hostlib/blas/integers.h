// The integers of BLAS's faces: 32 or 64 bits, as the name says or as the library behind ours has them.
#pragma once

#include <cstdint>

#include "host_blas.h"

#define GDR_BLAS_FACE extern "C" [[gnu::visibility("default")]]

namespace gdr::blas {

/// An integer of a C call, as a register or a word of the stack brings it.
using Word = std::intptr_t;

/// Which integers a name takes.
enum class Integers : std::uint8_t {
  as_host,  // those of the library behind ours: 32 bits, or 64 with Debian's libblas64
  narrow,   // 32 bits
  wide      // 64 bits
};

template <Integers kind>
bool are_wide() {
  if constexpr (kind == Integers::as_host) return host_has_wide_integers();
  return kind == Integers::wide;
}

/// An integer behind a Fortran argument.
template <Integers kind>
std::int64_t at(const void* argument) {
  return are_wide<kind>() ? *static_cast<const std::int64_t*>(argument) : *static_cast<const std::int32_t*>(argument);
}

/// The upper half of a word that holds 32 bits may be anything.
template <Integers kind>
std::int64_t of(Word word) {
  return are_wide<kind>() ? std::int64_t{word} : std::int64_t{static_cast<std::int32_t>(word)};
}

}  // namespace gdr::blas
