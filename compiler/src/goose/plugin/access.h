// Variables and elements of arrays in a goose loop: what they are made of, and how the host writes them.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gdr::compiler {

/// A name of the source as messages show it.
inline std::string quoted(const std::string& text) { return "'" + text + "'"; }

/// A loop inside of the pair function: `counter` takes the values low .. high - 1.
struct FixedLoop {
  const clang::VarDecl* counter = nullptr;
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool down = false;  // from the greatest value to the least
};

using Variables = std::set<const clang::VarDecl*>;
using Aliases = std::map<const clang::VarDecl*, const clang::Expr*>;

/// An expression that names a place in memory: a variable, an element, a member.
struct Access {
  const clang::Expr* expression = nullptr;
  const clang::VarDecl* root = nullptr;  // null: of the object that the function belongs to
  Variables variables;                   // all that it is made of, the root included
  Variables in_indices;
  std::string shape;      // root, members and brackets without what stands in them
  bool indirect = false;  // an index or a pointer on the way is read from memory
  bool shifted = false;   // an index is a variable and something
};

/// Nothing for an expression that is no place, or is reached through a call.
[[nodiscard]] std::optional<Access> access_of(const clang::Expr* expression, const Aliases& aliases);

/// Whether a pointer or reference can stand for the place that its initializer names.
[[nodiscard]] bool is_address_of_place(const clang::Expr* expression, const Aliases& aliases);

/// An expression as the host's compiler reads it; `values` stand for counters.
[[nodiscard]] std::string text_of(const clang::Expr* expression, const clang::ASTContext& context,
                                  const Aliases& aliases,
                                  const std::map<const clang::VarDecl*, std::string>& values = {});

/// The loops whose counters are among the variables.
[[nodiscard]] std::vector<FixedLoop> loops_of(const Variables& variables, const std::vector<FixedLoop>& around);

/// An expression in every turn of those loops, the last one fastest.
[[nodiscard]] std::vector<std::string> elements_of(const clang::Expr* expression, const Variables& variables,
                                                   const std::vector<FixedLoop>& around,
                                                   const clang::ASTContext& context, const Aliases& aliases);

/// A constant number of turns in steps of one, up or down; nothing for another loop.
[[nodiscard]] std::optional<FixedLoop> fixed_loop(const clang::ForStmt& loop, const clang::ASTContext& context);

/// The counter that a loop's header begins with; null if it is not of that form.
[[nodiscard]] const clang::VarDecl* counter_of(const clang::ForStmt& loop);

/// What is assigned to by an expression; null if it assigns nothing. `reads`: the old value is read as well.
[[nodiscard]] const clang::Expr* assigned_by(const clang::Expr* expression, bool& reads);

/// Calls `visit` for a statement and everything in it, until it says false for what is inside.
void visit_all(const clang::Stmt* statement, const std::function<bool(const clang::Stmt*)>& visit);

}  // namespace gdr::compiler
