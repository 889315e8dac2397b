// The form of kernels of experiments: the sections `experiment begin`, `step` and `end` hold the lines of one problem.
// This says which lines and declarations are added around them, as uses of the macros of kernels/macros/experiment.vsm.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/isa/program.h"
#include "syntax.h"

namespace gdr::assembler {

/// The file with the macros, among those that come with gdr.
inline constexpr std::string_view kExperimentFile = "experiment.vsm";

class ExperimentForm {
 public:
  /// Notes a declaration; results are those of the PE with `rrn`.
  void note(const Declaration& declaration);

  /// Lines that declare the control words, and room for the results that leave; for a place before the first section.
  [[nodiscard]] std::vector<std::string> declarations() const;
  /// Lines before and after those of the source in a section.
  [[nodiscard]] std::vector<std::string> opening(isa::Section section) const;
  [[nodiscard]] std::vector<std::string> closing(isa::Section section) const;

 private:
  struct Result {
    std::string word;        // `x`, or `x[1][2]` of an array
    std::string conversion;  // as in the source
  };

  std::vector<Result> results_;  // in the order of declaration
};

}  // namespace gdr::assembler
