// Parts of the text of a body's kernels that all kinds of kernels have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loop/code/body_code.h"

namespace gdr::emulator::opencl {

/// After so many successive refusals of the quick form a work-group has only the robust form for its remaining turns.
inline constexpr unsigned kQuickRefusals = 3;

[[nodiscard]] constexpr unsigned planes_of(bool is_long) { return is_long ? 2 : 1; }

/// Definitions of the names that the functions use, for vectors of this width.
[[nodiscard]] std::string vector_names(unsigned lanes);

/// A table in constant memory. OpenCL C has no empty tables.
[[nodiscard]] std::string table(std::string_view name, const std::vector<std::vector<unsigned>>& rows,
                                unsigned columns);

/// The functions of a form under names that begin with the form's, and behind them `chunk`, which calls them. In it
/// FORM makes these names. FORM(record_N) is plane N of the records' words, of a record in external memory to which
/// `records` points.
[[nodiscard]] std::string form_text(const jit::BodyCode& code, std::string_view name, std::string_view chunk);

[[nodiscard]] unsigned record_planes(const jit::BodyCode& code);

/// Tables of the places in the state to which the results of a chunk go, for each group: the work-items with the same
/// vector elements.
struct Landings {
  std::vector<std::vector<unsigned>> words;        // row, 1 if it is long, and its first plane
  std::vector<std::vector<unsigned>> begin;        // of each group, in `words`
  std::vector<std::vector<unsigned>> end;          // of carried words, and of those that the last turn leaves
  std::vector<std::vector<unsigned>> flags;        // a flag's bit in the word of a PE
  std::vector<std::vector<unsigned>> flags_begin;  // of each group, in `flags`, and their end
  unsigned planes = 0;                             // of a group

  /// `element`: the group's first, counted from those of the graph.
  void add(const jit::BodyGraph& graph, bool leaves_all, unsigned element);
  /// The tables as text.
  [[nodiscard]] std::string text() const;
};

}  // namespace gdr::emulator::opencl
