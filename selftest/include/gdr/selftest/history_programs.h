// Programs of histories, by name: the kernels that come with gdr, small ones that were made for this, and random ones.
#pragma once

#include <memory>
#include <string>
#include <vector>

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
  /// Records are words of all kinds, and not numbers.
  bool takes_any_words = false;
  unsigned most_records = 0;
  /// Long words of GPR and LM that the loop may write: those of PEs that are not live are undefined after a run.
  std::vector<bool> gpr_written;
  std::vector<bool> lm_written;
};

/// The program of this name, assembled once in this process:
///   KERNEL [NAME=VALUE]...  a kernel that comes with gdr, with definitions: `gravity_jerk nearest=1`
///   small NAME              a small kernel of this component: `small flagged`
///   packable N              random lines in assembly language, most of which run packed; N is a seed
///   lines N                 the program of `gdr selftest` with this seed
/// Throws gdr::Error for any other name, and for a kernel that is not found or does not assemble.
[[nodiscard]] std::shared_ptr<const HistoryProgram> history_program(const std::string& name);

/// Names of the programs that are not random.
[[nodiscard]] const std::vector<std::string>& history_kernels();

/// Assembly source of `packable N`.
[[nodiscard]] std::string packable_source(std::uint64_t seed);

}  // namespace gdr::selftest
