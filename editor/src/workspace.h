// The open documents, and each of them as the assembler sees it with all that it includes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gdr/assembler/analysis.h"
#include "gdr/assembler/assembler.h"
#include "index.h"
#include "text.h"

namespace gdr::editor {

/// Where a line of source went in the program.
struct CodeLine {
  isa::Section section = isa::Section::initialization;
  std::uint32_t number = 0;  // among the section's lines
  isa::InstructionWord word;
};

/// What a use of a macro became, in one section: as many lines, one behind the other.
struct MacroUse {
  std::string macro;
  std::vector<CodeLine> lines;
  std::vector<std::string> texts;  // of each line, its arguments in place of the parameters
};

/// A file with all that it includes.
struct Unit {
  assembler::AssembleResult result;
  std::vector<Text> texts;        // of result.files
  std::vector<std::string> uris;  // of result.files
  Index index;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<CodeLine>> code;  // by file and line, from 0
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<MacroUse>> uses;  // the same

  /// The first of the files with this URI.
  [[nodiscard]] std::optional<std::uint32_t> file_of(const std::string& uri) const;
  /// Of the loop body, worked out when it is first asked for; nothing if the source has errors.
  [[nodiscard]] const assembler::Analysis* analysis() const;

 private:
  mutable std::optional<assembler::Analysis> analysis_;
};

struct Document {
  std::string text;
  std::optional<std::int64_t> version;
  std::filesystem::path path;  // of a URI without one the URI itself
  std::filesystem::path identity;
  bool is_kernel = false;  // else something that kernels include
};

class Workspace {
 public:
  explicit Workspace(assembler::AssembleOptions options) : options_(std::move(options)) {}

  void set_options(assembler::AssembleOptions options);
  /// Also a new text of a document that is open.
  void open(const std::string& uri, std::string text, std::optional<std::int64_t> version);
  void close(const std::string& uri);
  /// Files on disk have changed.
  void forget() { units_.clear(); }

  [[nodiscard]] const std::map<std::string, Document>& documents() const { return documents_; }
  /// Documents that diagnostics are of: kernels, and others that no open kernel includes.
  [[nodiscard]] std::vector<std::string> roots();
  /// A document and what it includes. `uri` is open.
  [[nodiscard]] const Unit& unit(const std::string& uri);
  /// The unit that knows most of a document: a root that it is part of.
  [[nodiscard]] const Unit& context(const std::string& uri);

 private:
  [[nodiscard]] std::unique_ptr<Unit> assembled(const Document& document) const;
  [[nodiscard]] std::string uri_for(const std::filesystem::path& path) const;

  assembler::AssembleOptions options_;
  std::map<std::string, Document> documents_;  // by URI
  std::map<std::string, std::unique_ptr<Unit>> units_;
};

}  // namespace gdr::editor
