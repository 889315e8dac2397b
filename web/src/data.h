// Particles for any kernel: columns found by the names that kernels give them.
#pragma once

#include <cstdint>
#include <string>

#include "gdr/hostlib/table.h"

namespace gdr::web {

enum class Model : std::uint8_t {
  plummer,  // hostlib::make_plummer()
  random    // positions and velocities in a cube of side 2 about 0, masses 1/n
};
/// Throws gdr::Error for an unknown name; the message lists the known ones.
[[nodiscard]] Model model_named(const std::string& name);

struct DataOptions {
  Model model = Model::plummer;
  std::uint64_t ni = 128;   // 1 to kMostParticles; the i-particles are the first j-particles, as far as those suffice
  std::uint64_t nj = 1024;  // 2 to kMostRecords
  std::uint64_t seed = 1;
  double eps2 = 0x1p-12;  // softening squared, a length of 1/64
  // Own particles as CSV with the kernel's columns: they take the place of the model, and their rows that of ni and nj.
  std::string own_i;
  std::string own_j;
};
inline constexpr std::uint64_t kMostParticles = 4096;
inline constexpr std::uint64_t kMostRecords = 16384;

/// What a kernel's hlt and elt columns hold:
///
/// | column, without i or j behind it | number |
/// |---|---|
/// | `x`, `v`: elements 0 to 2 | position and velocity |
/// | `m` | mass |
/// | `eps2` | options.eps2 |
/// | `index`, `slot` | number of the particle, from 0 |
/// | `tag` | the same modulo 8 |
/// | `t`, `aby2`, `a1by6`, `a2by18`, `reserved`, `reserved_` | 0 |
/// | any other | random: in (0, 1], or a whole number from 0 to 15 where the kernel wants one |
///
/// Random numbers are those of the Plummer sphere (hostlib/plummer.h), from a generator of its own for each column.
struct Data {
  hostlib::Table i;
  hostlib::Table j;
  std::uint64_t ni = 0;
  std::uint64_t nj = 0;
};
/// Throws gdr::Error with the option, its value and the range; for own particles as hostlib::read_csv(), of `i.csv` or
/// `j.csv`.
[[nodiscard]] Data make_data(const isa::Program& program, const DataOptions& options);

}  // namespace gdr::web
