// Elements of distributed arrays: subscripts of the whole array become places in the rank's.
#include <clang/AST/RecursiveASTVisitor.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "rewriter.h"

namespace gdr::compiler {
namespace {

/// The variable that an expression names.
const clang::VarDecl* named(const clang::Expr* expression) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
}

/// The subscripts of a[i][j], i first.
std::vector<const clang::ArraySubscriptExpr*> subscripts_of(const clang::Expr* top) {
  std::vector<const clang::ArraySubscriptExpr*> found;
  while (const auto* one = llvm::dyn_cast<clang::ArraySubscriptExpr>(top)) {
    found.insert(found.begin(), one);
    top = one->getLHS()->IgnoreImpCasts();
  }
  return found;
}

/// A subscript v, v + c or v - c.
struct Shifted {
  const clang::VarDecl* counter = nullptr;
  long by = 0;
};

std::optional<Shifted> shifted(const clang::Expr* subscript, clang::ASTContext& context) {
  const clang::Expr* bare = subscript->IgnoreParenImpCasts();
  if (const clang::VarDecl* counter = named(bare)) return Shifted{counter, 0};
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(bare);
  if (sum == nullptr || !sum->isAdditiveOp()) return std::nullopt;
  const bool minus = sum->getOpcode() == clang::BO_Sub;
  const clang::VarDecl* counter = named(sum->getLHS());
  const clang::Expr* constant = sum->getRHS();
  if (counter == nullptr && !minus) {
    counter = named(sum->getRHS());
    constant = sum->getLHS();
  }
  clang::Expr::EvalResult value;
  if (counter == nullptr || !constant->EvaluateAsInt(value, context)) return std::nullopt;
  const long by = value.Val.getInt().getExtValue();
  return Shifted{counter, minus ? -by : by};
}

/// True if the statement sets the variable or takes its address.
class Sets : public clang::RecursiveASTVisitor<Sets> {
 public:
  explicit Sets(const clang::VarDecl* variable) : variable_(variable) {}
  bool VisitBinaryOperator(clang::BinaryOperator* set) {
    found = found || (set->isAssignmentOp() && named(set->getLHS()) == variable_);
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* set) {
    found = found || ((set->isIncrementDecrementOp() || set->getOpcode() == clang::UO_AddrOf) &&
                      named(set->getSubExpr()) == variable_);
    return true;
  }
  bool found = false;

 private:
  const clang::VarDecl* variable_;
};

class ElementFinder : public clang::RecursiveASTVisitor<ElementFinder> {
 public:
  explicit ElementFinder(XaccRewriter& rewriter) : rewriter_(rewriter) {}

  bool TraverseForStmt(clang::ForStmt* loop) {
    loops_.push_back(loop);
    const bool go_on = clang::RecursiveASTVisitor<ElementFinder>::TraverseForStmt(loop);
    loops_.pop_back();
    return go_on;
  }

  /// Calls of the board get addresses, to compare them.
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const clang::FunctionDecl* defined = callee == nullptr ? nullptr : callee->getDefinition();
    for (unsigned n = 0; defined != nullptr && n < std::min(call->getNumArgs(), defined->getNumParams()); ++n) {
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(call->getArg(n)->IgnoreParenImpCasts());
      if (name == nullptr || rewriter_.array_of(name->getDecl()) < 0) continue;
      bases_.insert(name);
      rewriter_.pass(name, defined->getParamDecl(n));
    }
    if (callee == nullptr || !callee->getIdentifier() || !callee->getName().starts_with("gdr_goose_")) return true;
    for (const clang::Expr* given : call->arguments()) compared_.insert(given->IgnoreParenImpCasts());
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* set) {
    if (!set->isAssignmentOp()) return true;
    writes_.insert(set->getLHS()->IgnoreParens());
    if (!set->isCompoundAssignmentOp()) not_read_.insert(set->getLHS()->IgnoreParens());
    return true;
  }

  bool VisitUnaryOperator(clang::UnaryOperator* of) {
    if (of->isIncrementDecrementOp()) writes_.insert(of->getSubExpr()->IgnoreParens());
    if (of->getOpcode() == clang::UO_AddrOf && compared_.count(of) == 0 &&
        base_of(of->getSubExpr()->IgnoreParens()) != nullptr) {
      rewriter_.refuse(of->getBeginLoc(),
                       "the address of an element of a distributed array is refused: on other nodes the "
                       "array lies elsewhere");
    }
    return true;
  }

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* top) {
    if (!inner_.insert(top).second) return true;
    const clang::DeclRefExpr* base = base_of(top);
    if (base == nullptr) return true;
    for (const clang::ArraySubscriptExpr* one : subscripts_of(top)) inner_.insert(one);
    bases_.insert(base);
    rewriter_.element(top, base, not_read_.count(top) == 0, writes_.count(top) != 0, loops_);
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (rewriter_.array_of(name->getDecl()) < 0 || bases_.count(name) != 0) return true;
    rewriter_.refuse(name->getLocation(),
                     fmt::format("the distributed array '{}' is refused here: only its elements, with "
                                 "all subscripts, may be used",
                                 name->getDecl()->getNameAsString()));
    return true;
  }

 private:
  const clang::DeclRefExpr* base_of(const clang::Expr* at) const {
    if (!llvm::isa<clang::ArraySubscriptExpr>(at)) return nullptr;
    while (const auto* one = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) at = one->getLHS()->IgnoreImpCasts();
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at);
    return name != nullptr && rewriter_.array_of(name->getDecl()) >= 0 ? name : nullptr;
  }

  XaccRewriter& rewriter_;
  std::vector<const clang::ForStmt*> loops_;
  std::set<const clang::Expr*> inner_;
  std::set<const clang::Expr*> writes_;
  std::set<const clang::Expr*> not_read_;
  std::set<const clang::Expr*> bases_;
  std::set<const clang::Expr*> compared_;
};

}  // namespace

void XaccRewriter::element(const clang::ArraySubscriptExpr* top, const clang::DeclRefExpr* base, bool reads,
                           bool writes, const std::vector<const clang::ForStmt*>& loops) {
  const auto n = static_cast<std::size_t>(array_of(base->getDecl()));
  XaccArray& array = layout_.arrays[n];
  const std::vector<const clang::ArraySubscriptExpr*> subscripts = subscripts_of(top);
  if (subscripts.size() != array.extents.size()) {
    return refuse(top->getBeginLoc(),
                  fmt::format("the distributed array '{}' has {} dimensions, here are {} subscripts", array.name,
                              array.extents.size(), subscripts.size()));
  }
  bool proven = true;
  std::size_t shifts = 0;
  Element found{n, places_.begin(base->getLocation()).value_or(0), array.name, reads, writes};
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const clang::Expr* subscript = subscripts[d]->getRHS();
    const auto text = places_.range(subscript->getSourceRange());
    if (array.along[d] < 0 && text)
      found.stream += "[" + request_.text.substr(text->first, text->second - text->first) + "]";
    const long nodes = layout_.nodes_along(array, d);
    if (array.along[d] < 0) continue;
    const std::optional<Shifted> shift = shifted(subscript, places_.context());
    if (nodes == 1) {  // all elements are there, but those beyond a periodic border
      if (!shift || shift->by != 0) ++shifts;
      continue;
    }
    bool own = false;
    for (const clang::ForStmt* loop : loops) {
      const auto split = splits_.find(loop);
      const std::optional<XaccFor> of = read_for(loop, places_.context());
      if (!shift || split == splits_.end() || !of || of->counter != shift->counter) continue;
      Sets sets(of->counter);
      sets.TraverseStmt(const_cast<clang::Stmt*>(loop->getBody()));
      own = split->second.on == array.on && split->second.dimension == array.along[d] && !sets.found;
    }
    if (array.shadow[d].full && !writes) continue;  // all elements are there
    const auto on_board =
        std::ranges::find_if(loops, [&](const clang::ForStmt* loop) { return board_loops_.count(loop) != 0; });
    if (!own && on_board != loops.end() && splits_.count(*on_board) == 0) {
      return refuse(subscript->getBeginLoc(),
                    fmt::format("the directive goose: '{}' is distributed, and no directive xmp loop before the "
                                "directive goose splits the outer loop",
                                array.name));
    }
    if (!own && on_board != loops.end() && writes) {
      return refuse(subscript->getBeginLoc(),
                    fmt::format("the directive goose: '{}' is written with another subscript in dimension {} than the "
                                "counter of the loop that xmp loop splits, and a node writes its own elements only",
                                array.name, d));
    }
    if (!own && on_board != loops.end()) {
      return refuse(
          subscript->getBeginLoc(),
          fmt::format("the directive goose: of dimension {} of '{}' a node has its own elements only, and this "
                      "subscript is not the counter of a loop that xmp loop splits; give '{}' a full shadow "
                      "(*), which xmp reflect brings up to date",
                      d, array.name, array.name));
    }
    if (!own) {
      proven = false;
      ++shifts;
      continue;
    }
    if (shift->by != 0) ++shifts;
    if (writes && shift->by != 0) {
      return refuse(top->getBeginLoc(), fmt::format("'{}' is written {} beside the loop's own elements, which may be "
                                                    "another node's",
                                                    array.name, std::abs(shift->by)));
    }
    if (-shift->by <= array.shadow[d].low && shift->by <= array.shadow[d].high) continue;
    return refuse(
        subscript->getBeginLoc(),
        fmt::format("'{}' is read {} beside the loop's own elements in dimension {}; its shadow there is {}:{}",
                    array.name, std::abs(shift->by), d, array.shadow[d].low, array.shadow[d].high));
  }
  if (shifts > 1) array.diagonal = true;
  elements_.push_back(found);

  const std::size_t line = places_.place(base->getLocation()).line;
  auto end = places_.range(base->getSourceRange());
  for (std::size_t d = 0; d < subscripts.size() && end; ++d) {
    const std::size_t open = places_.next_token(end->second);
    end = places_.range(subscripts[d]->getRBracketLoc());
    if (!end || open >= request_.text.size() || request_.text[open] != '[') break;
    const std::string function = proven ? fmt::format("[gdr_xmp_at_{}(", n)
                                        : fmt::format("[gdr_xmp_checked_{}({}, {}, ", n, line, writes ? 1 : 0);
    edits_.replace(open, open + 1, d == 0 ? function : ", ");
    edits_.replace(end->first, end->second, d + 1 == subscripts.size() ? ")]" : "");
    if (d + 1 == subscripts.size()) return;
  }
  refuse(top->getBeginLoc(),
         fmt::format("the element of '{}' is in the text of a macro, which is not taken", array.name));
}

void rewrite_elements(XaccRewriter& rewriter, clang::ASTContext& context) {
  ElementFinder(rewriter).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace gdr::compiler
