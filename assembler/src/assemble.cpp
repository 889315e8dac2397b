// The recipe: expand, declare, encode, prove, and put the program together.
#include "gdr/assembler/assembler.h"

#include "code.h"
#include "expand.h"
#include "gdr/isa/file.h"
#include "symbols.h"

namespace gdr::assembler {
namespace {

isa::Program put_together(isa::Program program, const SectionCode& code, const std::vector<SourceFile>& files) {
  for (const SourceFile& file : files) program.files.push_back(file.name);
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const CodeLine& line : code[section]) {
      const SourceRange& where = line.where.range;
      program.sections[section].push_back({isa::encode(line.line), {where.file, where.line, where.column}});
    }
  }
  return program;
}

}  // namespace

AssembleResult assemble(std::string_view text, std::string_view name, const AssembleOptions& options) {
  AssembleResult result;
  result.files.push_back({std::string(name), std::string(text)});
  Reporter reporter;
  const Expansion expansion = expand(result.files, options, reporter);
  Declared declared = declare(expansion, options, reporter);
  const SectionCode code = encode_lines(expansion, declared, options, reporter);
  prove(code, declared, reporter);
  if (!reporter.has_errors()) result.program = put_together(std::move(declared.program), code, result.files);
  result.diagnostics = reporter.take();
  return result;
}

AssembleResult assemble_file(const std::filesystem::path& path, const AssembleOptions& options) {
  return assemble(isa::read_file(path), path.string(), options);
}

}  // namespace gdr::assembler
