// Options that several commands have, from the program's table.
#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/commandline/command_line.h"

namespace gdr::commandline {
namespace {

/// `--n` of `-n,--n=N`.
std::string long_name(const std::string& spelling) {
  const std::string names = spelling.substr(0, spelling.find('='));
  return names.substr(names.rfind(',') + 1);
}

}  // namespace

std::string Command::spelled(const TabledOption& entry) { return entry.name.substr(0, entry.name.find(' ')); }

std::string TabledOption::word() const {
  const std::size_t blank = std::min(name.find(' '), name.size());
  return long_name(name.substr(0, blank)) + name.substr(blank);
}

const TabledOption& Command::tabled(const std::string& word) const {
  const std::vector<TabledOption>& table = program().options();
  const auto entry = std::ranges::find(table, word, &TabledOption::word);
  GDR_ASSERT(entry != table.end(), "an option without a text is in the table of options");
  return *entry;
}

Option Command::finish(const TabledOption& entry, Option option) const {
  if (entry.check) option.check(*entry.check);
  if (!entry.old_name.empty()) keep_old_name(entry.old_name, option);
  return option;
}

void Command::require_untabled(const std::string& name) const {
  if (program().options == nullptr) return;
  const std::string word = long_name(name);
  const bool is_tabled = std::ranges::any_of(
      program().options(), [&](const TabledOption& entry) { return long_name(spelled(entry)) == word; });
  GDR_ASSERT(!is_tabled, "an option that is in the table of options has no text of its own");
}

}  // namespace gdr::commandline
