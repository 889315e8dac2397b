// What people write who come from other assemblers, and how it is said here.
#pragma once

#include <string>
#include <string_view>

namespace gdr::assembler {

/// What is meant by a text that the grammar refuses: a sentence to put behind the message, and what to write in place
/// of the first `length` characters. Empty if it is not known.
struct Habit {
  std::string hint;
  std::size_t length = 0;
  std::string replacement;
};
[[nodiscard]] Habit habit_of(std::string_view refused);

/// The same of an operation that there is not, such as `fdiv` or `FADD`.
[[nodiscard]] Habit habit_of_operation(std::string_view mnemonic);

/// A character that is none of the language, by its name: `U+2013`, `a UTF-8 byte order mark`. `text` begins with it.
[[nodiscard]] std::string name_of_character(std::string_view text);

}  // namespace gdr::assembler
