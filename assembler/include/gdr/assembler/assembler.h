// Assembles source text to a program. One call reports all independent errors of the source.
#pragma once

#include <bitset>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/names.h"
#include "gdr/isa/program.h"

namespace gdr::assembler {

enum class Severity : std::uint8_t { note, warning, error };

/// The name as it is printed in diagnostics: `note`.
[[nodiscard]] std::string_view name_of(Severity severity);

/// Kinds of warnings. Each can be turned off or made an error by its name; docs/kernels/warnings.md describes them.
enum class Warning : std::uint8_t {
  masked_definition,
  overwritten_input,
  short_vector,
  overlap,
  width,
  identity,
  unused,
  event_prone,
  collision,
  type,
  one_block
};
inline constexpr std::size_t kWarnings = base::enumerators<Warning>();

/// The name as in `-W NAME` and `# allow NAME`: `masked-definition`.
[[nodiscard]] std::string_view name_of(Warning warning);
[[nodiscard]] std::optional<Warning> warning_named(std::string_view name);

/// Which warnings are reported, and which of those are errors.
struct WarningOptions {
  std::bitset<kWarnings> told = std::bitset<kWarnings>().set();
  std::bitset<kWarnings> errors;

  /// Applies an argument of `-W`: NAME, no-NAME, error, error=NAME or no-error=NAME; the NAME `all` stands for every
  /// warning. Throws gdr::Error for any other argument; the message names the argument and the known names.
  void apply(std::string_view argument);
};

/// Consecutive characters in one line of a source file. `line` and `column` count from 1, `length` is at least 1.
struct SourceRange {
  std::uint32_t file = 0;  // index into AssembleResult::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 1;
};

/// A change of the source: `text` replaces the characters at `where`.
struct Edit {
  SourceRange where;  // length 0: `text` is inserted there
  std::string text;
  bool whole_line = false;  // the whole line is deleted, including its line break; `where` is its first character
};

/// A correction that an editor can offer for a diagnostic.
struct Fix {
  std::string title;  // what the correction does: `write 'fsub'`
  std::vector<Edit> edits;
};

/// A message about the source. `number` (such as 123 for E0123) is the key for explain(). A note belongs to the
/// diagnostic before it and has the same number.
struct Diagnostic {
  Severity severity = Severity::error;
  unsigned number = 0;
  SourceRange where;
  std::string message;               // lower case, no full stop, names the value that was rejected
  std::optional<Warning> warning{};  // set for a warning, and for an error made from a warning
  std::vector<Fix> fixes{};          // for errors and warnings; empty if only the author can know what was meant
};

/// A source file that was read, kept to print diagnostics.
struct SourceFile {
  std::string name;
  std::string text;
};

/// How lines are packed. On every level the results, the events and the words of variables that are transferred keep
/// every bit.
enum class ScheduleLevel : std::uint8_t {
  none,  // lines as written
  list,  // operations move to other lines; registers and T stay as written
  full   // results of operations are also assigned anew to T, registers or local memory, wherever ports are free
};

struct ScheduleOptions {
  ScheduleLevel level = ScheduleLevel::none;
  std::uint64_t seed = 1;  // of the search of level `full`; the same seed and effort give the same lines on every host
  double effort = 1;  // of that search, at least 0; 1 takes less than a second for 1,000 lines, more searches longer
  // With level `full`: software pipelining. An iteration of the loop body may finish work that the one before began.
  bool pipeline = false;
};

/// What an operation computes, by the name that a variable has in another language.
struct WrittenValue {
  isa::Unit unit = isa::Unit::none;
  std::string name;
  bool integer = false;   // else a floating-point number
  std::uint8_t bits = 0;  // as isa::ComputedValue has them
  bool is_unsigned = false;
};

/// A place in a program of another language, from which a compiler made a line of assembly source.
struct WrittenPlace {
  std::string file;
  std::uint32_t line = 0;                      // from 1
  std::uint32_t column = 0;                    // from 1
  std::string function{};                      // the function that holds it; empty: not known
  std::shared_ptr<const WrittenPlace> call{};  // where that function is called and put in; none: nothing calls it
  isa::UnitBits units = 0;                     // that work on the line's operations of this place; 0: not known
  std::vector<WrittenValue> values{};          // of these operations
};

struct AssembleOptions {
  std::map<std::string, std::string> definitions;  // -D name=value
  bool compat_il = false;      // il"..." sets only the lower half of the word, as in the original assembler
  ScheduleOptions schedule{};  // pack lines without changing results
  WarningOptions warnings{};
  /// Directories that are searched for included files, after the folder of the including file and before the macros
  /// that come with gdr.
  std::vector<std::filesystem::path> include_directories{};
  /// Unsaved texts of an editor, by canonical path: they are used in place of the files on disk when those are
  /// included.
  std::map<std::filesystem::path, std::string> unsaved{};
  /// For a source that a compiler wrote: the places that its lines were made from, by the line's number. The first
  /// place of a line becomes the position of its instruction word, the others those of further operations; the line
  /// itself is the origin of the position and its text the expanded text. Those files follow in AssembleResult::files.
  std::map<std::uint32_t, std::vector<WrittenPlace>> made_from{};
};

struct AssembleResult {
  std::optional<isa::Program> program;  // empty if any diagnostic is an error
  std::vector<Diagnostic> diagnostics;  // in source order
  std::vector<SourceFile> files;        // file 0 is the assembled source; the text of one that cannot be read is empty
};

/// Assembles `text`; `name` is its file name in diagnostics. Errors in the source do not throw: they become
/// diagnostics.
[[nodiscard]] AssembleResult assemble(std::string_view text, std::string_view name,
                                      const AssembleOptions& options = {});

/// The same for the contents of a file. Throws gdr::Error if the file cannot be read.
[[nodiscard]] AssembleResult assemble_file(const std::filesystem::path& path, const AssembleOptions& options = {});

/// Text of all diagnostics. Each is printed as `FILE:LINE:COL: error: text [E0123]`, the source line and a caret.
[[nodiscard]] std::string format_diagnostics(const AssembleResult& result);

/// Long description of diagnostic `number` in Markdown, with an example and its correction; nothing if there is no such
/// number.
[[nodiscard]] std::optional<std::string> explain(unsigned number);
/// The same for a warning.
[[nodiscard]] std::string explain(Warning warning);
/// All numbers that explain() knows, in ascending order.
[[nodiscard]] std::vector<unsigned> diagnostic_numbers();

}  // namespace gdr::assembler
