// The open documents, and each document with its includes as the assembler reads it.
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
#include "gdr/editor/server.h"
#include "index.h"
#include "text.h"

namespace gdr::editor {

/// A line of the program that was made from a line of source.
struct CodeLine {
  isa::Section section = isa::Section::initialization;
  std::uint32_t number = 0;  // index among the section's lines
  isa::InstructionWord word;
};

/// The lines that a use of a macro became in one section, in consecutive order.
struct MacroUse {
  std::string macro;
  std::vector<CodeLine> lines;
  std::vector<std::string> texts;  // text of each line, with the arguments in place of the parameters
};

/// A file with all files that it includes.
struct Unit {
  assembler::AssembleResult result;
  bool compiled = false;          // a pair function in another language: nothing is known of its names
  std::vector<Text> texts;        // of result.files
  std::vector<std::string> uris;  // of result.files
  Index index;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<CodeLine>> code;  // by file and line, from 0
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<MacroUse>> uses;  // the same

  /// Index of the first file with this URI.
  [[nodiscard]] std::optional<std::uint32_t> file_of(const std::string& uri) const;
  /// Analysis of the loop body, made at the first call; nothing if the source has errors.
  [[nodiscard]] const assembler::Analysis* analysis() const;

 private:
  mutable std::optional<assembler::Analysis> analysis_;
};

struct Document {
  std::string text;
  std::optional<std::int64_t> version;
  std::filesystem::path path;  // for a URI without a path the URI itself
  std::filesystem::path identity;
  bool is_kernel = false;    // otherwise it is a file that kernels include
  bool is_compiled = false;  // a pair function in C++ or another language
};

class Workspace {
 public:
  Workspace(assembler::AssembleOptions options, Compiler compiler)
      : options_(std::move(options)), compiler_(std::move(compiler)) {}

  void set_options(assembler::AssembleOptions options);
  /// Opens a document, or sets a new text for an open one.
  void open(const std::string& uri, std::string text, std::optional<std::int64_t> version);
  /// A pair function is compiled again from its file.
  void saved(const std::string& uri);
  void close(const std::string& uri);
  /// Call it when files on disk have changed.
  void forget() { units_.clear(); }

  [[nodiscard]] const std::map<std::string, Document>& documents() const { return documents_; }
  /// Documents that diagnostics are reported for: kernels, and others that no open kernel includes.
  [[nodiscard]] std::vector<std::string> roots();
  /// A document with its includes. `uri` must be open.
  [[nodiscard]] const Unit& unit(const std::string& uri);
  /// The unit that gives most information about a document: a root that includes it, if there is one.
  [[nodiscard]] const Unit& context(const std::string& uri);

 private:
  [[nodiscard]] std::unique_ptr<Unit> assembled(const Document& document) const;
  [[nodiscard]] std::unique_ptr<Unit> compiled(const Document& document) const;
  [[nodiscard]] std::string uri_for(const std::filesystem::path& path) const;

  assembler::AssembleOptions options_;
  Compiler compiler_;
  std::map<std::string, Document> documents_;  // by URI
  std::map<std::string, std::unique_ptr<Unit>> units_;
};

}  // namespace gdr::editor
