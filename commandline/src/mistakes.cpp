#include "mistakes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "gdr/base/nearest.h"
#include "registry.h"
#include "shape.h"

namespace gdr::commandline {
namespace {

/// Dashes that word processors make of a minus sign.
constexpr std::array<std::string_view, 3> kLongDashes{"\u2013", "\u2014", "\u2212"};

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : commands_of(command)) names.push_back(each->get_name());
  return names;
}

/// The options by all of their names, with dashes.
std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool is_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return (word[1] < '0' || word[1] > '9') && word[1] != '.';  // a negative number
}

/// The form in which an option's value is written: "N (2 to 4096)".
std::string form_of(const CLI::Option& option) {
  std::string form = option.get_type_name();
  if (const std::size_t limits = form.find(": "); limits != std::string::npos) {
    form = form.substr(0, limits) + " (" + form.substr(limits + 2) + ")";
  }
  return form;
}

class Reader {
 public:
  Reader(const CLI::App& program, const Registry& registry, const std::vector<std::string>& words)
      : registry_(registry), words_(words), command_(&program) {
    asks_for_help_ =
        std::ranges::any_of(words, [](const std::string& word) { return word == "--help" || word == "-h"; });
  }

  ReadWords read() {
    while (at_ < words_.size() && !wrong_) {
      const std::string& word = words_[at_];
      if (word == "--") break;
      if (is_option(word)) {
        read_option();
      } else if (!commands_of(*command_).empty()) {
        read_command();
      } else {
        read_argument();
      }
    }
    while (at_ < words_.size()) take();
    return {std::move(taken_), std::move(notes_), command_, std::move(wrong_)};
  }

 private:
  void take() { taken_.push_back(words_[at_++]); }

  void refuse(std::string why) {
    if (!asks_for_help_) wrong_ = std::move(why);
    take();
  }

  void read_command() {
    const std::string& word = words_[at_];
    for (const CLI::App* each : commands_of(*command_)) {
      if (each->get_name() != word) continue;
      command_ = each;
      take();
      return;
    }
    if (word == "help") {  // gdr net help
      ++at_;
      taken_.emplace_back("--help");
      return;
    }
    wrong_ = fmt::format("unknown command '{}'{}{}", word,
                         command_->get_parent() == nullptr ? "" : " of " + path_of(*command_), meant_command(word));
    take();
  }

  std::string meant_command(const std::string& word) const {
    const std::vector<std::string> known = names_of_commands(*command_);
    for (const auto& [other, name] : registry_.program.other_words) {
      if (other == word && std::ranges::find(known, name) != known.end()) {
        return fmt::format("; did you mean '{}'?", name);
      }
    }
    // A command within a group, without the group.
    for (const CLI::App* group : commands_of(*command_)) {
      const std::vector<std::string> within = names_of_commands(*group);
      if (std::ranges::find(within, word) != within.end()) {
        return fmt::format("; did you mean '{} {}'?", group->get_name(), word);
      }
    }
    const std::string meant = base::did_you_mean(word, known);
    return meant.empty() ? fmt::format("; known are {}", fmt::join(known, ", ")) : meant;
  }

  void read_option() {
    const std::string word = words_[at_];
    const bool is_long = word.starts_with("--");
    const std::size_t end = is_long ? word.find('=') : 2;
    std::string name = word.substr(0, end);
    rename(name);
    if (is_old_value(name, end < word.size() ? word.substr(end) : "")) return;
    const CLI::Option* const option = command_->get_option_no_throw(name);
    if (option == nullptr) {
      refuse(unknown_option(word, name));
      return;
    }
    if (!is_long && word.size() > 2 && option->get_items_expected_max() == 0) {
      read_flags(word);
      return;
    }
    const bool has_value = is_long ? end != std::string::npos : word.size() > 2;
    const bool takes_value = option->get_items_expected_max() > 0;
    const bool once = takes_value && option->get_expected_max() == 1;
    if (once && ++given_[option] > 1) {
      refuse(fmt::format("{} is given twice", name));
      return;
    }
    const std::string rest = end < word.size() ? word.substr(end) : "";
    ++at_;
    if (!takes_value) {
      taken_.push_back(name + rest + word_of_flag(*option, has_value));
      return;
    }
    taken_.push_back(name + rest);
    if (has_value ? rest == "=" : lacks_value()) {
      const bool follows = !has_value && at_ < words_.size();
      wrong_ = fmt::format("{} needs a value: {}{}", name, form_of(*option),
                           follows ? fmt::format("; '{}' is the next option", words_[at_]) : "");
      if (asks_for_help_) wrong_.reset();
      return;
    }
    const std::string value = has_value ? rest.substr(is_long ? 1 : 0) : words_[at_];
    if (lacks_item(value, option->get_delimiter())) {
      wrong_ = fmt::format("{}: '{}' is refused: an item of the list is missing", name, value);
      if (asks_for_help_) wrong_.reset();
      return;
    }
    if (!has_value) take();
    // A list goes on to the next option.
    if (!once) {
      while (at_ < words_.size() && !is_option(words_[at_]) && words_[at_] != "--" && arguments_may_follow()) take();
    }
  }

  /// The words behind a list may be the command's arguments: those that CLI11 keeps for them are not known here.
  bool arguments_may_follow() {
    in_list_ = true;
    return false;
  }

  void rename(std::string& name) {
    const auto names = registry_.old_names.find(command_);
    if (names == registry_.old_names.end()) return;
    const auto old = names->second.find(name);
    if (old == names->second.end()) return;
    notes_.push_back(fmt::format("{} is called {} now", name, old->second));
    name = old->second;
  }

  /// Takes an option whose value has become a flag. `rest` is what follows the name in its word.
  bool is_old_value(const std::string& name, const std::string& rest) {
    const auto values = registry_.old_values.find(command_);
    if (values == registry_.old_values.end()) return false;
    const bool in_word = rest.starts_with('=');
    if (!in_word && (!rest.empty() || at_ + 1 >= words_.size())) return false;
    const auto old = values->second.find({name, in_word ? rest.substr(1) : words_[at_ + 1]});
    if (old == values->second.end()) return false;
    notes_.push_back(fmt::format("{} {} is called {} now", name, old->first.second, old->second));
    taken_.push_back(old->second);
    at_ += in_word ? 1 : 2;
    return true;
  }

  /// True for a list with nothing between two delimiters, which CLI11 takes without a word.
  static bool lacks_item(std::string_view list, char delimiter) {
    if (delimiter == '\0') return false;
    return list.starts_with(delimiter) || list.ends_with(delimiter) ||
           list.find(std::string(2, delimiter)) != std::string_view::npos;
  }

  [[nodiscard]] bool lacks_value() const {
    return at_ == words_.size() || (is_option(words_[at_]) && command_->get_option_no_throw(words_[at_]) != nullptr);
  }

  /// Several flags of a letter each in one word.
  void read_flags(const std::string& word) {
    for (std::size_t n = 1; n < word.size(); ++n) {
      const std::string name = {'-', word[n]};
      if (command_->get_option_no_throw(name) == nullptr) {
        refuse(unknown_option(word, name));
        return;
      }
    }
    take();
  }

  /// `=WORD` if the next word is one that this flag may have and no argument of the command.
  std::string word_of_flag(const CLI::Option& option, bool has_word) {
    if (has_word || at_ == words_.size() || std::filesystem::exists(words_[at_])) return "";
    const std::vector<std::string> words = CLI::detail::split(option.get_type_name(), '|');
    const bool is_switch = words.size() < 2 && arguments().empty() && (words_[at_] == "on" || words_[at_] == "off");
    if (!is_switch && (words.size() < 2 || std::ranges::find(words, words_[at_]) == words.end())) return "";
    return "=" + words_[at_++];
  }

  [[nodiscard]] std::vector<const CLI::Option*> arguments() const {
    return command_->get_options([](const CLI::Option* option) { return option->get_positional(); });
  }

  void read_argument() {
    const std::string word = words_[at_];
    std::size_t most = 0;
    for (const CLI::Option* each : arguments()) most += static_cast<std::size_t>(each->get_items_expected_max());
    if (++arguments_ <= most || in_list_) {
      for (const std::string_view dash : kLongDashes) {
        if (word.starts_with(dash)) return refuse(long_dash(word, dash));
      }
      take();
      return;
    }
    for (const std::string_view dash : kLongDashes) {
      if (word.starts_with(dash)) return refuse(long_dash(word, dash));
    }
    refuse(fmt::format("unexpected argument '{}'{}", word, why_unexpected(word)));
  }

  [[nodiscard]] std::string why_unexpected(const std::string& word) const {
    const std::string name = "--" + word.substr(0, word.find('='));
    if (command_->get_option_no_throw(name) != nullptr) return fmt::format("; did you mean '--{}'?", word);
    const CLI::Option* const before = at_ > 0 ? command_->get_option_no_throw(words_[at_ - 1]) : nullptr;
    if (before != nullptr && before->get_items_expected_max() == 0) {
      return fmt::format(": {} takes no value but on or off", words_[at_ - 1]);
    }
    const bool is_number = base::number_of(word).has_value();
    if (is_number && arguments().empty() && command_->get_option_no_throw("--n") != nullptr) {
      return fmt::format("; did you mean '--n {}'?", word);
    }
    return "";
  }

  [[nodiscard]] std::string long_dash(const std::string& word, std::string_view dash) const {
    std::string_view rest = std::string_view(word).substr(dash.size());
    while (rest.starts_with('-')) rest.remove_prefix(1);
    const std::string dashes = rest.find('=') == 1 || rest.size() == 1 ? "-" : "--";
    return fmt::format("'{}' begins with a long dash, not with '-'; did you mean '{}{}'?", word, dashes, rest);
  }

  [[nodiscard]] std::string unknown_option(const std::string& word, const std::string& name) const {
    return fmt::format("unknown option '{}'{}", name.starts_with("--") ? name : word.substr(0, word.find('=')),
                       meant_option(word, name));
  }

  [[nodiscard]] std::string meant_option(const std::string& word, const std::string& name) const {
    const std::vector<std::string> known = names_of_options(*command_);
    const auto is_known = [&](const std::string& other) { return std::ranges::find(known, other) != known.end(); };
    const auto meant = [](const std::string& other) { return fmt::format("; did you mean '{}'?", other); };
    const std::string letters = word.substr(word.find_first_not_of('-'), word.find('=') - word.find_first_not_of('-'));
    // One dash for two, or two for one.
    if (is_known("--" + letters)) return meant("--" + letters);
    if (letters.size() == 1 && is_known("-" + letters)) return meant("-" + letters);
    const std::string wanted = name.starts_with("--") ? name : "--" + letters;
    std::vector<std::string> candidates;
    std::ranges::copy_if(known, std::back_inserter(candidates),
                         [](const auto& other) { return other.starts_with("--"); });
    std::string said = base::did_you_mean(wanted, candidates);
    if (!said.empty() || !commands_of(*command_).empty()) return said.empty() ? before_command(wanted) : said;
    const std::vector<std::string> with_old = old_names();
    if (const auto old = base::nearest(wanted, with_old)) return meant(registry_.old_names.at(command_).at(*old));
    return said;
  }

  [[nodiscard]] std::vector<std::string> old_names() const {
    std::vector<std::string> names;
    const auto of_command = registry_.old_names.find(command_);
    if (of_command == registry_.old_names.end()) return names;
    for (const auto& [old, now] : of_command->second) names.push_back(old);
    return names;
  }

  /// For an option in front of the command that has it.
  [[nodiscard]] std::string before_command(const std::string& name) const {
    for (const CLI::App* each : commands_of(*command_)) {
      const auto named = [&](const std::string& word) { return word == each->get_name(); };
      if (each->get_option_no_throw(name) != nullptr && std::ranges::any_of(words_, named)) {
        return fmt::format("; options of {} come behind its name", path_of(*each));
      }
    }
    return "";
  }

  const Registry& registry_;
  const std::vector<std::string>& words_;
  const CLI::App* command_;
  std::size_t at_ = 0;
  std::size_t arguments_ = 0;
  bool in_list_ = false;  // words may belong to an option that takes many
  bool asks_for_help_ = false;
  std::map<const CLI::Option*, int> given_;
  std::vector<std::string> taken_;
  std::vector<std::string> notes_;
  std::optional<std::string> wrong_;
};

}  // namespace

ReadWords read_words(const CLI::App& program, const Registry& registry, const std::vector<std::string>& words) {
  return Reader(program, registry, words).read();
}

std::string what_is_missing(const CLI::App& command) {
  if (const std::vector<std::string> names = names_of_commands(command); !names.empty()) {
    return fmt::format("{} needs a command: {}", path_of(command), fmt::join(names, ", "));
  }
  std::vector<std::string> names;
  std::string what;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    names.push_back(option->get_name());
    what = option->get_description();
  }
  if (names.empty()) return "";
  if (names.size() == 1) return fmt::format("{} is required: {}", names.front(), what);
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} and {} are required", fmt::join(names, ", "), last);
}

std::string path_of(const CLI::App& command) {
  std::string path = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent != nullptr; parent = parent->get_parent()) {
    path = parent->get_name() + " " + path;
  }
  return path;
}

}  // namespace gdr::commandline
