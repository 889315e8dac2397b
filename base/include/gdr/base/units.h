// Decimal prefixes of units, and the size of a double in bytes.
#pragma once

namespace gdr {

inline constexpr double kNano = 1e-9;
inline constexpr double kMicro = 1e-6;
inline constexpr double kKilo = 1e3;
inline constexpr double kMega = 1e6;
inline constexpr double kGiga = 1e9;
inline constexpr double kTera = 1e12;

inline constexpr double kDoubleBytes = 8;

}  // namespace gdr
