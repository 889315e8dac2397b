#include "macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gdr/base/counted.h"
#include "source_text.h"

namespace gdr::assembler {

void define_macro(Macros& macros, const MacroStatement& macro, BlockLines body, const ExpandedStatement& head,
                  Reporter& reporter) {
  if (isa::op_named(macro.name.text)) {
    reporter.error(
        Code::duplicate_name, head.place(macro.name.span),
        fmt::format("'{}' is an operation of the machine; a macro needs a name of its own", macro.name.text));
    return;
  }
  Macro definition{{}, std::move(body), head.where};
  for (const Word& parameter : macro.parameters) {
    if (std::ranges::find(definition.parameters, parameter.text) != definition.parameters.end()) {
      reporter.error(Code::duplicate_name, head.place(parameter.span),
                     fmt::format("macro '{}' has a parameter '{}' already", macro.name.text, parameter.text));
    }
    definition.parameters.push_back(parameter.text);
  }
  const auto [found, fresh] = macros.emplace(macro.name.text, definition);
  if (!fresh) {
    if (reporter.error(Code::duplicate_name, head.place(macro.name.span),
                       fmt::format("macro '{}' is defined twice", macro.name.text))) {
      reporter.note(found->second.where, "it was defined here");
    }
  }
}

std::optional<std::vector<std::string>> arguments_of(const std::string& name, const Macro& macro,
                                                     const ExpandedStatement& use, Reporter& reporter) {
  const std::string& text = use.text;
  std::vector<std::optional<std::string>> found(macro.parameters.size());
  std::size_t placed = 0;
  bool by_name = false;
  const auto refuse = [&](std::string message) {
    if (reporter.error(Code::macro, use.where, std::move(message))) {
      reporter.note(macro.where, "it is defined here");
    }
    return std::nullopt;
  };
  for (std::size_t at = text.find(name) + name.size(); at < text.size();) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t", at), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    at = end;
    if (end == begin) continue;
    const std::string argument = text.substr(begin, end - begin);
    std::size_t word = 0;
    while (word < argument.size() && is_word_character(argument[word])) ++word;
    const bool named = word > 0 && word < argument.size() && argument[word] == '=' &&
                       (word + 1 >= argument.size() || argument[word + 1] != '=');
    if (!named) {
      if (by_name) return refuse(fmt::format("'{}' comes after an argument by name; give it its name", argument));
      if (placed < found.size()) found[placed] = argument;
      ++placed;
      continue;
    }
    by_name = true;
    const std::string parameter = argument.substr(0, word);
    const auto place = std::find(macro.parameters.begin(), macro.parameters.end(), parameter);
    if (place == macro.parameters.end()) {
      return refuse(fmt::format("macro '{}' has no parameter '{}'{}", name, parameter,
                                suggestion_or_all(parameter, macro.parameters)));
    }
    auto& value = found[static_cast<std::size_t>(place - macro.parameters.begin())];
    if (value) return refuse(fmt::format("parameter '{}' of macro '{}' is given twice", parameter, name));
    value = argument.substr(word + 1);
  }
  std::vector<std::string> arguments;
  std::vector<std::string> missing;
  for (std::size_t index = 0; index < found.size(); ++index) {
    if (!found[index]) missing.push_back(macro.parameters[index]);
    arguments.push_back(found[index].value_or(""));
  }
  if (by_name && !missing.empty()) {
    return refuse(fmt::format("macro '{}' is not given {}", name, quoted_list(missing)));
  }
  if (!missing.empty() || placed > found.size()) {
    return refuse(fmt::format("macro '{}' takes {}, {}", name, base::counted(macro.parameters.size(), "argument"),
                              given(placed, std::to_string(placed))));
  }
  return arguments;
}

}  // namespace gdr::assembler
