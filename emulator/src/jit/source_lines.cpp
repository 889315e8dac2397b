#include "source_lines.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

namespace gdr::emulator::jit {
namespace {

/// The text in quotes. Characters that have a meaning in LLVM's strings are written as codes.
std::string in_quotes(const std::string& text) {
  std::string quote = "\"";
  for (const char each : text) {
    const bool plain = each != '"' && each != '\\' && each >= ' ' && each <= '~';
    quote += plain ? std::string(1, each) : fmt::format("\\{:02X}", static_cast<unsigned char>(each));
  }
  return quote + '"';
}

}  // namespace

std::string source_lines(const isa::Program& program, const std::string& body) {
  const std::vector<isa::ProgramLine> lines = program.lines(isa::Section::loop_body);
  constexpr std::array kFunctions{BodyFunction::turns, BodyFunction::last_turns, BodyFunction::uniform};
  static_assert(kFunctions.size() == kBodyFunctions);
  const std::uint32_t unit = location_number(static_cast<std::uint32_t>(lines.size()), BodyFunction{});
  const std::uint32_t type = unit + 1;
  const std::uint32_t flags = unit + 2;  // of the module
  const std::uint32_t first_file = unit + 4;
  constexpr std::uint32_t kOfFile = 1 + kBodyFunctions;  // the file, and its scope in each of the functions
  std::vector<std::string> files = program.files;
  if (files.empty()) files.push_back(program.kernel);

  std::error_code none;
  const std::string folder = in_quotes(std::filesystem::current_path(none).string());
  std::string text;
  for (std::uint32_t file = 0; file < files.size(); ++file) {
    const std::uint32_t at = first_file + kOfFile * file;
    text += fmt::format("!{} = !DIFile(filename: {}, directory: {})\n", at, in_quotes(files[file]), folder);
    for (const BodyFunction function : kFunctions) {
      text += fmt::format("!{} = !DILexicalBlockFile(scope: !{}, file: !{}, discriminator: 0)\n",
                          at + 1 + function_number(function), function_number(function), at);
    }
  }
  for (const BodyFunction function : kFunctions) {
    text += fmt::format(
        "!{} = distinct !DISubprogram(name: {}, scope: !{}, file: !{}, line: {}, type: !{}, unit: !{}, "
        "spFlags: DISPFlagDefinition | DISPFlagOptimized)\n",
        function_number(function), in_quotes(body + ": " + name_of(function)), first_file, first_file,
        lines.empty() ? 0 : lines.front().position.line, type, unit);
    for (std::uint32_t line = 0; line < lines.size(); ++line) {
      const isa::SourcePosition& position = lines[line].position;
      text += fmt::format("!{} = !DILocation(line: {}, column: {}, scope: !{})\n", location_number(line, function),
                          position.line, position.column,
                          first_file + kOfFile * position.file + 1 + function_number(function));
    }
  }
  text += fmt::format(
      "!{0} = distinct !DICompileUnit(language: DW_LANG_Mips_Assembler, file: !{1}, producer: \"gdr\", "
      "isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)\n"
      "!{2} = !DISubroutineType(types: !{{null}})\n"
      "!{3} = !{{i32 2, !\"Dwarf Version\", i32 4}}\n!{4} = !{{i32 2, !\"Debug Info Version\", i32 3}}\n"
      "!llvm.dbg.cu = !{{!{0}}}\n!llvm.module.flags = !{{!{3}, !{4}}}\n",
      unit, first_file, type, flags, flags + 1);
  return text;
}

}  // namespace gdr::emulator::jit
