#include "line_texts.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "gdr/base/file.h"
#include "gdr/isa/waiting_line.h"

namespace gdr::hostlib {

const std::vector<std::string>& LineTexts::source(std::uint32_t file) {
  const auto [found, fresh] = sources_.try_emplace(file);
  std::error_code none;
  if (!fresh || file >= program_.files.size() || !std::filesystem::is_regular_file(program_.files[file], none)) {
    return found->second;
  }
  std::istringstream stream(base::read_file(program_.files[file]));
  for (std::string line; std::getline(stream, line);) found->second.push_back(line);
  return found->second;
}

const std::vector<isa::ProgramLine>& LineTexts::lines(isa::Section section) {
  const auto [found, fresh] = lines_.try_emplace(section);
  if (fresh) found->second = program_.lines(section);
  return found->second;
}

std::string LineTexts::text(isa::Section section, std::size_t number) {
  const std::vector<isa::ProgramLine>& code = lines(section);
  if (isa::is_waiting(code, number)) return std::string(isa::kWaits);
  const isa::SourcePosition& at = code[number].position;
  if (const std::string* expanded = program_.expanded_text(at)) return *expanded;
  const std::vector<std::string>& of_file = source(at.file);
  return at.line >= 1 && at.line <= of_file.size() ? of_file[at.line - 1] : isa::print(isa::decoded(code[number].word));
}

std::string LineTexts::placed(isa::Section section, std::size_t number) {
  std::string shown = text(section, number);
  if (shown == isa::kWaits) return shown;
  const isa::SourcePosition& at = lines(section)[number].position;
  const std::string file =
      at.file < program_.files.size() ? std::filesystem::path(program_.files[at.file]).filename().string() : "?";
  shown.erase(0, shown.find_first_not_of(" \t"));
  return fmt::format("{}:{}: {}", file, at.line, shown);
}

}  // namespace gdr::hostlib
