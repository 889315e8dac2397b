#include "gdr/base/quoted.h"

#include <fmt/format.h>

#include <algorithm>

namespace gdr::base {
namespace {

/// Of C0, DEL, and C1 in UTF-8, which terminals take for escape sequences, too.
std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const auto c = static_cast<unsigned char>(text[n]);
    const bool c1 = c == 0xC2 && n + 1 < text.size() && static_cast<unsigned char>(text[n + 1]) >= 0x80 &&
                    static_cast<unsigned char>(text[n + 1]) < 0xA0;
    if (c1) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++n]));
    } else if ((c >= 0x20 && c != 0x7F) || kept.find(text[n]) != std::string_view::npos) {
      out += text[n];
    } else {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : fmt::format("\\x{:02x}", c);
    }
  }
  return out;
}

}  // namespace

std::string on_one_line(std::string_view text) { return escaped(text, ""); }

std::string without_controls(std::string_view text) { return escaped(text, "\n\t"); }

std::size_t columns_of(std::string_view text) {
  // fmt knows the widths of characters, by which it fills up to a width; no character is wider than its bytes.
  const std::size_t filled = fmt::formatted_size("{:<{}}", text, text.size());
  return 2 * text.size() - filled;
}

std::string caret_below(std::string_view line, std::size_t at) {
  std::string below;
  std::string_view left = line.substr(0, at);
  for (std::size_t tab = left.find('\t'); tab != std::string_view::npos; tab = left.find('\t')) {
    below += std::string(columns_of(left.substr(0, tab)), ' ') + '\t';
    left.remove_prefix(tab + 1);
  }
  return below + std::string(columns_of(left), ' ') + '^';
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kHarmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+@%-";
  if (!text.empty() && text.find_first_not_of(kHarmless) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace gdr::base
