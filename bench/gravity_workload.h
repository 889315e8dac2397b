// The kernel that engines are measured on, kernels/gravity_jerk.vsm, with particles of a random sphere.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "gdr/emulator/chip.h"

namespace gdr::bench {

/// Of the particles' positions: all bits random, multiples of 1/16, or rounded to single precision. The fewer bits
/// there are, the more results lie exactly between two words.
enum class Positions { random, lattice, single_precision };

struct GravityWorkload {
  isa::Program program;
  std::vector<isa::LongWord> records;  // for the 16 blocks, one after the other

  /// `iterations` j-records for each block. Throws Error if the kernel cannot be read or assembled.
  explicit GravityWorkload(unsigned iterations, Positions positions = Positions::random);

  [[nodiscard]] emulator::RecordStream stream() const;
  /// i-data of one block and the parameters, by functions that write words into a PE and into BM.
  using WritePe = std::function<void(unsigned pe, const emulator::PeWords&, std::span<const isa::LongWord>)>;
  using WriteBm = std::function<void(unsigned address, std::span<const isa::LongWord>)>;
  void prepare(const WritePe& write_pe, const WriteBm& write_bm) const;
  /// The program, and i-data and parameters in every block.
  void load(emulator::Chip& chip) const;
  /// Where the results stand in a PE.
  [[nodiscard]] std::vector<emulator::PeWords> results() const;

 private:
  [[nodiscard]] isa::LongWord word_of(const isa::Variable& variable, double value) const;

  Positions positions_;
};

/// A value of the size that the variable has in an N-body run in standard units; `index` is the particle's.
[[nodiscard]] double typical_value(const isa::Variable& variable, std::mt19937_64& random, unsigned index);

}  // namespace gdr::bench
