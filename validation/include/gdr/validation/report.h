// Rows with gdr's values and the verdicts, as a table and as a page.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/validation/data.h"

namespace gdr::validation {

struct Verdict {
  std::optional<double> error;   // ours / published - 1
  std::optional<double> sigmas;  // |ours - published| in standard errors of the published number
  std::optional<bool> pass;      // nothing: no model, no bar, a misprint, or a number that nobody could verify
};
[[nodiscard]] Verdict judge(const Row& row, const Ours& ours);

struct Judged {
  Row row;
  Ours ours;
  Verdict verdict;
};

/// Called with the share of the rows that are computed, from 0 to 1, and the id of the last one: by the thread that
/// called judge_rows(), after each row of its own and at the end.
using RowProgress = std::function<void(double done, std::string_view row)>;

/// Computes and judges all rows, or those that belong to `only`; empty if no row does. The rows are computed on several
/// threads, up to eight of the host's, and are in the order of `data`. Pauses of these threads ask `goes_on`, if it is
/// given. Throws what Models::ours() throws, and base::Stopped.
[[nodiscard]] std::vector<Judged> judge_rows(const Data& data, const Models& models, const std::string& only = {},
                                             const RowProgress& progress = {},
                                             const std::function<bool()>& goes_on = {});

/// The first levels of all ids, each once, in the order of the rows.
[[nodiscard]] std::vector<std::string> wholes(const Data& data);

/// Rows of one role that have a verdict.
struct RoleCount {
  std::size_t passed = 0;
  std::size_t judged = 0;
};

/// Numbers of rows by verdict.
struct Summary {
  std::size_t rows = 0;
  std::size_t passed = 0;
  std::size_t missed = 0;
  std::size_t misprints = 0;
  std::size_t undecided = 0;  // shown without a verdict
  std::size_t not_built = 0;
  std::map<Role, RoleCount> by_role;   // those with a verdict
  std::size_t predictions = 0;         // verified predictions that are numbers
  std::optional<double> median_error;  // of these, |ours / published - 1|
};
[[nodiscard]] Summary summarize(std::span<const Judged> rows);
/// The summary as a sentence without full stop.
[[nodiscard]] std::string text_of(const Summary& summary);

/// A table as text: a line of column titles, a line for each row, and the summary.
[[nodiscard]] std::string table(std::span<const Judged> rows);
/// The content of docs/validation.md.
[[nodiscard]] std::string page(const Data& data, std::span<const Judged> rows);

}  // namespace gdr::validation
