#include "gdr/compiler/for_editor.h"

#include <algorithm>
#include <regex>
#include <string>
#include <system_error>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/compiler/assemble.h"

namespace gdr::compiler {
namespace {

/// Adds the diagnostics of a compilation to a result, and the files that they name.
class EditorDiagnostics {
 public:
  explicit EditorDiagnostics(assembler::AssembleResult& result) : result_(result) {}

  void add(const Diagnostic& diagnostic, assembler::Severity severity) {
    assembler::Diagnostic one;
    one.severity = severity;
    one.where = {file(diagnostic.file), std::max(diagnostic.line, 1U), std::max(diagnostic.column, 1U), 1};
    one.message = diagnostic.message;
    result_.diagnostics.push_back(std::move(one));
    for (const Diagnostic& note : diagnostic.notes) add(note, assembler::Severity::note);
  }

  /// Clang's lines `FILE:LINE:COL: error: TEXT`. Returns true if there are errors among them.
  bool add_of_clang(const std::string& messages) {
    bool has_errors = false;
    static const std::regex kLine("([^:\n]+):([0-9]+):([0-9]+): (error|warning|fatal error): ([^\n]+)");
    for (std::sregex_iterator at(messages.begin(), messages.end(), kLine), end; at != end; ++at) {
      const auto number = [&](std::size_t group) { return static_cast<unsigned>(std::stoul((*at)[group].str())); };
      const bool is_error = (*at)[4].str() != "warning";
      add({(*at)[1].str(), number(2), number(3), (*at)[5].str()},
          is_error ? assembler::Severity::error : assembler::Severity::warning);
      has_errors = has_errors || is_error;
    }
    return has_errors;
  }

  /// Index of a file, which is added if it is not there.
  std::uint32_t file(const std::string& name) {
    for (std::uint32_t n = 0; n < result_.files.size(); ++n) {
      if (result_.files[n].name == name) return n;
    }
    std::error_code none;
    const bool there = std::filesystem::is_regular_file(name, none);
    result_.files.push_back({name, there ? base::read_file(name) : std::string()});
    return static_cast<std::uint32_t>(result_.files.size() - 1);
  }

 private:
  assembler::AssembleResult& result_;
};

}  // namespace

assembler::AssembleResult assembled_for_editor(const std::filesystem::path& path, const CompileOptions& options) {
  assembler::AssembleResult result;
  try {
    const CompileResult compiled = compile_file(path, options);
    if (!compiled.source.empty()) result = assemble_compiled(compiled, options);
    result.diagnostics.clear();
    EditorDiagnostics diagnostics(result);
    diagnostics.file(path.string());
    const bool is_told = diagnostics.add_of_clang(compiled.clang);
    for (const Diagnostic& one : compiled.warnings) diagnostics.add(one, assembler::Severity::warning);
    for (const Diagnostic& one : compiled.diagnostics) {
      // Clang's errors say why it does not compile the file.
      if (one.line > 0 || !is_told) diagnostics.add(one, assembler::Severity::error);
    }
  } catch (const Error& error) {
    EditorDiagnostics(result).add({path.string(), 1, 1, error.what()}, assembler::Severity::error);
  }
  return result;
}

}  // namespace gdr::compiler
