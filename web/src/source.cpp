// Programs from the page's sources: assembly, or a pair function in LSUMP's language.
#include <algorithm>
#include <string_view>
#include <utility>

#include "answers.h"
#include "gdr/compiler/assemble.h"
#include "gdr/compiler/compiler.h"

namespace gdr::web {
namespace {

assembler::Diagnostic diagnostic(assembler::Severity severity, const compiler::Diagnostic& told, std::uint32_t file) {
  return {severity, 0, {file, std::max(told.line, 1U), std::max(told.column, 1U), 1}, told.message};
}

Built compiled(const Source& source) {
  compiler::CompileOptions options;
  options.effort = source.effort;
  const compiler::CompileResult result = compiler::compile_lsump(source.text, source.name, options);
  Built built;
  built.messages = compiler::format_diagnostics(result);
  if (result.diagnostics.empty()) {
    built.assembled = compiler::assemble_compiled(result, options);
    built.assembly = result.source;
    built.messages += assembler::format_diagnostics(built.assembled);
  }
  std::vector<assembler::SourceFile>& files = built.assembled.files;
  const auto own = std::ranges::find(files, source.name, &assembler::SourceFile::name);
  built.own_file = static_cast<std::uint32_t>(own - files.begin());
  if (own == files.end()) files.push_back({source.name, {}});
  files[built.own_file].text = source.text;
  std::vector<assembler::Diagnostic>& told = built.assembled.diagnostics;
  for (const compiler::Diagnostic& error : result.diagnostics) {
    told.push_back(diagnostic(assembler::Severity::error, error, built.own_file));
  }
  for (const compiler::Diagnostic& warning : result.warnings) {
    told.push_back(diagnostic(assembler::Severity::warning, warning, built.own_file));
  }
  return built;
}

}  // namespace

Built built(const Source& source) {
  if (source.name.ends_with(".lsump")) return compiled(source);
  Built built{assembler::assemble(source.text, source.name, source.options), {}, {}, 0};
  built.messages = assembler::format_diagnostics(built.assembled);
  return built;
}

}  // namespace gdr::web
