// Collects diagnostics: one per cause, notes with the diagnostic they belong to, sorted at the end.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "codes.h"
#include "gdr/assembler/assembler.h"

namespace gdr::assembler {

/// A range of the source and how it came into the program: `origin` is an index into Reporter's origins, 0: as written.
struct Place {
  SourceRange range;
  std::uint32_t origin = 0;
};

class Reporter {
 public:
  explicit Reporter(const WarningOptions& warnings = {}) : warnings_(warnings) {}

  /// The source allows what a warning tells of, in one line or everywhere.
  void allow(Warning warning, std::uint32_t file, std::uint32_t line);
  void allow(Warning warning) { warnings_.told.reset(static_cast<std::size_t>(warning)); }

  /// A use of a macro, a turn of a repeat or an include: what the lines below it come from.
  struct Origin {
    enum class Kind : std::uint8_t { macro, turn, include };
    Kind kind = Kind::include;
    Place where;
    std::string what;   // as the note of a diagnostic
    std::string macro;  // its name
  };
  /// Diagnostics below it get it as a note.
  [[nodiscard]] std::uint32_t add_origin(Origin origin);
  [[nodiscard]] const Origin& origin(std::uint32_t number) const { return origins_[number]; }

  /// False if the very same was reported before, as from an earlier turn of a repeat; its notes are dropped too.
  bool error(Code code, const Place& where, std::string message);
  /// False too if the warning is left out or allowed where it, or the use of a macro around it, stands.
  bool warning(Code code, const Place& where, std::string message);
  /// Belongs to the diagnostic reported last.
  void note(const Place& where, std::string message);
  /// The same: a mending that puts `text` where `old` stands. Left out where the source says something else there, as
  /// where a macro's argument stands for its parameter.
  void fix(std::string title, const Place& where, std::string_view old, std::string text);
  /// The same, with the candidate that nearest() finds, if there is one.
  void fix_name(const Place& where, std::string_view word, const std::vector<std::string>& candidates);
  /// The same: puts lines before the one of `where`, as far to the right as that.
  void fix_before(std::string title, const Place& where, std::string_view line, unsigned count = 1);
  /// The same: takes the line of `where` away.
  void fix_without(std::string title, const Place& where);

  [[nodiscard]] bool has_errors() const { return has_errors_; }
  /// Of `files`: those that places name.
  [[nodiscard]] std::vector<Diagnostic> take(const std::vector<SourceFile>& files);

 private:
  /// A mending until it is known whether the source says what it expects.
  struct PendingFix {
    std::size_t group = 0;
    std::string old;
    Fix fix;
  };
  void add_fix(std::string title, std::string_view old, Edit edit);
  bool report(Severity severity, Code code, const Place& where, std::string message);
  [[nodiscard]] bool allowed(Warning warning, const Place& where) const;

  WarningOptions warnings_;
  std::set<std::tuple<Warning, std::uint32_t, std::uint32_t>> allowed_;  // with file and line
  std::vector<Origin> origins_{{}};
  std::vector<std::vector<Diagnostic>> groups_;  // a diagnostic and its notes
  std::set<std::tuple<unsigned, std::uint32_t, std::uint32_t, std::uint32_t, std::string>> seen_;
  std::vector<PendingFix> fixes_;
  bool dropped_ = false;
  bool has_errors_ = false;
};

/// The candidate nearest to `word` by edit distance, if it is near enough to be meant; else empty.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or nothing.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);
/// The same, but all candidates where none is near.
[[nodiscard]] std::string suggestion_or_all(std::string_view word, const std::vector<std::string>& candidates);
/// 'a', 'b', 'c'
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& names);
/// `what` is a number or a number of things: "1 is given", "2 operands are given".
[[nodiscard]] std::string given(std::size_t count, std::string_view what);

}  // namespace gdr::assembler
