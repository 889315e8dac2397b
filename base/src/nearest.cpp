#include "gdr/base/nearest.h"

#include <algorithm>
#include <numeric>

namespace gdr::base {
namespace {

std::string folded(std::string_view name) {
  std::string letters;
  for (const char letter : name) {
    if (letter == '-' || letter == '_' || letter == ' ') continue;
    letters += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return letters;
}

/// The names of `known` whose folded forms begin with `word`, if it has at least two letters.
std::vector<std::size_t> begun_by(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::size_t> begun;
  if (word.size() < 2) return begun;
  for (std::size_t n = 0; n < known.size(); ++n) {
    if (folded(known[n]).starts_with(word)) begun.push_back(n);
  }
  return begun;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLettersOfAnError = 3;  // one error is allowed in so many letters
  const std::string wanted = folded(word);
  if (wanted.empty()) return std::nullopt;
  if (const auto begun = begun_by(wanted, known); begun.size() == 1) return known[begun.front()];
  std::optional<std::string> found;
  std::size_t least = 0;
  for (const std::string& name : known) {
    const std::string letters = folded(name);
    const std::size_t longest = std::max(wanted.size(), letters.size());
    const std::size_t distance = edit_distance(wanted, letters);
    // Of names of one or two letters none is similar to another.
    const std::size_t allowed = longest < kLettersOfAnError ? 0 : std::max<std::size_t>(1, longest / kLettersOfAnError);
    if (distance > allowed || (found && distance >= least)) continue;
    found = name;
    least = distance;
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::optional<std::string> meant = nearest(word, known);
  return meant ? "; did you mean '" + *meant + "'?" : "";
}

}  // namespace gdr::base
