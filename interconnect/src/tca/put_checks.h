// What every put must satisfy, whichever library takes it.
#pragma once

#include <cstdint>
#include <string_view>

#include "gdr/interconnect/tca_machine.h"

namespace gdr::interconnect {

/// Bytes from the first to the last of a put's rows at a pitch. The put has passed check_rows().
[[nodiscard]] inline std::uint64_t extent(std::uint64_t pitch, const TcaPut& put) {
  return put.rows == 0 ? 0 : (put.rows - 1) * pitch + put.burst;
}

/// Throws gdr::Error for puts without bytes, rows that overlap, and rows beyond their handles.
void check_rows(const TcaPut& put);
/// Throws gdr::Error, naming `argument`, unless `bytes` bytes from `offset` on lie in the handle.
void check_range(const TcaHandle& handle, std::uint64_t offset, std::uint64_t bytes, std::string_view argument);

}  // namespace gdr::interconnect
