#include "gdr/commandline/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/quantity.h"
#include "gdr/base/quoted.h"

namespace gdr::commandline {
namespace {

constexpr std::size_t kUsualWidth = 80;

std::string_view environment_text(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string_view() : text;
}

/// Codes of ECMA-48's "select graphic rendition".
const char* code_of(Colour colour) {
  switch (colour) {
    case Colour::bold:
      return "1";
    case Colour::red:
      return "1;31";
    case Colour::magenta:
      return "1;35";
    case Colour::green:
      return "1;32";
    case Colour::cyan:
      return "1;36";
  }
  return "";
}

/// A line with the severity behind its place in colour: "k.vsm:1:2: error: why".
std::string coloured_line(std::string_view line) {
  static constexpr std::array<std::pair<std::string_view, Colour>, 3> kSeverities{
      {{" error:", Colour::red}, {" warning:", Colour::magenta}, {" note:", Colour::cyan}}};
  for (const auto& [severity, colour] : kSeverities) {
    const std::size_t at = line.find(severity);
    if (at == std::string_view::npos || at == 0 || line[at - 1] != ':') continue;
    return in_colour(Colour::bold, line.substr(0, at), true) + " " + in_colour(colour, severity.substr(1), true) +
           std::string(line.substr(at + severity.size()));
  }
  const bool marks =
      line.find('^') != std::string_view::npos && line.find_first_not_of(" ^~") == std::string_view::npos;
  return marks ? in_colour(Colour::green, line, true) : std::string(line);
}

}  // namespace

std::size_t width_of(Stream stream) {
  winsize size{};
  if (ioctl(static_cast<int>(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::optional<std::uint64_t> columns = base::whole_number_of(environment_text("COLUMNS"));
  return columns && *columns > 0 ? *columns : kUsualWidth;
}

bool shows_colour(Stream stream) {
  return isatty(static_cast<int>(stream)) == 1 && environment_text("NO_COLOR").empty() &&
         environment_text("TERM") != "dumb";
}

std::string in_colour(Colour colour, std::string_view text, bool coloured) {
  if (!coloured) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(colour), text);
}

std::string error_text(std::string_view program, std::string_view message) {
  return fmt::format("{} {}\n", in_colour(Colour::red, fmt::format("{}:", program), shows_colour(Stream::error)),
                     base::without_controls(message));
}

void print_error(std::string_view program, std::string_view message) {
  std::fputs(error_text(program, message).c_str(), stderr);
}

void print_text(std::string_view text) {
  std::fputs(base::without_controls(text).c_str(), stdout);
  std::fflush(stdout);
}

void print_message(std::string_view text) { std::fputs(base::without_controls(text).c_str(), stderr); }

void print_diagnostics(const std::string& raw) {
  const std::string text = base::without_controls(raw);
  if (!shows_colour(Stream::error)) {
    std::fputs(text.c_str(), stderr);
    return;
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::fputs(coloured_line(rest.substr(0, end)).c_str(), stderr);
    if (end == std::string_view::npos) return;
    std::fputc('\n', stderr);
    rest.remove_prefix(end + 1);
  }
}

namespace {

/// Throws gdr::Error if the last line could not be read, or not be kept, rather than that no line follows. Standard
/// input is read by the C library, which alone knows.
void require_end(const std::istream& in, const std::string& name, unsigned line) {
  if (!in.bad() && !(&in == &std::cin && std::ferror(stdin) != 0)) return;
  const std::string place = name.empty() ? "standard input" : name;
  throw Error(fmt::format("{}:{}: this line cannot be read", place, line));
}

}  // namespace

void converse(std::istream& in, const std::string& name, std::string_view prompt,
              const std::function<bool(const std::string& line)>& execute) {
  std::string line;
  for (unsigned number = 1;; ++number) {
    fmt::print("{}", prompt);
    std::fflush(stdout);
    if (!std::getline(in, line)) {
      require_end(in, name, number);
      break;
    }
    try {
      if (!execute(line)) return;
    } catch (const Error& error) {
      std::fflush(stdout);
      if (!name.empty()) throw Error(fmt::format("{}:{}: {}", name, number, error.what()));
      print_message(fmt::format("{}\n", error.what()));
    }
  }
  if (!prompt.empty()) fmt::print("\n");
}

}  // namespace gdr::commandline
