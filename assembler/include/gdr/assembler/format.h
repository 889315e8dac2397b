// The layout of assembly source: indentation, blanks, line breaks.
#pragma once

#include <string>
#include <string_view>

namespace gdr::assembler {

/// The source in the house's layout. Lines of sections and blocks are indented by two blanks a level; operations stand
/// apart by ` ; `, words by one blank; lines end with a line feed and without blanks; at most one empty line separates
/// lines. Columns of declarations and of comments behind code stay where the author put them, if the code leaves room;
/// comments at the begin of a line stay there, and others alone on a line stand as the code below them.
/// Only blanks, empty lines, carriage returns and a byte order mark change, so the source assembles to the same
/// program; this holds for any text, also for one with errors. Formatting twice gives the same as once.
[[nodiscard]] std::string formatted(std::string_view text);

}  // namespace gdr::assembler
