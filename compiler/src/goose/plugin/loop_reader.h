// One goose loop: its form, what stands around the j-loop, and that nothing in it depends on order.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <optional>

#include "goose/goose_loop.h"
#include "pair_body.h"

namespace gdr::compiler {

/// A loop, its directive, and the function that both stand in.
struct MarkedLoop {
  const Directive* directive = nullptr;
  const clang::ForStmt* loop = nullptr;
  const clang::FunctionDecl* function = nullptr;
};

/// Nothing if something was refused. What is suspicious goes to `warn`.
[[nodiscard]] std::optional<GooseLoop> read_loop(const MarkedLoop& marked, const clang::ASTContext& context,
                                                 const GooseRequest& request, const Refuse& refuse, const Refuse& warn);

}  // namespace gdr::compiler
