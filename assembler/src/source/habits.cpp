#include "habits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "gdr/isa/isa.h"

namespace gdr::assembler {
namespace {

struct Foreign {
  std::string_view name;
  std::string_view hint;
  std::string_view replacement;
};

constexpr std::string_view kNoBranches =
    "there are no branches: write results under a flag (y/1), or use 'if' and 'repeat'";
constexpr std::string_view kCompare = "a comparison is a difference whose sign goes to a flag: fsub A B $ok1";
constexpr std::string_view kCopy = "'upassa' copies a word: upassa SOURCE DESTINATION";

constexpr std::array kForeign{
    Foreign{"fdiv", "no unit divides: use the macro 'div A B Y' of \"math.vsm\"", ""},
    Foreign{"div", "no unit divides: use the macro 'div A B Y' of \"math.vsm\"", ""},
    Foreign{"frcp", "no unit divides: use the macro 'recip X Y' of \"math.vsm\"", ""},
    Foreign{"fsqrt", "no unit takes roots: use the macro 'sqrt X Y' of \"math.vsm\"", ""},
    Foreign{"sqrt", "no unit takes roots: use the macro 'sqrt X Y' of \"math.vsm\"", ""},
    Foreign{"frsqrt", "no unit takes roots: use the macro 'rsqrt X Y' of \"math.vsm\"", ""},
    Foreign{"fcmp", kCompare, ""},
    Foreign{"cmp", kCompare, ""},
    Foreign{"icmp", "a comparison is a difference whose sign goes to a flag: usub A B $ok1", ""},
    Foreign{"mov", kCopy, "upassa"},
    Foreign{"move", kCopy, "upassa"},
    Foreign{"ld", kCopy, ""},
    Foreign{"st", kCopy, ""},
    Foreign{"fmad", "'fmul' and 'fadd' are two operations", ""},
    Foreign{"fma", "'fmul' and 'fadd' are two operations", ""},
    Foreign{"fneg", "a '-' before a source of adder or multiplier negates it: fpassa -A DST", ""},
    Foreign{"fabs", "use the macro 'abs X Y' of \"math.vsm\"", ""},
    Foreign{"iadd", "operations of the integer unit begin with u: 'uadd'", "uadd"},
    Foreign{"isub", "operations of the integer unit begin with u: 'usub'", "usub"},
    Foreign{"add", "'fadd' adds numbers, 'uadd' integers", ""},
    Foreign{"sub", "'fsub' subtracts numbers, 'usub' integers", ""},
    Foreign{"mul", "'fmul' multiplies numbers; integers are not multiplied", ""},
    Foreign{"jmp", kNoBranches, ""},
    Foreign{"br", kNoBranches, ""},
    Foreign{"beq", kNoBranches, ""},
    Foreign{"bne", kNoBranches, ""},
    Foreign{"call", "there are no calls: a 'macro' is put in where it is used", ""},
    Foreign{"ret", "there are no calls: a 'macro' is put in where it is used", ""},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Habit habit_of(std::string_view refused) {
  if (refused.starts_with(",")) {
    const bool blank = refused.size() > 1 && refused[1] == ' ';
    return {"; operands are separated by blanks", 1, blank ? "" : " "};
  }
  if (refused.starts_with("//")) return {"; '#' begins a comment", 2, "#"};
  if (refused.starts_with("/*")) return {"; '#' begins a comment, which ends with its line", 0, ""};
  if (refused.starts_with("\\")) return {"; a statement is one line", 0, ""};
  std::size_t end = refused.starts_with("-") ? 1 : 0;
  const std::size_t first = end;
  while (end < refused.size() && (is_digit(refused[end]) || refused[end] == '.')) ++end;
  if (end == first) return {};
  if (end < refused.size() && (refused[end] == 'e' || refused[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < refused.size() && (refused[exponent] == '-' || refused[exponent] == '+')) ++exponent;
    while (exponent < refused.size() && is_digit(refused[exponent])) end = ++exponent;
  }
  const std::string_view number = refused.substr(0, end);
  return {fmt::format("; a number is written f\"{0}\", or fs\"{0}\" as a short word", number), end,
          fmt::format("fs\"{}\"", number)};
}

Habit habit_of_operation(std::string_view mnemonic) {
  std::string lower(mnemonic);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower != mnemonic && isa::op_named(lower)) {
    return {fmt::format("; operations are written in lower case: '{}'", lower), mnemonic.size(), lower};
  }
  const auto found = std::ranges::find(kForeign, lower, &Foreign::name);
  if (found == kForeign.end()) return {};
  return {fmt::format("; {}", found->hint), found->replacement.empty() ? 0 : mnemonic.size(),
          std::string(found->replacement)};
}

std::string habit_of_block(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array kOfBlocks{"if", "else", "end", "repeat", "macro"};
  constexpr std::array kElseIf{"elif", "elseif", "elsif", "elsf", "else_if"};
  constexpr std::array kEnd{"endif", "fi", "end_if", "endrepeat", "end_repeat", "endmacro", "endm", "endfor"};
  const auto is_one_of = [&](const auto& words) { return std::ranges::find(words, lower) != words.end(); };
  if (is_one_of(kOfBlocks) && lower != word) return fmt::format("write '{}', in lower case", lower);
  if (is_one_of(kElseIf)) return "write 'else' and an 'if' within it";
  if (is_one_of(kEnd)) return "write 'end'";
  return {};
}

namespace {

struct Character {
  std::size_t length = 0;  // 0: the bytes are no character
  unsigned code = 0;
};

Character character_of(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto continues = [&](std::size_t at) { return at < text.size() && (byte(at) & 0xc0U) == 0x80U; };
  Character found{1, byte(0)};
  unsigned least = 0;  // of this length
  if (found.code >= 0xf0) {
    found = {4, found.code & 0x07U};
    least = 0x10000;
  } else if (found.code >= 0xe0) {
    found = {3, found.code & 0x0fU};
    least = 0x800;
  } else if (found.code >= 0xc0) {
    found = {2, found.code & 0x1fU};
    least = 0x80;
  } else if (found.code >= 0x80) {
    return {};
  }
  for (std::size_t at = 1; at < found.length; ++at) {
    if (!continues(at)) return {};
    found.code = found.code << 6U | (byte(at) & 0x3fU);
  }
  const bool surrogate = found.code >= 0xd800 && found.code < 0xe000;
  return byte(0) >= 0xf8 || found.code < least || found.code > 0x10ffff || surrogate ? Character() : found;
}

}  // namespace

std::size_t length_of_character(std::string_view text) { return text.empty() ? 0 : character_of(text).length; }

std::string name_of_character(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) return "a UTF-8 byte order mark";
  const Character character = character_of(text);
  if (character.length < 2) return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(text[0]));
  return fmt::format("U+{:04X}", character.code);
}

}  // namespace gdr::assembler
