// Rows with their verdicts: summary, table, page.
#include "gdr/validation/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "gdr/base/stopping.h"
#include "gdr/emulator/thread_pool.h"
#include "once_each.h"

namespace gdr::validation {
namespace {

bool is_built(const Judged& judged) { return !std::holds_alternative<std::monostate>(judged.ours); }

/// Median of numbers in any order; nothing if there are none.
std::optional<double> median(std::vector<double> numbers) {
  if (numbers.empty()) return std::nullopt;
  std::ranges::sort(numbers);
  return (numbers[(numbers.size() - 1) / 2] + numbers[numbers.size() / 2]) / 2;
}

/// Threads that compute this many rows: those of the host. The longest row takes about a sixth of the time of all, so
/// that more than eight threads would only wait for it.
unsigned threads_for(std::size_t rows) {
  constexpr unsigned kMostThreads = 8;
  const unsigned of_host = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  return static_cast<unsigned>(std::min<std::size_t>(of_host, rows));
}

/// Which row a thread computes next: the longest first, so that no thread is left with a long one at the end. A row
/// that needs what another thread computes waits until no other row is left to begin.
class RowQueue {
 public:
  struct Next {
    std::size_t row;
    bool waits;  // for results that other threads compute
  };

  RowQueue(std::span<const Row* const> rows, const Models& models) {
    std::vector<double> seconds;
    for (const Row* row : rows) {
      seconds.push_back(models.seconds(*row));
      fresh_.push_back(fresh_.size());
    }
    std::ranges::stable_sort(fresh_, std::ranges::greater(), [&](std::size_t row) { return seconds[row]; });
  }

  /// To be called only if fewer rows are computed or under way than there are.
  Next take() {
    const std::lock_guard lock(mutex_);
    const bool is_fresh = !fresh_.empty();
    std::deque<std::size_t>& from = is_fresh ? fresh_ : put_off_;
    const std::size_t row = from.front();
    from.pop_front();
    return {row, !is_fresh};
  }
  void put_off(std::size_t row) {
    const std::lock_guard lock(mutex_);
    put_off_.push_back(row);
  }

 private:
  std::mutex mutex_;
  std::deque<std::size_t> fresh_;  // nobody has begun them
  std::deque<std::size_t> put_off_;
};

}  // namespace

std::vector<Judged> judge_rows(const Data& data, const Models& models, const std::string& only,
                               const RowProgress& progress, const std::function<bool()>& goes_on) {
  std::vector<const Row*> chosen;
  for (const Row& row : data.rows) {
    if (only.empty() || row.id.belongs_to(only)) chosen.push_back(&row);
  }
  if (chosen.empty()) return {};
  std::vector<Judged> rows(chosen.size());
  std::atomic<std::size_t> computed = 0;
  std::size_t told = 0;
  const std::thread::id caller = std::this_thread::get_id();
  const auto tell = [&](std::size_t done, const Row& row) {
    if (progress) progress(static_cast<double>(done) / static_cast<double>(rows.size()), row.id.text());
    told = done;
  };
  RowQueue queue(chosen, models);
  // Each part computes one row, whichever is next.
  emulator::ThreadPool(threads_for(rows.size())).run(static_cast<unsigned>(rows.size()), [&](unsigned) {
    const base::Stopping stopping([&] { return !goes_on || goes_on(); });
    while (true) {
      base::pause();
      const auto [n, waits] = queue.take();
      const Row& row = *chosen[n];
      try {
        const OtherWork other_work(!waits);
        const Ours ours = models.ours(row);
        rows[n] = {row, ours, judge(row, ours)};
      } catch (const Busy&) {
        queue.put_off(n);
        continue;
      }
      const std::size_t done = ++computed;
      if (std::this_thread::get_id() == caller) tell(done, row);
      return;
    }
  });
  if (told < rows.size()) tell(rows.size(), *chosen.back());
  return rows;
}

std::vector<std::string> wholes(const Data& data) {
  std::vector<std::string> all;
  for (const Row& row : data.rows) {
    const std::string whole = row.id.whole();
    if (std::ranges::find(all, whole) == all.end()) all.push_back(whole);
  }
  return all;
}

Summary summarize(std::span<const Judged> rows) {
  Summary summary;
  summary.rows = rows.size();
  std::vector<double> errors;
  for (const Judged& judged : rows) {
    if (judged.verdict.pass) {
      RoleCount& count = summary.by_role[judged.row.role];
      ++count.judged;
      count.passed += *judged.verdict.pass ? 1 : 0;
      ++(*judged.verdict.pass ? summary.passed : summary.missed);
    } else if (is_built(judged)) {
      ++(judged.row.misprint ? summary.misprints : summary.undecided);
    } else {
      ++summary.not_built;
    }
    if (judged.row.role == Role::prediction && judged.row.verified && judged.verdict.error) {
      errors.push_back(std::abs(*judged.verdict.error));
    }
  }
  summary.predictions = errors.size();
  summary.median_error = median(std::move(errors));
  return summary;
}

namespace {

/// Roles in the order in which rows within the bar say something about a model.
constexpr std::array kRolesByWeight{Role::prediction, Role::reading, Role::consistency, Role::calibration,
                                    Role::identity,   Role::input,   Role::target};

}  // namespace

std::string text_of(const Summary& summary) {
  std::vector<std::string> by_role;
  for (const Role role : kRolesByWeight) {
    const auto count = summary.by_role.find(role);
    if (count == summary.by_role.end()) continue;
    by_role.push_back(fmt::format("{} {} of {}", name_of(role), count->second.passed, count->second.judged));
  }
  std::string text = fmt::format(
      "{} rows: {} within their bar{}, {} beyond it, {} beside misprints of their source, {} shown without a verdict, "
      "{} "
      "not built",
      summary.rows, summary.passed, by_role.empty() ? "" : fmt::format(" ({})", fmt::join(by_role, ", ")),
      summary.missed, summary.misprints, summary.undecided, summary.not_built);
  if (summary.median_error) {
    text += fmt::format("; median error of {} predicted numbers {:.2g} %", summary.predictions,
                        100 * *summary.median_error);
  }
  return text;
}

namespace {

// Cells, which are the same on the terminal and on the page.

/// Enough digits to tell a number from its neighbours in the papers' tables.
std::string text_of(double value) {
  const double magnitude = std::abs(value);
  if (value == std::floor(value) && magnitude < 1e6) return fmt::format("{}", value);
  return fmt::format("{:.5g}", value);
}

std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : text + " " + unit;
}

std::string published_cell(const Row& row) {
  if (!row.statement.empty()) return row.statement;
  if (!row.published) return "-";
  const std::string number = with_unit(text_of(*row.published), row.unit);
  return row.derived ? number + " (derived)" : number;
}

std::string ours_cell(const Judged& judged) {
  if (const double* number = std::get_if<double>(&judged.ours)) return with_unit(text_of(*number), judged.row.unit);
  if (const bool* holds = std::get_if<bool>(&judged.ours)) return *holds ? "holds" : "does not hold";
  return "not built";
}

std::string error_cell(const Judged& judged) {
  if (!judged.verdict.error) return "";
  const std::string error = *judged.verdict.error == 0 ? "0" : fmt::format("{:+.2f} %", 100 * *judged.verdict.error);
  return judged.verdict.sigmas ? fmt::format("{}, {:.1f} sigma", error, *judged.verdict.sigmas) : error;
}

std::string bar_cell(const Row& row) {
  return row.goal.empty() ? text_of(row.bar) : fmt::format("{} (goal {})", text_of(row.bar), row.goal);
}

std::string pass_cell(const Judged& judged) {
  if (judged.verdict.pass) return *judged.verdict.pass ? "yes" : "NO";
  if (!is_built(judged)) return "";
  if (judged.row.misprint) return "misprint";
  return judged.row.verified ? "no bar" : "unverified";
}

}  // namespace

std::string table(std::span<const Judged> rows) {
  constexpr std::size_t kColumns = 7;
  using Cells = std::array<std::string, kColumns>;
  std::vector<Cells> lines{{"id", "published", "ours", "error", "bar", "pass", "quantity"}};
  for (const Judged& judged : rows) {
    lines.push_back({judged.row.id.text(), published_cell(judged.row), ours_cell(judged), error_cell(judged),
                     bar_cell(judged.row), pass_cell(judged), judged.row.quantity});
  }
  constexpr std::size_t kWidest = 24;  // statements can be longer; then they push the rest of their line
  std::array<std::size_t, kColumns> widths{};
  for (const Cells& line : lines) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      widths[column] = std::min(std::max(widths[column], line[column].size()), kWidest);
    }
  }
  std::string text;
  for (const Cells& line : lines) {
    for (std::size_t column = 0; column + 1 < kColumns; ++column) {
      text += fmt::format("{:<{}}  ", line[column], widths[column]);
    }
    text += line.back() + "\n";
  }
  return text + text_of(summarize(rows)) + "\n";
}

// The page.

namespace {

/// The notes below a table. A note that several parts share is listed once, under the id of their whole.
std::string notes(std::span<const Judged* const> rows) {
  std::string text;
  std::set<std::string> seen;
  for (const Judged* judged : rows) {
    const std::string& note = judged->row.note;
    if (note.empty() || !seen.insert(note).second) continue;
    const auto shared = std::count_if(rows.begin(), rows.end(), [&](const Judged* r) { return r->row.note == note; });
    text += fmt::format("- {}: {}\n", shared > 1 ? judged->row.id.whole() : judged->row.id.text(), note);
  }
  return text.empty() ? text : text + "\n";
}

std::string section(const std::string& title, std::span<const Judged* const> rows) {
  std::string text = fmt::format("## {}\n\n", title);
  text +=
      "| id | quantity | published | ours | error | role | bar | pass | source "
      "|\n|---|---|---|---|---|---|---|---|---|\n";
  for (const Judged* judged : rows) {
    const Row& row = judged->row;
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", row.id.text(), row.quantity,
                        published_cell(row), ours_cell(*judged), error_cell(*judged), name_of(row.role), bar_cell(row),
                        pass_cell(*judged), row.citation);
  }
  return text + "\n" + notes(rows);
}

/// The numbers that no row compares, with the reasons; empty if there are none.
std::string not_compared(const Data& data) {
  if (data.not_compared.empty()) return {};
  std::string text =
      "## Not compared\n\n"
      "These numbers are printed in the sources above, and no row compares them.\n\n"
      "| printed | source | not compared, because |\n|---|---|---|\n";
  for (const NotCompared& entry : data.not_compared) {
    text += fmt::format("| {} | {} | {} |\n", entry.printed, entry.citation, entry.because);
  }
  return text + "\n";
}

}  // namespace

std::string page(const Data& data, std::span<const Judged> rows) {
  std::string text =
      "# Validation\n\n"
      "Published numbers and ours. `gdr validate --markdown` makes this page; the published numbers and the bars are "
      "in\n"
      "`docs/validation.toml`. A row whose system is not built says so. Times of the board are those of the\n"
      "model of docs/machine/model.md with the parameters of `machines/model1800.toml`, at 333 MHz where nothing else "
      "is "
      "said.\n\n";
  const Summary summary = summarize(rows);
  text += text_of(summary) +
          ".\n\n| role | rows | built and verified | within the bar | meaning |\n|---|---|---|---|---|\n";
  for (const auto& [role, meaning] : data.roles) {
    const auto of_role = [&](const Judged& judged) { return judged.row.role == role; };
    const auto found = summary.by_role.find(role);
    const RoleCount count = found == summary.by_role.end() ? RoleCount{} : found->second;
    text += fmt::format("| {} | {} | {} | {} of {} | {} |\n", name_of(role),
                        std::count_if(rows.begin(), rows.end(), of_role),
                        std::count_if(rows.begin(), rows.end(),
                                      [&](const Judged& j) { return of_role(j) && is_built(j) && j.row.verified; }),
                        count.passed, count.judged, meaning);
  }
  text += "\n";
  for (const auto& [key, title] : data.sections) {
    std::vector<const Judged*> mine;
    for (const Judged& judged : rows) {
      if (judged.row.section == key) mine.push_back(&judged);
    }
    if (!mine.empty()) text += section(title, mine);
  }
  text += not_compared(data);
  text += "## Sources\n\n";
  std::set<std::string> used;
  for (const Judged& judged : rows) used.insert(judged.row.source);
  for (const std::string& source : used) {
    text += fmt::format("- {}: {}\n", data.sources.at(source).name, data.sources.at(source).full);
  }
  return text;
}

}  // namespace gdr::validation
