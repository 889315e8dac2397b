#include "put_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gdr::interconnect {

void check_rows(const TcaPut& put) {
  if (put.burst == 0 || put.rows == 0) {
    throw Error(fmt::format("{} rows of {} bytes are refused: both must be 1 or more", put.rows, put.burst));
  }
  // Refused already here, so that products of rows and pitches stay within 64 bits.
  for (const auto& [pitch, bytes] :
       {std::pair(put.destination_pitch, put.destination.bytes), std::pair(put.source_pitch, put.source.bytes)}) {
    if (put.burst > bytes || (put.rows > 1 && put.rows - 1 > bytes / std::max<std::uint64_t>(pitch, 1))) {
      throw Error(fmt::format("{} rows of {} bytes, {} apart, are refused: the handle has {} bytes", put.rows,
                              put.burst, pitch, bytes));
    }
  }
  if (put.rows > 1 && (put.destination_pitch < put.burst || put.source_pitch < put.burst)) {
    throw Error(fmt::format("pitches {} and {} are refused: rows of {} bytes would overlap", put.destination_pitch,
                            put.source_pitch, put.burst));
  }
}

void check_range(const TcaHandle& handle, std::uint64_t offset, std::uint64_t bytes, std::string_view argument) {
  if (offset > handle.bytes || bytes > handle.bytes - offset) {
    throw Error(fmt::format("{}: bytes {} to {} are refused: the handle has {}", argument, offset, offset + bytes,
                            handle.bytes));
  }
}

}  // namespace gdr::interconnect
