// Collects diagnostics: one for each cause, each with its notes; sorts them at the end.
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

/// A range of the source and how it came into the program. `origin` is an index into Reporter's origins; 0: as written.
struct Place {
  SourceRange range;
  std::uint32_t origin = 0;
};

class Reporter {
 public:
  explicit Reporter(const WarningOptions& warnings = {}) : warnings_(warnings) {}

  /// Notes that the source allows a warning, in one line or everywhere.
  void allow(Warning warning, std::uint32_t file, std::uint32_t line);
  void allow(Warning warning) { warnings_.told.reset(static_cast<std::size_t>(warning)); }

  /// The origin of lines: a use of a macro, an iteration of a repeat, or an include.
  struct Origin {
    enum class Kind : std::uint8_t { macro, turn, include };
    Kind kind = Kind::include;
    Place where;
    std::string what;   // text of the note for a diagnostic
    std::string macro;  // name of the macro
  };
  /// Adds an origin. Diagnostics from its lines get it as a note.
  [[nodiscard]] std::uint32_t add_origin(Origin origin);
  [[nodiscard]] const Origin& origin(std::uint32_t number) const { return origins_[number]; }

  /// False if the same error was reported before, as by an earlier iteration of a repeat; its notes are then dropped,
  /// too.
  bool error(Code code, const Place& where, std::string message);
  /// The same for a warning. Also false if the warning is turned off, or allowed at its place or at the use of a macro
  /// around it.
  bool warning(Code code, const Place& where, std::string message);
  /// Adds a note to the diagnostic reported last.
  void note(const Place& where, std::string message);
  /// Adds to the last diagnostic a correction that replaces `old` at `where` by `text`. It is dropped if the source has
  /// another text there, as when a macro's argument replaces its parameter.
  void fix(std::string title, const Place& where, std::string_view old, std::string text);
  /// The same with the candidate that nearest() finds, if there is one.
  void fix_name(const Place& where, std::string_view word, const std::vector<std::string>& candidates);
  /// The same: inserts lines before the line of `where`, with the same indentation.
  void fix_before(std::string title, const Place& where, std::string_view line, unsigned count = 1);
  /// The same: deletes the line of `where`.
  void fix_without(std::string title, const Place& where);

  [[nodiscard]] bool has_errors() const { return has_errors_; }
  /// The diagnostics, sorted. `files` are the files that places refer to.
  [[nodiscard]] std::vector<Diagnostic> take(const std::vector<SourceFile>& files);

 private:
  /// A correction, kept until it is known whether the source has the expected text.
  struct PendingFix {
    std::size_t group = 0;
    std::string old;
    Fix fix;
  };
  void add_fix(std::string title, std::string_view old, Edit edit);
  bool report(Severity severity, Code code, const Place& where, std::string message);
  [[nodiscard]] bool allowed(Warning warning, const Place& where) const;

  WarningOptions warnings_;
  std::set<std::tuple<Warning, std::uint32_t, std::uint32_t>> allowed_;  // warning, file and line
  std::vector<Origin> origins_{{}};
  std::vector<std::vector<Diagnostic>> groups_;  // each diagnostic with its notes
  std::set<std::tuple<unsigned, std::uint32_t, std::uint32_t, std::uint32_t, std::string>> seen_;
  std::vector<PendingFix> fixes_;
  bool dropped_ = false;
  bool has_errors_ = false;
};

/// The candidate nearest to `word` by edit distance, if it is near enough to be what was meant; otherwise empty.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or nothing.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);
/// The same, but lists all candidates if none is near.
[[nodiscard]] std::string suggestion_or_all(std::string_view word, const std::vector<std::string>& candidates);
/// 'a', 'b', 'c'
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& names);
/// `what` is a number or a number of things: "1 is given", "2 operands are given".
[[nodiscard]] std::string given(std::size_t count, std::string_view what);

}  // namespace gdr::assembler
