// Text from files and the command line, such as names, made harmless for the place that it is printed at. For pages
// there is html().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gdr::base {

/// For a terminal, or a line of text: control characters, which move the cursor, change a terminal or begin a line, are
/// spelled as `\n`, `\t` or `\x1b`. A backslash stays, so that paths read as they are.
[[nodiscard]] std::string on_one_line(std::string_view text);

/// The same, but line feeds and tabs stay: for messages of several lines.
[[nodiscard]] std::string without_controls(std::string_view text);

/// One word of a command for a POSIX shell. Words of harmless characters stay as they are.
[[nodiscard]] std::string shell_word(std::string_view text);

/// A caret for the line below `line`, under the character that begins at byte `at`: characters of several bytes and
/// wide ones count as terminals show them, and tabs stay.
[[nodiscard]] std::string caret_below(std::string_view line, std::size_t at);

/// Columns that a text without tabs takes in a terminal.
[[nodiscard]] std::size_t columns_of(std::string_view text);

}  // namespace gdr::base
