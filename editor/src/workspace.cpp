#include "workspace.h"

#include <algorithm>

#include "gdr/isa/line.h"

namespace gdr::editor {
namespace {

bool has_kernel_line(const Text& text) {
  for (std::size_t line = 0; line < text.lines(); ++line) {
    std::string_view rest = text.line(line);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.starts_with("kernel ") || rest.starts_with("kernel\t")) return true;
  }
  return false;
}

/// True for files of other languages; those in C++ that are no pair functions are shown without anything.
bool is_of_compiler(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".cc" || ending == ".cpp" || ending == ".cxx" || ending == ".lsump";
}

bool may_hold_pair_function(const Document& document) {
  return document.path.extension() == ".lsump" || document.text.find("gdr/kernel.h") != std::string::npos;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// Fills `code` and `uses` of a unit that has a program.
void place_lines(Unit& unit) {
  const isa::Program& program = *unit.result.program;
  const auto key_of = [&](const isa::SourcePosition& at) {
    return std::pair(unit.file_of(unit.uris[at.file]).value_or(0), at.line - 1);
  };
  for (std::size_t number = 0; number < isa::kSections; ++number) {
    const auto section = static_cast<isa::Section>(number);
    std::map<const isa::Origin*, MacroUse> uses;
    std::uint32_t line_number = 0;
    for (const isa::ProgramLine& line : program.lines(section)) {
      const CodeLine code{section, line_number++, line.word};
      for (const isa::SourcePosition& at : program.source_lines_of(section, code.number)) {
        unit.code[key_of(at)].push_back(code);
      }
      const std::string* expanded = program.expanded_text(line.position);
      const std::string_view written = unit.texts[line.position.file].line(line.position.line - 1);
      for (const isa::Origin* origin : program.uses_around(line.position)) {
        MacroUse& use = uses[origin];
        use.macro = origin->macro;
        use.lines.push_back(code);
        use.texts.emplace_back(expanded != nullptr ? *expanded : trimmed(written));
      }
    }
    for (auto& [origin, use] : uses) unit.uses[key_of(origin->position)].push_back(std::move(use));
  }
}

}  // namespace

std::optional<std::uint32_t> Unit::file_of(const std::string& uri) const {
  const auto found = std::ranges::find(uris, uri);
  if (found == uris.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - uris.begin());
}

const assembler::Analysis* Unit::analysis() const {
  if (!result.program) return nullptr;
  if (!analysis_) analysis_ = assembler::analyse(*result.program);
  return &*analysis_;
}

void Workspace::set_options(assembler::AssembleOptions options) {
  options_ = std::move(options);
  units_.clear();
}

void Workspace::open(const std::string& uri, std::string text, std::optional<std::int64_t> version) {
  const bool known = documents_.contains(uri);
  Document& document = documents_[uri];
  document.is_kernel = has_kernel_line(Text(text));
  document.text = std::move(text);
  document.version = version;
  if (known && document.is_compiled) return;  // what is known of the saved text stays until it is saved again
  if (known) {
    std::erase_if(units_, [&](const auto& unit) { return unit.first == uri || unit.second->file_of(uri); });
    return;
  }
  document.path = path_of(uri).value_or(std::filesystem::path(uri));
  document.identity = identity_of(document.path);
  document.is_compiled = is_of_compiler(document.path);
  units_.clear();  // an include that was missing may be there now
}

void Workspace::saved(const std::string& uri) {
  if (documents_.at(uri).is_compiled) units_.erase(uri);
}

void Workspace::close(const std::string& uri) {
  documents_.erase(uri);
  units_.clear();
}

std::vector<std::string> Workspace::roots() {
  std::vector<std::string> found;
  for (const auto& [uri, document] : documents_) {
    if (document.is_kernel) found.push_back(uri);
  }
  const std::vector<std::string> kernels = found;
  for (const auto& [uri, document] : documents_) {
    const bool included = std::ranges::any_of(
        kernels, [&, &part = uri](const std::string& kernel) { return unit(kernel).file_of(part).has_value(); });
    if (!included) found.push_back(uri);
  }
  return found;
}

const Unit& Workspace::unit(const std::string& uri) {
  std::unique_ptr<Unit>& unit = units_[uri];
  if (!unit) unit = assembled(documents_.at(uri));
  return *unit;
}

const Unit& Workspace::context(const std::string& uri) {
  if (!documents_.at(uri).is_kernel) {
    for (const auto& [other, document] : documents_) {
      if (document.is_kernel && unit(other).file_of(uri)) return unit(other);
    }
  }
  return unit(uri);
}

std::string Workspace::uri_for(const std::filesystem::path& path) const {
  const std::filesystem::path identity = identity_of(path);
  for (const auto& [uri, document] : documents_) {
    if (document.identity == identity) return uri;
  }
  return uri_of(path);
}

std::unique_ptr<Unit> Workspace::compiled(const Document& document) const {
  auto unit = std::make_unique<Unit>();
  unit->compiled = true;
  if (compiler_ && may_hold_pair_function(document)) {
    unit->result = compiler_(document.path);
  } else {
    unit->result.files.push_back({document.path.string(), document.text});
  }
  std::vector<Text> none;
  for (const assembler::SourceFile& file : unit->result.files) {
    unit->texts.emplace_back(file.text);
    unit->uris.push_back(uri_for(file.name));
    none.emplace_back("");
  }
  unit->index = Index(none, unit->uris);
  if (unit->result.program) place_lines(*unit);
  return unit;
}

std::unique_ptr<Unit> Workspace::assembled(const Document& document) const {
  if (document.is_compiled) return compiled(document);
  assembler::AssembleOptions options = options_;
  for (const auto& [uri, open] : documents_) options.unsaved[open.identity] = open.text;
  auto unit = std::make_unique<Unit>();
  unit->result = assembler::assemble(document.text, document.path.string(), options);
  for (const assembler::SourceFile& file : unit->result.files) {
    unit->texts.emplace_back(file.text);
    unit->uris.push_back(uri_for(file.name));
  }
  unit->index = Index(unit->texts, unit->uris);
  if (unit->result.program) place_lines(*unit);
  return unit;
}

}  // namespace gdr::editor
