#include "settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"

namespace gdr::blas {
namespace {

/// Threads of this host, as OMP_NUM_THREADS limits those of other libraries: ranks that share a host set it. The first
/// number of its list; 0, as many as the host has, if there is none.
unsigned threads_of_openmp() {
  constexpr unsigned kMostThreads = 1024;
  const std::string value = base::environment("OMP_NUM_THREADS");
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  const bool whole = error == std::errc() && (end == value.data() + value.size() || *end == ',');
  return whole ? std::min(threads, kMostThreads) : 0;
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  settings.device = device_options_from_environment();
  if (base::environment("GDR_THREADS").empty()) settings.device.threads = threads_of_openmp();
  const std::string precision = base::environment("GDR_BLAS_PRECISION");
  if (precision == "double") {
    settings.precision = DgemmPrecision::full;
  } else if (!precision.empty() && precision != "paper") {
    throw Error(fmt::format("GDR_BLAS_PRECISION = '{}' is refused: it must be paper or double", precision));
  }
  const std::string flops = base::environment("GDR_BLAS_MIN_FLOPS");
  if (!flops.empty()) {
    const auto [end, error] = std::from_chars(flops.data(), flops.data() + flops.size(), settings.min_flops);
    // Comparing NaN would raise an exception of the caller's arithmetic.
    if (error != std::errc() || end != flops.data() + flops.size() || std::isnan(settings.min_flops) ||
        settings.min_flops < 0) {
      throw Error(fmt::format("GDR_BLAS_MIN_FLOPS = '{}' is refused: it must be a number of at least 0", flops));
    }
  }
  return settings;
}

}  // namespace gdr::blas
