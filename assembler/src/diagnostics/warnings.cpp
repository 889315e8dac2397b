// Names of the warnings, and the options that choose among them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "reporter.h"

namespace gdr::assembler {
namespace {

/// In the order of Warning.
constexpr base::Names<Warning> kNames({{Warning::masked_definition, "masked-definition"},
                                       {Warning::overwritten_input, "overwritten-input"},
                                       {Warning::short_vector, "short-vector"},
                                       {Warning::overlap, "overlap"},
                                       {Warning::width, "width"},
                                       {Warning::identity, "identity"},
                                       {Warning::unused, "unused"},
                                       {Warning::event_prone, "event-prone"},
                                       {Warning::collision, "collision"},
                                       {Warning::type, "type"},
                                       {Warning::one_block, "one-block"}});

}  // namespace

std::string_view name_of(Warning warning) { return kNames[warning]; }

std::optional<Warning> warning_named(std::string_view name) { return kNames.find(name); }

void WarningOptions::apply(std::string_view argument) {
  std::string_view name = argument;
  const auto take = [&](std::string_view prefix) {
    const bool there = name.starts_with(prefix);
    if (there) name.remove_prefix(prefix.size());
    return there;
  };
  const bool off = take("no-");
  bool as_error = take("error=");
  if (name == "error") {
    as_error = true;
    name = "all";
  }
  std::bitset<kWarnings> chosen;
  if (name == "all") {
    chosen.set();
  } else if (const auto warning = warning_named(name)) {
    chosen.set(static_cast<std::size_t>(*warning));
  } else {
    std::vector<std::string> known(kNames.begin(), kNames.end());
    known.emplace_back("all");
    throw Error(fmt::format("-W{}: there is no warning '{}'{}", argument, name, suggestion_or_all(name, known)));
  }
  if (as_error) {
    errors = off ? errors & ~chosen : errors | chosen;
    // `-Werror=NAME` asks for the warning too; `-Werror` leaves out what was left out.
    if (!off && !chosen.all()) told |= chosen;
  } else {
    told = off ? told & ~chosen : told | chosen;
  }
}

}  // namespace gdr::assembler
