#include "outer_statements.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <cctype>

namespace gdr::compiler {
namespace {

/// One shape is the other, or a part of it.
bool overlaps(const std::string& one, const std::string& other) {
  return one.starts_with(other) || other.starts_with(one);
}

bool same_name(const std::string& one, const std::string& other) {
  // Shapes begin with a variable's name and number, which end at the first step.
  const auto root = [](const std::string& shape) { return shape.substr(0, shape.find_first_of("[.")); };
  return root(one) == root(other);
}

/// Whether a text has a word in it.
bool names(const std::string& text, const std::string& word) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !letter(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !letter(text[at + word.size()]);
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

OuterStatements::OuterStatements(const clang::ASTContext& context, const PairBody& body,
                                 const std::vector<const clang::Stmt*>& before,
                                 const std::vector<const clang::Stmt*>& after, const Refuse& refuse)
    : context_(context), around_(body.surroundings()), refuse_(refuse), aliases_(around_.aliases) {
  for (const clang::Stmt* next : before) walk(next, true, true);
  for (const clang::Stmt* next : after) walk(next, false, true);
  if (!refused_) conflicts(body);
}

void OuterStatements::no(clang::SourceLocation where, std::string text) {
  if (!refused_) refuse_(where, std::move(text));
  refused_ = true;
}

bool OuterStatements::fresh(const std::string& shape) const {
  const bool local = std::any_of(declared_.begin(), declared_.end(), [&](const clang::VarDecl* one) {
    return same_name(shape, one->getNameAsString() + "#" + std::to_string(one->getLocation().getRawEncoding()));
  });
  return local || (given_.contains(shape) && std::none_of(written_.begin(), written_.end(), [&](const auto& one) {
                     return one.of_i && one.shape == shape;
                   }));
}

void OuterStatements::walk(const clang::Stmt* statement, bool before, bool always) {
  if (statement == nullptr || refused_) return;
  if (llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::LabelStmt>(statement)) {
    return no(statement->getBeginLoc(), "control leaves the loop here: the board computes for all i at once");
  }
  if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement)) {
    for (const clang::Decl* next : declaration->decls()) {
      const auto* declared = llvm::dyn_cast<clang::VarDecl>(next);
      if (declared == nullptr) continue;
      if (declared->isStaticLocal()) {
        return no(declared->getLocation(), quoted(declared->getNameAsString()) + " is static: it outlives each i");
      }
      declared_.insert(declared);
      if (!before && is_pointer_like(*declared) && declared->getInit() != nullptr &&
          is_address_of_place(declared->getInit(), aliases_)) {
        aliases_[declared] = declared->getInit();
      }
      const bool value = declared->getInit() != nullptr && !aliases_.contains(declared);
      if (value) expression(declared->getInit(), before, always);
    }
    return;
  }
  if (const auto* value = llvm::dyn_cast<clang::Expr>(statement)) return expression(value, before, always);
  const auto* loop = llvm::dyn_cast<clang::ForStmt>(statement);
  const std::optional<FixedLoop> fixed = loop == nullptr ? std::nullopt : fixed_loop(*loop, context_);
  const bool certain = always && (fixed || llvm::isa<clang::CompoundStmt>(statement));
  if (fixed) loops_.push_back(*fixed);
  for (const clang::Stmt* child : statement->children()) walk(child, before, certain);
  if (fixed) loops_.pop_back();
}

void OuterStatements::expression(const clang::Expr* expression, bool before, bool always) {
  if (expression == nullptr || refused_) return;
  expression = expression->IgnoreParenImpCasts();
  bool reads = false;
  if (const clang::Expr* target = assigned_by(expression, reads)) {
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
      this->expression(binary->getRHS(), before, always);
    }
    return assign(*target, reads, before, always);
  }
  if (const std::optional<Access> access = access_of(expression, aliases_)) {
    const bool of_i = access->variables.contains(around_.i);
    reads_.push_back({text_of(access->expression, context_, aliases_), access->shape, expression->getBeginLoc(), of_i});
    return;
  }
  if (const auto* called = llvm::dyn_cast<clang::CallExpr>(expression)) call(*called, before);
  for (const clang::Stmt* child : expression->children()) {
    if (const auto* inner = llvm::dyn_cast_or_null<clang::Expr>(child)) this->expression(inner, before, always);
  }
}

void OuterStatements::assign(const clang::Expr& target, bool reads, bool before, bool always) {
  const std::optional<Access> access = access_of(&target, aliases_);
  if (!access) return no(target.getBeginLoc(), "what is assigned to is no variable, element or member");
  const std::string text = text_of(access->expression, context_, aliases_);
  const bool counter = access->root == around_.i || access->root == around_.j;
  if (counter) return no(target.getBeginLoc(), "the counter " + quoted(text) + " is changed");
  if (access->root != nullptr && declared_.contains(access->root) && is_pointer_like(*access->root) &&
      access->shape.find_first_of("[.") != std::string::npos) {
    return no(target.getBeginLoc(), quoted(text) +
                                        " is written through a pointer whose place is not known here: write to "
                                        "elements by their index");
  }
  const bool of_i = access->variables.contains(around_.i);
  const bool local = access->root != nullptr && declared_.contains(access->root);
  if (before && reads && !local && !given_.contains(access->shape)) {
    return no(target.getBeginLoc(), "statements before the loop over j may only assign with '=': " + quoted(text) +
                                        " is changed; do it after that loop, or before both");
  }
  if (before && !of_i && !local && access->shape.find("[]") != std::string::npos &&
      !(access->root != nullptr && access->root->getType()->isArrayType())) {
    return no(target.getBeginLoc(), quoted(text) + " does not belong to i: results of the loop are elements [i]");
  }
  if (before && always && !reads) given_.insert(access->shape);
  if (reads) reads_.push_back({text, access->shape, target.getBeginLoc(), of_i});
  // Variables of the function that each i begins anew are as good as local.
  const bool fresh_variable = !of_i && access->root != nullptr && given_.contains(access->shape);
  for (const std::string& element : elements_of(access->expression, access->variables, loops_, context_, aliases_)) {
    written_.push_back({element, access->shape, target.getBeginLoc(), local || fresh_variable, of_i, always && of_i});
  }
}

void OuterStatements::call(const clang::CallExpr& call, bool before) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr) return no(call.getBeginLoc(), "a function is called through a pointer beside the loop over j");
  const bool pure = callee->hasAttr<clang::ConstAttr>() || callee->hasAttr<clang::PureAttr>() || callee->isConstexpr();
  const bool known = callee->getBuiltinID() != 0 || callee->isInStdNamespace();
  // Before the loop over j a call is made twice.
  const bool number = known && (before ? call.getType()->isRealFloatingType() : call.getType()->isArithmeticType());
  const auto* overloaded = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
  if (pure || number || (overloaded != nullptr && overloaded->getOperator() != clang::OO_Call)) return;
  no(call.getBeginLoc(), "function " + quoted(callee->getNameAsString()) +
                             " is called beside the loop over j, and may change what that reads: call it before or "
                             "after both loops, or declare it __attribute__((const))");
}

/// Data are collected for all i and j before anything is computed: nothing may read what another turn has written.
void OuterStatements::conflicts(const PairBody& body) {
  struct Changed {
    std::string shape;
    std::string text;
    bool of_i;
    bool fresh;
  };
  std::vector<Changed> changed;
  for (const OuterWrite& write : written_) changed.push_back({write.shape, write.text, write.of_i, write.local});
  for (const BodyField& field : body.fields()) {
    if (field.record != Record::result) continue;
    const bool of_i = field.shape.find("[]") != std::string::npos && !fresh(field.shape);
    for (const std::string& text : field.texts) changed.push_back({field.shape, text, of_i, fresh(field.shape)});
  }
  // Elements of one i may be written and read: what stands in other indices does not matter.
  const std::string counter = around_.i->getNameAsString();
  const auto of_one_i = [&](const std::string& text) {
    std::string kept;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t close = text[at] == '[' ? text.find(']', at) : std::string::npos;
      if (close != std::string::npos && !names(text.substr(at, close - at), counter))
        at = close;
      else
        kept += text[at];
    }
    return kept;
  };
  const auto check = [&](const std::string& shape, const std::string& text, clang::SourceLocation where, bool of_i) {
    for (const Changed& one : changed) {
      if (!overlaps(one.shape, shape) || one.fresh) continue;
      if (one.of_i && of_i && one.shape == shape && of_one_i(one.text) == of_one_i(text)) continue;
      return no(where, quoted(text) + " is read here, and the loops write " + quoted(one.text) +
                           ": what is read would depend on the order of i; write to another array");
    }
  };
  for (const BodyField& field : body.fields()) {
    if (field.record == Record::result || field.counter) continue;
    for (const std::string& text : field.texts) check(field.shape, text, field.where, field.record == Record::i);
  }
  for (const Read& read : reads_) {
    if (!read.of_i) continue;  // a variable in order, on the host
    check(read.shape, read.text, read.where, true);
  }
}

}  // namespace gdr::compiler
