// Recognises syntax of other assemblers and says how it is written here.
#pragma once

#include <string>
#include <string_view>

namespace gdr::assembler {

/// What the author probably meant by a text that the grammar rejects: a sentence to append to the message, and a
/// replacement for the first `length` characters. Empty if that is not known.
struct Habit {
  std::string hint;
  std::size_t length = 0;
  std::string replacement;
};
[[nodiscard]] Habit habit_of(std::string_view refused);

/// The same for an operation that does not exist, such as `fdiv` or `FADD`.
[[nodiscard]] Habit habit_of_operation(std::string_view mnemonic);

/// What to write instead of a word that other languages begin, divide or end blocks with, such as `elif` or `ENDIF`: a
/// sentence. Empty for any other word.
[[nodiscard]] std::string habit_of_block(std::string_view word);

/// Length of the UTF-8 character that `text` begins with; 0 if its bytes are none.
[[nodiscard]] std::size_t length_of_character(std::string_view text);

/// Name of a character that is not part of the language, which `text` begins with: `U+2013`, `a UTF-8 byte order mark`.
[[nodiscard]] std::string name_of_character(std::string_view text);

}  // namespace gdr::assembler
