#include "survey.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <limits>

namespace gdr::compiler {
namespace {

class Surveyor : public clang::RecursiveASTVisitor<Surveyor> {
 public:
  Surveyor(const XaccPlaces& places, const std::vector<XaccDirective>& directives, XaccSurvey& found)
      : places_(places), directives_(directives), found_(found) {
    found_.next.resize(directives.size());
    found_.inside.resize(directives.size());
    nearest_.resize(directives.size(), std::numeric_limits<std::size_t>::max());
  }

  bool VisitStmt(clang::Stmt* statement) {
    const auto at = places_.begin(statement->getBeginLoc());
    if (!at) return true;
    for (std::size_t d = 0; d < directives_.size(); ++d) {
      if (*at < directives_[d].pragma->end || *at >= nearest_[d]) continue;
      nearest_[d] = *at;
      found_.next[d] = statement;
    }
    return true;
  }

  bool TraverseFunctionDecl(clang::FunctionDecl* function) {
    if (function->doesThisDeclarationHaveABody() && function->isMain() && places_.begin(function->getBeginLoc()))
      found_.main = function;
    return in_scope(function->getSourceRange(),
                    [&] { return clang::RecursiveASTVisitor<Surveyor>::TraverseFunctionDecl(function); });
  }

  bool TraverseCompoundStmt(clang::CompoundStmt* braces) {
    const auto begin = places_.begin(braces->getBeginLoc());
    const auto end = places_.begin(braces->getEndLoc());
    if (begin && end) {
      for (std::size_t d = 0; d < directives_.size(); ++d) {
        if (*begin < directives_[d].pragma->begin && directives_[d].pragma->begin < *end) found_.inside[d] = braces;
      }
    }
    return in_scope(braces->getSourceRange(),
                    [&] { return clang::RecursiveASTVisitor<Surveyor>::TraverseCompoundStmt(braces); });
  }

  bool TraverseForStmt(clang::ForStmt* loop) {
    return in_scope(loop->getSourceRange(),
                    [&] { return clang::RecursiveASTVisitor<Surveyor>::TraverseForStmt(loop); });
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    const std::size_t all = std::numeric_limits<std::size_t>::max();
    const auto at = places_.begin(variable->getLocation());
    found_.variables.push_back({variable, at.value_or(0), scopes_.empty() ? all : scopes_.back()});
    return true;
  }

 private:
  template <class Traverse>
  bool in_scope(clang::SourceRange range, Traverse traverse) {
    const auto end = places_.begin(range.getEnd());
    scopes_.push_back(end.value_or(0));
    const bool go_on = traverse();
    scopes_.pop_back();
    return go_on;
  }

  const XaccPlaces& places_;
  const std::vector<XaccDirective>& directives_;
  XaccSurvey& found_;
  std::vector<std::size_t> nearest_;
  std::vector<std::size_t> scopes_;  // ends, the innermost last
};

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> XaccPlaces::range(clang::SourceRange of) const {
  const clang::CharSourceRange file =
      clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(of), sources_, context_.getLangOpts());
  if (file.isInvalid() || !sources_.isInMainFile(file.getBegin())) return std::nullopt;
  return std::pair<std::size_t, std::size_t>(sources_.getFileOffset(file.getBegin()),
                                             sources_.getFileOffset(file.getEnd()));
}

std::optional<std::size_t> XaccPlaces::begin(clang::SourceLocation at) const {
  const clang::SourceLocation expansion = sources_.getExpansionLoc(at);
  if (!expansion.isValid() || !sources_.isInMainFile(expansion)) return std::nullopt;
  return sources_.getFileOffset(expansion);
}

Place XaccPlaces::place(clang::SourceLocation at) const {
  const clang::PresumedLoc found = sources_.getPresumedLoc(sources_.getExpansionLoc(at));
  return found.isValid() ? Place{found.getFilename(), found.getLine(), found.getColumn()} : Place{};
}

std::optional<std::size_t> XaccPlaces::end_of_statement(const clang::Stmt* statement) const {
  const auto of = range(statement->getSourceRange());
  if (!of) return std::nullopt;
  const std::size_t next = next_token(of->second);
  const clang::StringRef text = sources_.getBufferData(sources_.getMainFileID());
  // The last token of for (...) x = 1; is the 1, that of for (...) { } the brace.
  const bool semicolon =
      next < text.size() && text[next] == ';' && text[of->second - 1] != '}' && text[of->second - 1] != ';';
  return semicolon ? next + 1 : of->second;
}

std::size_t XaccPlaces::next_token(std::size_t offset) const {
  const clang::FileID file = sources_.getMainFileID();
  const clang::StringRef text = sources_.getBufferData(file);
  clang::Lexer lexer(sources_.getLocForStartOfFile(file), context_.getLangOpts(), text.begin(), text.begin() + offset,
                     text.end());
  clang::Token token;
  for (;;) {
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof)) return text.size();
    if (token.isNot(clang::tok::hash) || !token.isAtStartOfLine()) return sources_.getFileOffset(token.getLocation());
    // A line of the preprocessor: on to its end.
    std::size_t at = sources_.getFileOffset(token.getLocation());
    while (at < text.size() && (text[at] != '\n' || text[at - 1] == '\\')) ++at;
    return next_token(at);
  }
}

const clang::VarDecl* XaccSurvey::variable(const std::string& name, std::size_t at) const {
  const clang::VarDecl* found = nullptr;
  std::size_t from = 0;
  for (const XaccVariable& one : variables) {
    if (one.declared->getName() != name || at < one.from || at > one.to) continue;
    if (found == nullptr || one.from >= from) {
      found = one.declared;
      from = one.from;
    }
  }
  return found;
}

XaccSurvey survey(const XaccPlaces& places, const std::vector<XaccDirective>& directives) {
  XaccSurvey found;
  Surveyor(places, directives, found).TraverseDecl(places.context().getTranslationUnitDecl());
  return found;
}

std::optional<XaccScope> scope_of(const clang::FunctionDecl* function, const XaccPlaces& places) {
  if (!function->doesThisDeclarationHaveABody()) return std::nullopt;
  const auto from = places.begin(function->getBeginLoc());
  const auto to = places.begin(function->getEndLoc());
  return from && to ? std::optional(XaccScope{*from, *to}) : std::nullopt;
}

std::vector<XaccKnown> known_arrays(const XaccPlaces& places) {
  std::vector<XaccKnown> found;
  clang::ASTContext& context = places.context();
  const auto add = [&](const clang::VarDecl* variable, clang::QualType type, const XaccScope& scope, bool parameter) {
    std::vector<long> extents;
    while (const clang::ConstantArrayType* array = context.getAsConstantArrayType(type)) {
      extents.push_back(static_cast<long>(array->getSize().getZExtValue()));
      type = array->getElementType();
    }
    if (!extents.empty() && !type->isArrayType() && type->isConstantSizeType())
      found.push_back({variable->getName().str(), scope, extents, parameter});
  };
  for (const clang::Decl* declared : context.getTranslationUnitDecl()->decls()) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared)) {
      if (variable->hasInit() || !places.begin(variable->getLocation())) continue;
      add(variable, variable->getType(), {}, false);
    }
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declared);
    const auto scope = function == nullptr ? std::nullopt : scope_of(function, places);
    if (!scope) continue;
    for (const clang::ParmVarDecl* one : function->parameters()) add(one, one->getOriginalType(), *scope, true);
  }
  return found;
}

bool stands_for_loop(const clang::Stmt* statement) {
  if (llvm::isa<clang::ForStmt>(statement)) return true;
  const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement);
  if (block == nullptr || block->body_empty()) return false;
  const auto* declared = llvm::dyn_cast<clang::DeclStmt>(block->body_front());
  const auto* of_board = declared == nullptr || !declared->isSingleDecl()
                             ? nullptr
                             : llvm::dyn_cast<clang::VarDecl>(declared->getSingleDecl());
  return of_board != nullptr && of_board->getName() == "gdr_goose_loop";
}

std::optional<XaccFor> read_for(const clang::ForStmt* loop, clang::ASTContext& context) {
  XaccFor found;
  found.loop = loop;
  const auto counter_of = [](const clang::Expr* expression) -> const clang::VarDecl* {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
    return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  };
  if (loop->getInit() == nullptr || loop->getCond() == nullptr || loop->getInc() == nullptr) return std::nullopt;
  if (const auto* set = llvm::dyn_cast<clang::BinaryOperator>(loop->getInit())) {
    if (set->getOpcode() != clang::BO_Assign) return std::nullopt;
    found.counter = counter_of(set->getLHS());
    found.first = set->getRHS();
  } else if (const auto* declared = llvm::dyn_cast<clang::DeclStmt>(loop->getInit())) {
    if (!declared->isSingleDecl()) return std::nullopt;
    found.counter = llvm::dyn_cast<clang::VarDecl>(declared->getSingleDecl());
    if (found.counter != nullptr) found.first = found.counter->getInit();
  }
  if (found.counter == nullptr || found.first == nullptr || !found.counter->getType()->isIntegerType())
    return std::nullopt;
  const auto* condition = llvm::dyn_cast<clang::BinaryOperator>(loop->getCond()->IgnoreParenImpCasts());
  if (condition == nullptr || counter_of(condition->getLHS()) != found.counter) return std::nullopt;
  if (condition->getOpcode() != clang::BO_LT && condition->getOpcode() != clang::BO_LE) return std::nullopt;
  found.inclusive = condition->getOpcode() == clang::BO_LE;
  found.condition_left = condition->getLHS();
  found.bound = condition->getRHS();
  if (const auto* increment = llvm::dyn_cast<clang::UnaryOperator>(loop->getInc())) {
    if (!increment->isIncrementOp() || counter_of(increment->getSubExpr()) != found.counter) return std::nullopt;
    return found;
  }
  const auto* add = llvm::dyn_cast<clang::CompoundAssignOperator>(loop->getInc());
  if (add == nullptr || add->getOpcode() != clang::BO_AddAssign || counter_of(add->getLHS()) != found.counter)
    return std::nullopt;
  clang::Expr::EvalResult step;
  if (!add->getRHS()->EvaluateAsInt(step, context)) return std::nullopt;
  found.step = step.Val.getInt().getExtValue();
  if (found.step < 1) return std::nullopt;
  return found;
}

}  // namespace gdr::compiler
