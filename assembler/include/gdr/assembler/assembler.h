// From assembly source to a program, with every true error of the source in one go.
#pragma once

#include <bitset>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/isa/program.h"

namespace gdr::assembler {

enum class Severity : std::uint8_t { note, warning, error };

/// As diagnostics are printed: `note`.
[[nodiscard]] std::string_view name_of(Severity severity);

/// What the assembler warns of; each can be left out or made an error by its name. docs/warnings.md describes them.
enum class Warning : std::uint8_t {
  masked_definition,
  overwritten_input,
  short_vector,
  overlap,
  width,
  identity,
  unused,
  event_prone,
  collision
};
inline constexpr std::size_t kWarnings = 9;

/// As in `-W NAME` and `# allow NAME`: `masked-definition`.
[[nodiscard]] std::string_view name_of(Warning warning);
[[nodiscard]] std::optional<Warning> warning_named(std::string_view name);

/// Which warnings are told, and which of them are errors.
struct WarningOptions {
  std::bitset<kWarnings> told = std::bitset<kWarnings>().set();
  std::bitset<kWarnings> errors;

  /// What stands behind `-W`: NAME, no-NAME, error, error=NAME, no-error=NAME; `all` names every one. Throws gdr::Error
  /// naming the argument and what is known.
  void apply(std::string_view argument);
};

/// A run of characters in one line of a source file; `line` and `column` count from 1, `length` is at least 1.
struct SourceRange {
  std::uint32_t file = 0;  // index into AssembleResult::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 1;
};

/// A change of the source: `text` in place of what stands at `where`.
struct Edit {
  SourceRange where;  // its length may be 0: `text` is put in there
  std::string text;
  bool whole_line = false;  // the line goes with its end; `where` is its first character
};

/// A way to mend what a diagnostic tells of.
struct Fix {
  std::string title;  // what it does: `write 'fsub'`
  std::vector<Edit> edits;
};

/// `number` (such as 123 for E0123) is the key of explain(); a note belongs to the diagnostic before it and has its
/// number.
struct Diagnostic {
  Severity severity = Severity::error;
  unsigned number = 0;
  SourceRange where;
  std::string message;               // lower case, no full stop, names the value that was refused
  std::optional<Warning> warning{};  // of a warning, or of an error made of one
  std::vector<Fix> fixes{};          // of errors and warnings; none where a mending needs to know what was meant
};

/// Source text of a file that took part, for printing diagnostics.
struct SourceFile {
  std::string name;
  std::string text;
};

/// How lines are packed. Results, events and the words of variables that travel keep every bit on every level.
enum class ScheduleLevel : std::uint8_t {
  none,  // lines as written
  list,  // operations move, registers and T stay as written
  full   // results of operations stand in T, registers or local memory, wherever ports are free
};

struct ScheduleOptions {
  ScheduleLevel level = ScheduleLevel::none;
  std::uint64_t seed = 1;  // of the search of level `full`; the same seed and effort give the same lines on every host
  double effort = 1;       // of that search, at least 0; 1 keeps it below a second for 1,000 lines, more looks longer
  bool pipeline = false;   // with level `full`: a turn of the loop body may end what the turn before has begun
};

struct AssembleOptions {
  std::map<std::string, std::string> definitions;  // -D name=value
  bool compat_il = false;                          // il"..." sets the lower half alone, as the original assembler did
  ScheduleOptions schedule{};                      // pack lines without changing results
  WarningOptions warnings{};
  /// Looked through for included files behind the including one's folder and before the macros that come with gdr.
  std::vector<std::filesystem::path> include_directories{};
  /// Texts that go before those on disk when their file is included, by its canonical path: an editor's unsaved ones.
  std::map<std::filesystem::path, std::string> unsaved{};
};

struct AssembleResult {
  std::optional<isa::Program> program;  // empty if any diagnostic is an error
  std::vector<Diagnostic> diagnostics;  // in source order
  std::vector<SourceFile> files;        // file 0 is the one assembled
};

/// Assembles `text`, which diagnostics call `name`. Never throws for what the source says.
[[nodiscard]] AssembleResult assemble(std::string_view text, std::string_view name,
                                      const AssembleOptions& options = {});

/// The same from a file. Throws gdr::Error if the file cannot be read.
[[nodiscard]] AssembleResult assemble_file(const std::filesystem::path& path, const AssembleOptions& options = {});

/// `FILE:LINE:COL: error: text [E0123]`, the source line and a caret, for each diagnostic.
[[nodiscard]] std::string format_diagnostics(const AssembleResult& result);

/// Long text of diagnostic `number` in Markdown, with an example and its mending; nothing if there is no such number.
[[nodiscard]] std::optional<std::string> explain(unsigned number);
/// The same of a warning.
[[nodiscard]] std::string explain(Warning warning);
/// Every number that explain() knows, ascending.
[[nodiscard]] std::vector<unsigned> diagnostic_numbers();

}  // namespace gdr::assembler
