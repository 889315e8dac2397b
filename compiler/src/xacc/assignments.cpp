#include "assignments.h"

#include <algorithm>
#include <regex>

namespace gdr::compiler {

std::string assignments_in_directives(const std::string& text) {
  // What cannot be an assignment stays where it is: the directive then is refused.
  static const std::regex directive(R"((^|\n)[ \t]*#[ \t]*pragma[ \t]+xmp[ \t]+gmove\b[^\n\\]*(?=\n))");
  std::string out;
  std::size_t at = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), directive), none; found != none; ++found) {
    const std::size_t line_end = static_cast<std::size_t>(found->position() + found->length());
    const std::size_t end = text.find(';', line_end);
    if (end == std::string::npos) break;
    std::string statement = text.substr(line_end, end - line_end);
    const auto has = [&](const char* part) { return statement.find(part) != std::string::npos; };
    if (has("\"") || has("{") || has("}") || has("#") || has("//") || has("/*") || !has("=")) continue;
    const auto lines = static_cast<std::size_t>(std::ranges::count(statement, '\n'));
    std::ranges::replace(statement, '\n', ' ');
    out += text.substr(at, line_end - at) + statement + std::string(lines, '\n');
    at = end;
  }
  return out + text.substr(at);
}

}  // namespace gdr::compiler
