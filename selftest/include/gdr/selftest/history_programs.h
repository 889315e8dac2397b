// Programs of histories, by name: the kernels that come with gdr, small ones that were made for this, and random ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/isa/program.h"

namespace gdr::selftest {

/// A program and what a history must know of it.
struct HistoryProgram {
  std::string name;
  isa::Program program;
  /// A run writes all that it reads, but for i-data, records and BM. PEs can then be live again after runs in which
  /// they were not.
  bool self_contained = false;
  /// The loop writes no i-data, so those of PEs that are not live stay defined.
  bool keeps_i_data = false;
  /// Least number of live PEs: the loop stores words of these PEs into BM.
  unsigned least_live = 1;
  /// Initialization reads no words of PEs that the loop writes, so it can run after runs in which PEs were not live.
  bool initializes_anew = false;
  /// Records are words of all kinds, and not numbers.
  bool takes_any_words = false;
  /// A run may end in a fault: a line of the loop addresses local memory through T, or lines are random.
  bool may_fault = false;
  unsigned most_records = 0;
  /// Indices of the long words of GPR and LM that the loop may write, ascending: those of PEs that are not live are
  /// undefined after a run.
  std::vector<std::size_t> gpr_written;
  std::vector<std::size_t> lm_written;
  /// True if the loop may write one of these words.
  [[nodiscard]] bool writes(const emulator::PeWords& where) const;
};

/// Number of words in each PE that hold a variable.
[[nodiscard]] std::uint16_t words_in_pe(const isa::Variable& variable);

/// The program of this name, assembled once in this process:
///   KERNEL [NAME=VALUE]...  a kernel that comes with gdr, with definitions: `gravity_jerk nearest=1`
///   small NAME              a small kernel of this component: `small flagged`
///   packable N              random lines in assembly language, most of which run packed; N is a seed
///   indexed N               the same with lines that read and write a table in local memory at addresses in T
///   lines N                 the program of `gdr selftest` with this seed
/// or the one that add_history_program() has been given by this name.
/// Throws gdr::Error for any other name, and for a kernel that is not found or does not assemble.
[[nodiscard]] std::shared_ptr<const HistoryProgram> history_program(const std::string& name);
/// Makes a program of the caller known by this name in this process, in the place of one that had it before: a kernel
/// of the user, or a compiled pair function.
void add_history_program(const std::string& name, isa::Program program);

/// Names of the programs that are not random: quick ones, and those on which a history takes some tenths of a second.
[[nodiscard]] const std::vector<std::string>& quick_history_kernels();
[[nodiscard]] const std::vector<std::string>& slow_history_kernels();

/// Lines of PackableSource: with addresses in T, or not.
enum class Addressing : std::uint8_t { direct, indexed };
/// Assembly source of `packable N`, or of `indexed N`.
[[nodiscard]] std::string packable_source(std::uint64_t seed, Addressing addressing = Addressing::direct);

}  // namespace gdr::selftest
