// Words, numbers and comments of a source line, before the grammar sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/assembler/assembler.h"

namespace gdr::assembler {

[[nodiscard]] bool is_word_character(char c);
[[nodiscard]] bool is_blank(char c);
/// Names and numbers, in their order.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
/// Empty if the line does not begin with a word.
[[nodiscard]] std::string first_word(std::string_view text);
/// Decimal, or hexadecimal after `0x`.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);
/// Index at which the line's comment begins, or the line's length if there is none. A '#' in quotes does not begin a
/// comment.
[[nodiscard]] std::size_t begin_of_comment(std::string_view line);
/// Warnings that a comment `# allow NAME, NAME: why` names; empty for any other comment.
[[nodiscard]] std::vector<Warning> allowed_by(std::string_view comment);

}  // namespace gdr::assembler
