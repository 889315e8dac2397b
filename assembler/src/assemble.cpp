// The recipe: expand, declare, encode, prove, schedule if asked to, and put the program together.
#include "gdr/assembler/assembler.h"

#include "code.h"
#include "expand.h"
#include "gdr/base/file.h"
#include "schedule.h"
#include "symbols.h"

namespace gdr::assembler {
namespace {

isa::SourcePosition position_of(const Place& place) { return {place.range.file, place.range.line, place.range.column}; }

void put_together(isa::Program program, const SectionCode& code, AssembleResult& result) {
  for (const SourceFile& file : result.files) program.files.push_back(file.name);
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const CodeLine& line : code[section]) {
      program.sections[section].push_back({isa::encode(line.line), position_of(line.where)});
      auto& moved = result.moved[section].emplace_back();
      for (const Place& place : line.moved_here) moved.push_back(position_of(place));
    }
  }
  result.program = std::move(program);
}

}  // namespace

AssembleResult assemble(std::string_view text, std::string_view name, const AssembleOptions& options) {
  AssembleResult result;
  result.files.push_back({std::string(name), std::string(text)});
  Reporter reporter;
  const Expansion expansion = expand(result.files, options, reporter);
  Declared declared = declare(expansion, options, reporter);
  Encoded code = encode_lines(expansion, declared, options, reporter);
  prove(code.lines, declared, reporter);
  prove_moves(code, declared, reporter);
  if (!reporter.has_errors()) {
    // Moves stand between lines, which packing would carry across them.
    if (options.schedule && code.moves.empty()) code.lines = schedule(code.lines, declared);
    for (const CodeMove& move : code.moves) {
      declared.program.moves.push_back(move.move);
      declared.program.moves.back().position = position_of(move.where);
    }
    put_together(std::move(declared.program), code.lines, result);
  }
  result.diagnostics = reporter.take();
  return result;
}

AssembleResult assemble_file(const std::filesystem::path& path, const AssembleOptions& options) {
  return assemble(base::read_file(path), path.string(), options);
}

}  // namespace gdr::assembler
