// Rows with ours and the verdict, as table and as page.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/validation/data.h"

namespace gdr::validation {

struct Verdict {
  std::optional<double> error;  // ours / published - 1
  std::optional<bool> pass;     // nothing: no model, no bar, a misprint, or a number that nobody could verify
};
[[nodiscard]] Verdict judge(const Row& row, const Ours& ours);

struct Judged {
  Row row;
  Ours ours;
  Verdict verdict;
};

/// Told after each row: how far the work is, from 0 to 1, and which row it was.
using RowProgress = std::function<void(double done, std::string_view row)>;

/// All rows, or those that belong to `only`; none if no row does. Throws as Models::ours().
[[nodiscard]] std::vector<Judged> judge_rows(const Data& data, const Models& models, const std::string& only = {},
                                             const RowProgress& progress = {});

/// The first levels of all ids, in order.
[[nodiscard]] std::vector<std::string> wholes(const Data& data);

/// How many rows ended how.
struct Summary {
  std::size_t rows = 0;
  std::size_t passed = 0;
  std::size_t missed = 0;
  std::size_t misprints = 0;
  std::size_t undecided = 0;  // shown without a verdict
  std::size_t not_built = 0;
  std::size_t predictions = 0;         // verified predictions that are numbers
  std::optional<double> median_error;  // of these, |ours / published - 1|
};
[[nodiscard]] Summary summarize(std::span<const Judged> rows);
/// In a sentence without its full stop.
[[nodiscard]] std::string text_of(const Summary& summary);

/// A line for each row below a line of heads, and the summary.
[[nodiscard]] std::string table(std::span<const Judged> rows);
/// docs/validation.md.
[[nodiscard]] std::string page(const Data& data, std::span<const Judged> rows);

}  // namespace gdr::validation
