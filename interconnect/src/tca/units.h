// Units of the machine files in SI.
#pragma once

namespace gdr::interconnect {

inline constexpr double kMicrosecond = 1e-6;  // s
inline constexpr double kMegabyte = 1e6;      // bytes; rates are MB/s

}  // namespace gdr::interconnect
