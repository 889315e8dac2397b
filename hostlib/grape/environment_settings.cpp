#include "environment_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"

namespace gdr::grape {

int number_from_environment(const char* name, int most, int otherwise) {
  const std::string text = base::environment(name);
  if (text.empty()) return otherwise;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most) {
    throw Error(fmt::format("{} = '{}' is refused: it must be 1 to {}", name, text, most));
  }
  return value;
}

bool is_second(const char* name, const char* first, const char* second) {
  const std::string text = base::environment(name);
  if (text.empty() || text == first) return false;
  if (text == second) return true;
  throw Error(fmt::format("{} = '{}' is refused: it must be {} or {}", name, text, first, second));
}

}  // namespace gdr::grape
