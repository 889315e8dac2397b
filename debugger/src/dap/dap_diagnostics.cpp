#include "dap_diagnostics.h"

#include <algorithm>
#include <charconv>

namespace gdr::debugger {
namespace {

/// Takes ":NUMBER" off the end; 0 if there is none.
std::int64_t take_number(std::string_view& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return 0;
  const std::string_view digits = place.substr(colon + 1);
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc{} || end != digits.data() + digits.size() || number < 1) return 0;
  place = place.substr(0, colon);
  return number;
}

/// Reads FILE:LINE:COLUMN: KIND: MESSAGE. Returns false for any other line.
bool read_head(std::string_view line, ShownDiagnostic& diagnostic) {
  // An excerpt of the source is indented and may hold any words.
  if (line.starts_with(' ') || line.starts_with('\t')) return false;
  const std::size_t error = std::min(line.find(": error: "), line.find(": fatal error: "));
  const std::size_t warning = line.find(": warning: ");
  const std::size_t end = std::min({error, warning, line.find(": note: ")});
  if (end == std::string_view::npos || (end != error && end != warning)) return false;
  diagnostic.head = line;
  diagnostic.is_error = end == error;
  std::string_view place = line.substr(0, end);
  const std::int64_t column = take_number(place);
  const std::int64_t number = take_number(place);
  if (column == 0 || number == 0) return true;
  diagnostic.file = place;
  diagnostic.line = number;
  diagnostic.column = column;
  return true;
}

}  // namespace

std::vector<ShownDiagnostic> shown_diagnostics(std::string_view text) {
  std::vector<ShownDiagnostic> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    ShownDiagnostic next;
    const bool is_head = read_head(line.substr(0, line.find('\n')), next);
    // clang names the files that include a place before the diagnostic.
    const bool leads = is_head || line.starts_with("In file included from ");
    if (all.empty() || (leads && !all.back().head.empty())) {
      all.push_back(next);
    } else if (is_head) {
      next.text = std::move(all.back().text);
      all.back() = next;
    }
    all.back().text += line;
    text.remove_prefix(end);
  }
  return all;
}

}  // namespace gdr::debugger
