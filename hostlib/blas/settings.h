// What the environment says of libgdrblas.
#pragma once

#include "gdr/hostlib/device.h"
#include "gdr/hostlib/dgemm.h"

namespace gdr::blas {

/// Below it a call stays on the host: 512 x 512 x 256, a quarter of a board's unit of work in depth and rows.
inline constexpr double kDefaultMinFlops = 2.0 * 512 * 512 * 256;

struct Settings {
  DeviceOptions device;
  DgemmPrecision precision = DgemmPrecision::paper;
  double min_flops = kDefaultMinFlops;
};

/// From GDR_BLAS_PRECISION, GDR_BLAS_MIN_FLOPS and the variables of device_options_from_environment(). Without
/// GDR_THREADS, OMP_NUM_THREADS says how many threads emulate. Throws gdr::Error naming variable and value.
[[nodiscard]] Settings settings_from_environment();

}  // namespace gdr::blas
