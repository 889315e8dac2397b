// What the rewriter needs to know of a program: the statements behind directives, variables and where they are seen.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "xacc/directive.h"
#include "xacc/layout.h"

namespace gdr::compiler {

/// Offsets in the main file of nodes of the syntax tree.
class XaccPlaces {
 public:
  explicit XaccPlaces(clang::ASTContext& context) : context_(context), sources_(context.getSourceManager()) {}

  /// Where the text of a node or token begins and ends. None in macros, except for their arguments and for whole
  /// expansions.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> range(clang::SourceRange of) const;
  /// Offset at which it begins, in macros that of the expansion. Nothing outside of the main file.
  [[nodiscard]] std::optional<std::size_t> begin(clang::SourceLocation at) const;
  [[nodiscard]] Place place(clang::SourceLocation at) const;
  /// Offset behind the last token, and behind a semicolon that ends the statement.
  [[nodiscard]] std::optional<std::size_t> end_of_statement(const clang::Stmt* statement) const;
  /// Offset of the first token at or behind `offset` that is on no line of the preprocessor.
  [[nodiscard]] std::size_t next_token(std::size_t offset) const;
  [[nodiscard]] clang::ASTContext& context() const { return context_; }
  [[nodiscard]] const clang::SourceManager& sources() const { return sources_; }

 private:
  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
};

struct XaccVariable {
  const clang::VarDecl* declared = nullptr;
  std::size_t from = 0;  // where it is seen
  std::size_t to = 0;
};

/// A for loop that counts up by a constant.
struct XaccFor {
  const clang::ForStmt* loop = nullptr;
  const clang::VarDecl* counter = nullptr;
  const clang::Expr* first = nullptr;
  const clang::Expr* condition_left = nullptr;
  const clang::Expr* bound = nullptr;
  bool inclusive = false;
  long step = 1;
};
[[nodiscard]] std::optional<XaccFor> read_for(const clang::ForStmt* loop, clang::ASTContext& context);

/// True if the statement is a loop, or what stands in place of a loop for the board: a block whose loops over i are
/// each that loop (compiler/src/goose/goose_text.cpp).
[[nodiscard]] bool stands_for_loop(const clang::Stmt* statement);

struct XaccSurvey {
  std::vector<const clang::Stmt*> next;            // of each directive: the statement that begins behind it
  std::vector<const clang::CompoundStmt*> inside;  // of each directive: the innermost braces
  std::vector<XaccVariable> variables;
  const clang::FunctionDecl* main = nullptr;

  [[nodiscard]] const clang::VarDecl* variable(const std::string& name, std::size_t at) const;
};
[[nodiscard]] XaccSurvey survey(const XaccPlaces& places, const std::vector<XaccDirective>& directives);

/// Arrays of file scope in the main file, and those among the parameters of its functions.
[[nodiscard]] std::vector<XaccKnown> known_arrays(const XaccPlaces& places);
/// Where the parameters of a function with a body in the main file are seen.
[[nodiscard]] std::optional<XaccScope> scope_of(const clang::FunctionDecl* function, const XaccPlaces& places);

}  // namespace gdr::compiler
