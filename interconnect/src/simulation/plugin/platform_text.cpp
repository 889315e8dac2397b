#include "platform_text.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/memory_file.h"

namespace gdr::interconnect {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// The position behind the tag that begins at `begin`: a '>' in a value does not end it.
std::size_t end_of_tag(std::string_view text, std::size_t begin) {
  char quote = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (quote != 0) {
      if (text[at] == quote) quote = 0;
    } else if (text[at] == '"' || text[at] == '\'') {
      quote = text[at];
    } else if (text[at] == '>') {
      return at + 1;
    }
  }
  return text.size();
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  std::replace_if(
      text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
      [](char c) { return c != '\n'; }, ' ');
}

/// The value of an attribute whose name ends before `rest`; nothing if this is no attribute.
std::optional<std::string_view> value_behind(std::string_view rest) {
  const auto skip_blanks = [&] { rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(kBlanks))); };
  skip_blanks();
  if (!rest.starts_with('=')) return std::nullopt;
  rest.remove_prefix(1);
  skip_blanks();
  if (!rest.starts_with('"') && !rest.starts_with('\'')) return std::nullopt;
  const std::size_t end = rest.find(rest.front(), 1);
  return end == std::string_view::npos ? std::nullopt : std::optional(rest.substr(1, end - 1));
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// Numbers in a radical; nothing if it is none. SimGrid takes blanks before a number.
std::optional<double> numbers_in(std::string_view radical) {
  double numbers = 0;
  while (!radical.empty()) {
    const std::string_view range = radical.substr(0, radical.find(','));
    radical.remove_prefix(std::min(radical.size(), range.size() + 1));
    const std::size_t dash = range.find('-');
    const auto first = base::number_in<std::uint64_t>(without_blanks(range.substr(0, dash)));
    const auto last =
        dash == std::string_view::npos ? first : base::number_in<std::uint64_t>(without_blanks(range.substr(dash + 1)));
    if (!first || !last) return std::nullopt;
    if (*last >= *first) numbers += static_cast<double>(*last - *first) + 1;
  }
  return numbers;
}

}  // namespace

std::string without_comments(std::string_view text) {
  constexpr std::string_view kBegin = "<!--";
  constexpr std::string_view kEnd = "-->";
  std::string rest(text);
  for (std::size_t at = rest.find('<'); at != std::string::npos; at = rest.find('<', at)) {
    if (rest.compare(at, kBegin.size(), kBegin) != 0) {
      at = end_of_tag(rest, at);
      continue;
    }
    const std::size_t end = rest.find(kEnd, at + kBegin.size());
    blank(rest, at, end == std::string::npos ? rest.size() : end + kEnd.size());
  }
  return rest;
}

std::string without_settings(const std::string& file, std::string_view text) {
  constexpr std::string_view kSetting = "<config";
  std::string rest(text);
  for (std::size_t at = rest.find('<'); at != std::string::npos; at = rest.find('<', at)) {
    std::size_t end = end_of_tag(rest, at);
    if (rest.compare(at, kSetting.size(), kSetting) == 0) {
      if (rest.compare(end - 2, 2, "/>") != 0) {
        const std::size_t last = rest.find("</config", end);
        if (last == std::string::npos) throw Error(fmt::format("{}: a <config> does not end", file));
        end = end_of_tag(rest, last);
      }
      blank(rest, at, end);
    }
    at = end;
  }
  if (rest.find(kSetting) != std::string::npos) {
    throw Error(fmt::format("{}: a setting is refused: <config stands within a value", file));
  }
  return rest;
}

double hosts_named(const std::string& file, std::string_view text) {
  constexpr std::string_view kHost = "<host";
  constexpr std::string_view kRadical = "radical";
  double hosts = 0;
  for (std::size_t at = text.find(kHost); at != std::string_view::npos; at = text.find(kHost, at + 1)) {
    const std::size_t behind = at + kHost.size();
    if (behind < text.size() && kBlanks.find(text[behind]) != std::string_view::npos) ++hosts;
  }
  for (std::size_t at = text.find(kRadical); at != std::string_view::npos; at = text.find(kRadical, at + 1)) {
    const std::optional<std::string_view> radical = value_behind(text.substr(at + kRadical.size()));
    if (!radical) continue;
    const std::optional<double> numbers = numbers_in(*radical);
    if (!numbers) {
      throw Error(
          fmt::format("{}: radical '{}' is refused: it must be numbers and ranges such as 0-15,20", file, *radical));
    }
    hosts += *numbers;
  }
  return hosts;
}

TextAsFile::TextAsFile(const std::string& file, std::string_view text)
    : descriptor_(memfd_create("gdr-platform", MFD_CLOEXEC)) {
  bool done = descriptor_ >= 0;
  while (done && !text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    done = written > 0 || (written < 0 && errno == EINTR);
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!done) {
    const int reason = errno;
    if (descriptor_ >= 0) close(descriptor_);
    throw Error(fmt::format("{}: no memory for what SimGrid is to read: {}", file, base::memory_file_reason(reason)));
  }
  path_ = fmt::format("/proc/self/fd/{}", descriptor_);
}

TextAsFile::~TextAsFile() { close(descriptor_); }

}  // namespace gdr::interconnect
