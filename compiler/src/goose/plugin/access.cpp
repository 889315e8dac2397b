#include "access.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/PrettyPrinter.h>
#include <llvm/Support/raw_ostream.h>

namespace gdr::compiler {
namespace {

bool reads_memory(const clang::Stmt* expression) {
  bool found = false;
  visit_all(expression, [&](const clang::Stmt* one) {
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(one);
    found = found || llvm::isa<clang::ArraySubscriptExpr, clang::MemberExpr, clang::CXXOperatorCallExpr>(one) ||
            (unary != nullptr && unary->getOpcode() == clang::UO_Deref);
    return true;
  });
  return found;
}

/// 3 * i + k has the elements of i.
bool is_product(const clang::Expr* expression) {
  const auto* product = llvm::dyn_cast<clang::BinaryOperator>(expression->IgnoreParenImpCasts());
  return product != nullptr && product->getOpcode() == clang::BO_Mul;
}

class PathReader {
 public:
  PathReader(const Aliases& aliases, Access& access) : aliases_(aliases), access_(access) {}

  bool path(const clang::Expr* expression) {
    expression = expression->IgnoreParenImpCasts();
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression)) return variable(*name);
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
      return step(element->getBase(), element->getIdx());
    }
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
      if (!llvm::isa<clang::FieldDecl>(member->getMemberDecl()) || !path(member->getBase())) return false;
      access_.shape += "." + member->getMemberDecl()->getNameAsString();
      return true;
    }
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
      if (unary->getOpcode() == clang::UO_AddrOf) {
        // What is behind the address of an element are elements of the same array.
        if (!path(unary->getSubExpr())) return false;
        if (access_.shape.ends_with("[]")) access_.shape.erase(access_.shape.size() - 2);
        return true;
      }
      if (unary->getOpcode() != clang::UO_Deref) return false;
      const clang::Expr* inside = unary->getSubExpr()->IgnoreParenImpCasts();
      if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(inside); sum != nullptr && sum->isAdditiveOp()) {
        const bool first = sum->getLHS()->getType()->isPointerType();
        return step(first ? sum->getLHS() : sum->getRHS(), first ? sum->getRHS() : sum->getLHS());
      }
      return step(inside, nullptr);
    }
    if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
      if (!sum->isAdditiveOp() || !sum->getType()->isPointerType()) return false;
      const bool first = sum->getLHS()->getType()->isPointerType();
      if (!path(first ? sum->getLHS() : sum->getRHS())) return false;
      access_.indirect = access_.indirect || reads_memory(first ? sum->getRHS() : sum->getLHS());
      add_variables(first ? sum->getRHS() : sum->getLHS());
      return true;
    }
    if (const auto* called = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expression)) {
      return called->getOperator() == clang::OO_Subscript && called->getNumArgs() == 2 &&
             step(called->getArg(0), called->getArg(1));
    }
    if (llvm::isa<clang::CXXThisExpr>(expression)) {
      access_.shape = "this";
      return true;
    }
    return false;
  }

 private:
  bool variable(const clang::DeclRefExpr& name) {
    const auto* declared = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
    if (declared == nullptr) return false;
    if (const auto alias = aliases_.find(declared); alias != aliases_.end()) return path(alias->second);
    access_.root = declared;
    access_.variables.insert(declared);
    access_.shape = declared->getNameAsString() + "#" + std::to_string(declared->getLocation().getRawEncoding());
    return true;
  }

  bool step(const clang::Expr* base, const clang::Expr* index) {
    if (!path(base)) return false;
    access_.shape += "[]";
    if (index == nullptr) return true;
    access_.indirect = access_.indirect || reads_memory(index);
    const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(index->IgnoreParenImpCasts());
    if (sum != nullptr && sum->isAdditiveOp()) {
      const auto is_name = [](const clang::Expr* one) {
        return llvm::isa<clang::DeclRefExpr>(one->IgnoreParenImpCasts());
      };
      access_.shifted =
          access_.shifted || is_name(sum->getLHS()) || (is_name(sum->getRHS()) && !is_product(sum->getLHS()));
    }
    add_variables(index);
    return true;
  }

  void add_variables(const clang::Stmt* expression) {
    visit_all(expression, [&](const clang::Stmt* one) {
      if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(one)) {
        if (const auto* declared = llvm::dyn_cast<clang::VarDecl>(name->getDecl())) {
          if (const auto alias = aliases_.find(declared); alias != aliases_.end()) {
            add_variables(alias->second);
          } else {
            access_.variables.insert(declared);
            access_.in_indices.insert(declared);
          }
        }
      }
      return true;
    });
  }

  const Aliases& aliases_;
  Access& access_;
};

class Substitution : public clang::PrinterHelper {
 public:
  Substitution(const clang::ASTContext& context, const Aliases& aliases,
               const std::map<const clang::VarDecl*, std::string>& values)
      : context_(context), aliases_(aliases), values_(values) {}

  bool handledStmt(clang::Stmt* statement, llvm::raw_ostream& out) override {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(statement);
    const auto* declared = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (declared == nullptr) return false;
    if (const auto value = values_.find(declared); value != values_.end()) {
      out << value->second;
      return true;
    }
    if (const auto alias = aliases_.find(declared); alias != aliases_.end()) {
      const bool sum = llvm::isa<clang::UnaryOperator, clang::BinaryOperator>(alias->second->IgnoreParenImpCasts());
      out << (sum ? "(" : "") << text_of(alias->second, context_, aliases_, values_) << (sum ? ")" : "");
      return true;
    }
    return false;
  }

 private:
  const clang::ASTContext& context_;
  const Aliases& aliases_;
  const std::map<const clang::VarDecl*, std::string>& values_;
};

std::optional<std::int64_t> constant_of(const clang::Expr* expression, const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (expression == nullptr || expression->isValueDependent() || !expression->EvaluateAsInt(result, context))
    return std::nullopt;
  return result.Val.getInt().getExtValue();
}

bool names(const clang::Expr* expression, const clang::VarDecl* wanted) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return name != nullptr && name->getDecl() == wanted;
}

/// 1 for the increments `counter++`, `++counter`, `counter += 1` and `counter = counter + 1`, -1 for their opposites, 0
/// for others.
int step_of(const clang::Expr* increment, const clang::VarDecl* counter, const clang::ASTContext& context) {
  if (increment == nullptr) return 0;
  increment = increment->IgnoreParenImpCasts();
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(increment)) {
    if (!unary->isIncrementDecrementOp() || !names(unary->getSubExpr(), counter)) return 0;
    return unary->isIncrementOp() ? 1 : -1;
  }
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(increment);
  if (binary == nullptr || !names(binary->getLHS(), counter)) return 0;
  const auto signed_step = [&](const clang::Expr* step, bool plus) {
    return constant_of(step, context) != 1 ? 0 : plus ? 1 : -1;
  };
  if (binary->getOpcode() == clang::BO_AddAssign || binary->getOpcode() == clang::BO_SubAssign)
    return signed_step(binary->getRHS(), binary->getOpcode() == clang::BO_AddAssign);
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(binary->getRHS()->IgnoreParenImpCasts());
  if (binary->getOpcode() != clang::BO_Assign || sum == nullptr || !sum->isAdditiveOp()) return 0;
  return names(sum->getLHS(), counter) ? signed_step(sum->getRHS(), sum->getOpcode() == clang::BO_Add) : 0;
}

}  // namespace

std::optional<Access> access_of(const clang::Expr* expression, const Aliases& aliases) {
  Access access;
  access.expression = expression->IgnoreParenImpCasts();
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(access.expression);
  const bool address = unary != nullptr && unary->getOpcode() == clang::UO_AddrOf;
  if (address || llvm::isa<clang::BinaryOperator>(access.expression)) return std::nullopt;
  if (!PathReader(aliases, access).path(expression)) return std::nullopt;
  return access;
}

bool is_address_of_place(const clang::Expr* expression, const Aliases& aliases) {
  Access access;
  return PathReader(aliases, access).path(expression);
}

std::string text_of(const clang::Expr* expression, const clang::ASTContext& context, const Aliases& aliases,
                    const std::map<const clang::VarDecl*, std::string>& values) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Substitution helper(context, aliases, values);
  expression->printPretty(out, &helper, context.getPrintingPolicy());
  return text;
}

std::vector<FixedLoop> loops_of(const Variables& variables, const std::vector<FixedLoop>& around) {
  std::vector<FixedLoop> loops;
  for (const FixedLoop& loop : around) {
    if (variables.contains(loop.counter)) loops.push_back(loop);
  }
  return loops;
}

std::vector<std::string> elements_of(const clang::Expr* expression, const Variables& variables,
                                     const std::vector<FixedLoop>& around, const clang::ASTContext& context,
                                     const Aliases& aliases) {
  const std::vector<FixedLoop> loops = loops_of(variables, around);
  std::vector<std::string> texts;
  std::map<const clang::VarDecl*, std::string> values;
  const std::function<void(std::size_t)> turn = [&](std::size_t n) {
    if (n == loops.size()) {
      texts.push_back(text_of(expression, context, aliases, values));
      return;
    }
    for (std::int64_t value = loops[n].low; value < loops[n].high; ++value) {
      values[loops[n].counter] = std::to_string(value);
      turn(n + 1);
    }
  };
  turn(0);
  return texts;
}

const clang::VarDecl* counter_of(const clang::ForStmt& loop) {
  const clang::Stmt* begin = loop.getInit();
  if (begin == nullptr) return nullptr;
  if (const auto* declared = llvm::dyn_cast<clang::DeclStmt>(begin)) {
    return declared->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(declared->getSingleDecl()) : nullptr;
  }
  const auto* assigned = llvm::dyn_cast<clang::BinaryOperator>(begin);
  if (assigned == nullptr || assigned->getOpcode() != clang::BO_Assign) return nullptr;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(assigned->getLHS()->IgnoreParenImpCasts());
  return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
}

std::optional<FixedLoop> fixed_loop(const clang::ForStmt& loop, const clang::ASTContext& context) {
  FixedLoop fixed;
  fixed.counter = counter_of(loop);
  if (fixed.counter == nullptr || loop.getCond() == nullptr) return std::nullopt;
  const auto* declared = llvm::dyn_cast<clang::DeclStmt>(loop.getInit());
  const clang::Expr* first =
      declared != nullptr ? fixed.counter->getInit() : llvm::cast<clang::BinaryOperator>(loop.getInit())->getRHS();
  const auto from = constant_of(first, context);
  const auto* condition = llvm::dyn_cast<clang::BinaryOperator>(loop.getCond()->IgnoreParenImpCasts());
  if (!from || condition == nullptr || !names(condition->getLHS(), fixed.counter)) return std::nullopt;
  const auto to = constant_of(condition->getRHS(), context);
  const int step = step_of(loop.getInc(), fixed.counter, context);
  if (!to || step == 0) return std::nullopt;
  const auto opcode = condition->getOpcode();
  fixed.down = step < 0;
  bool known = opcode == clang::BO_NE;
  if (fixed.down) {
    known = known || opcode == clang::BO_GT || opcode == clang::BO_GE;
    const bool ends = fixed.counter->getType()->isSignedIntegerType() || opcode != clang::BO_GE || *to > 0;
    if (!ends) return std::nullopt;  // an unsigned counter never is below 0
    fixed.low = opcode == clang::BO_GE ? *to : *to + 1;
    fixed.high = *from + 1;
  } else {
    known = known || opcode == clang::BO_LT || opcode == clang::BO_LE;
    fixed.low = *from;
    fixed.high = opcode == clang::BO_LE ? *to + 1 : *to;
  }
  constexpr std::int64_t kMostTurns = 512;
  return known && fixed.high > fixed.low && fixed.high - fixed.low <= kMostTurns ? std::optional(fixed) : std::nullopt;
}

const clang::Expr* assigned_by(const clang::Expr* expression, bool& reads) {
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression); binary && binary->isAssignmentOp()) {
    reads = binary->isCompoundAssignmentOp();
    return binary->getLHS();
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression); unary && unary->isIncrementDecrementOp()) {
    reads = true;
    return unary->getSubExpr();
  }
  return nullptr;
}

void visit_all(const clang::Stmt* statement, const std::function<bool(const clang::Stmt*)>& visit) {
  if (statement == nullptr || !visit(statement)) return;
  for (const clang::Stmt* child : statement->children()) visit_all(child, visit);
}

}  // namespace gdr::compiler
