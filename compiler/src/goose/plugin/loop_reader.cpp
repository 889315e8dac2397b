#include "loop_reader.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <set>

#include "outer_statements.h"
#include "pair_printer.h"

namespace gdr::compiler {
namespace {

class LoopReader {
 public:
  LoopReader(const MarkedLoop& marked, const clang::ASTContext& context, const GooseRequest& request,
             const Refuse& refuse, const Refuse& warn)
      : directive_(*marked.directive),
        outer_(*marked.loop),
        function_(*marked.function),
        context_(context),
        sources_(context.getSourceManager()),
        request_(request),
        refuse_(refuse),
        warn_(warn) {}

  std::optional<GooseLoop> read() {
    if (function_.isDependentContext()) {
      no(outer_.getBeginLoc(), "the loop stands in a template: move it into a function of known types");
    }
    if (!refused_) headers();
    if (refused_) return std::nullopt;
    PairBody body(context_, around_, refuse_);
    if (!body.read()) return std::nullopt;
    const OuterStatements outside(context_, body, statements_before_, statements_after_, refuse_);
    if (!outside.allowed() || !bounds_stay(body, outside) || !scratch_ends(body) || !results_named(body, outside))
      return std::nullopt;
    GooseLoop loop;
    slices(loop);
    words(body, outside, loop);
    source(body, loop);
    return refused_ ? std::nullopt : std::optional(std::move(loop));
  }

 private:
  void no(clang::SourceLocation where, std::string text) {
    refused_ = true;
    refuse_(where, std::move(text));
  }

  // ---- form ----

  void headers() {
    around_.outer = &outer_;
    around_.i = header(outer_, directive_.i, "i");
    if (refused_) return;
    const clang::Stmt* body = outer_.getBody();
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(body);
    const std::vector<const clang::Stmt*> all =
        block == nullptr ? std::vector<const clang::Stmt*>{body}
                         : std::vector<const clang::Stmt*>(block->body_begin(), block->body_end());
    for (const clang::Stmt* next : all) {
      const auto* loop = llvm::dyn_cast<clang::ForStmt>(next);
      const clang::VarDecl* counter = loop == nullptr ? nullptr : counter_of(*loop);
      if (counter != nullptr && counter->getName() == directive_.j) {
        if (around_.inner != nullptr)
          return no(next->getBeginLoc(),
                    "a second loop over " + quoted(directive_.j) + ": give each its own pair of loops");
        around_.inner = loop;
      } else {
        (around_.inner == nullptr ? statements_before_ : statements_after_).push_back(next);
      }
    }
    if (around_.inner == nullptr) {
      return no(outer_.getBeginLoc(), "the loop over " + quoted(directive_.i) + " has no loop over " +
                                          quoted(directive_.j) + " directly in it, which loopcounter names");
    }
    around_.j = header(*around_.inner, directive_.j, "j");
    find_aliases();
    for (const clang::Stmt* next : statements_before_) add_before(next);
    if (!refused_) inner_bounds();
  }

  const clang::VarDecl* header(const clang::ForStmt& loop, const std::string& name, const char* which) {
    const clang::VarDecl* counter = counter_of(loop);
    if (counter == nullptr || loop.getCond() == nullptr || loop.getInc() == nullptr) {
      no(loop.getBeginLoc(), std::string("the loop over ") + which + " must be for (" + name + " = ...; " + name +
                                 " < ...; " + name + "++): lists and pointers are not followed");
      return nullptr;
    }
    if (counter->getName() != name) {
      no(loop.getBeginLoc(),
         "this loop counts " + quoted(counter->getName().str()) + ", loopcounter names " + quoted(name));
      return nullptr;
    }
    if (!counter->getType()->isIntegerType()) {
      no(loop.getBeginLoc(), "the counter " + quoted(name) + " is no integer");
      return nullptr;
    }
    bool reads = false;
    const clang::Expr* changed = assigned_by(loop.getInc()->IgnoreParenImpCasts(), reads);
    const std::optional<Access> target = changed == nullptr ? std::nullopt : access_of(changed, {});
    if (!target || target->root != counter || !harmless(loop.getCond())) {
      no(loop.getBeginLoc(), "the header of the loop must change the counter " + quoted(name) + " alone");
      return nullptr;
    }
    return counter;
  }

  /// Whether an expression changes nothing: HasSideEffects() suspects every call.
  static bool harmless(const clang::Expr* expression) {
    bool good = true;
    visit_all(expression, [&](const clang::Stmt* one) {
      bool reads = false;
      const auto* inner = llvm::dyn_cast<clang::Expr>(one);
      if (inner != nullptr && assigned_by(inner, reads) != nullptr) good = false;
      if (const auto* call = llvm::dyn_cast<clang::CallExpr>(one)) {
        const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
        const clang::FunctionDecl* callee = call->getDirectCallee();
        const bool pure = callee != nullptr && (callee->hasAttr<clang::ConstAttr>() ||
                                                callee->hasAttr<clang::PureAttr>() || callee->isConstexpr());
        if (!pure && (method == nullptr || !method->isConst())) good = false;
      }
      return true;
    });
    return good;
  }

  /// Pointers and references that are given a place where they are declared, and no other.
  void find_aliases() {
    Aliases found;
    for (const clang::Stmt* statement : statements_before_) {
      const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
      if (declaration == nullptr) continue;
      for (const clang::Decl* next : declaration->decls()) {
        const auto* declared = llvm::dyn_cast<clang::VarDecl>(next);
        if (declared == nullptr || !is_pointer_like(*declared) || declared->getInit() == nullptr) continue;
        if (is_address_of_place(declared->getInit(), found)) found[declared] = declared->getInit();
      }
    }
    visit_all(outer_.getBody(), [&](const clang::Stmt* one) {
      const auto* expression = llvm::dyn_cast<clang::Expr>(one);
      bool reads = false;
      const clang::Expr* target = expression == nullptr ? nullptr : assigned_by(expression, reads);
      const auto* name =
          target == nullptr ? nullptr : llvm::dyn_cast<clang::DeclRefExpr>(target->IgnoreParenImpCasts());
      const auto* pointer = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
      if (pointer != nullptr && pointer->getType()->isPointerType()) found.erase(pointer);
      return true;
    });
    around_.aliases = std::move(found);
  }

  void add_before(const clang::Stmt* statement) {
    visit_all(statement, [&](const clang::Stmt* one) {
      if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(one)) {
        for (const clang::Decl* next : declaration->decls()) {
          if (const auto* declared = llvm::dyn_cast<clang::VarDecl>(next)) around_.before.insert(declared);
        }
      }
      const auto* expression = llvm::dyn_cast<clang::Expr>(one);
      bool reads = false;
      const clang::Expr* target = expression == nullptr ? nullptr : assigned_by(expression, reads);
      const std::optional<Access> access = target == nullptr ? std::nullopt : access_of(target, around_.aliases);
      if (access && access->root != nullptr && !access->variables.contains(around_.i))
        around_.before.insert(access->root);
      return true;
    });
  }

  void inner_bounds() {
    const auto check = [&](const clang::Stmt* part) {
      visit_all(part, [&](const clang::Stmt* one) {
        const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(one);
        const auto* declared = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
        const bool depends = declared != nullptr && (declared == around_.i || around_.before.contains(declared)) &&
                             declared != around_.j;
        if (depends && !refused_) {
          no(name->getBeginLoc(), "the bounds of the loop over " + quoted(directive_.j) + " depend on " +
                                      quoted(declared->getNameAsString()) +
                                      ": every i meets every j; take all j, and "
                                      "leave pairs out by a condition in the loop");
        }
        return true;
      });
    };
    if (const auto* declared = llvm::dyn_cast<clang::DeclStmt>(around_.inner->getInit())) {
      check(llvm::cast<clang::VarDecl>(declared->getSingleDecl())->getInit());
    } else {
      check(llvm::cast<clang::BinaryOperator>(around_.inner->getInit())->getRHS());
    }
    check(around_.inner->getCond());
    check(around_.inner->getInc());
  }

  /// Headers are executed before the body, for all i and j.
  bool bounds_stay(const PairBody& body, const OuterStatements& outside) {
    for (const clang::ForStmt* loop : {&outer_, around_.inner}) {
      for (const clang::Stmt* part : {loop->getInit(), static_cast<const clang::Stmt*>(loop->getCond()),
                                      static_cast<const clang::Stmt*>(loop->getInc())}) {
        visit_all(part, [&](const clang::Stmt* one) {
          const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(one);
          const auto* declared = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
          if (declared == nullptr || declared == around_.i || declared == around_.j || refused_) return true;
          const bool written = body.scratch().contains(declared) || body.carried().contains(declared) ||
                               std::any_of(outside.written().begin(), outside.written().end(),
                                           [&](const auto& write) { return write.text == declared->getName(); });
          if (written) {
            no(name->getBeginLoc(),
               quoted(declared->getNameAsString()) +
                   " is changed in the loops whose bounds it is: the board takes all i and j at once");
          }
          return true;
        });
      }
    }
    return !refused_;
  }

  // ---- variables that keep no value ----

  [[nodiscard]] std::size_t offset(clang::SourceLocation where) const {
    return sources_.getFileOffset(sources_.getExpansionLoc(where));
  }

  /// Whether a name is only written where it stands, and in any case.
  bool writes_only(const clang::DeclRefExpr& name) const {
    const clang::Stmt* below = &name;
    clang::ParentMapContext& parents = const_cast<clang::ASTContext&>(context_).getParentMapContext();
    bool written = false;
    for (auto up = parents.getParents(*below); up.size() == 1; up = parents.getParents(*below)) {
      const auto* parent = up[0].get<clang::Stmt>();
      if (parent == nullptr) break;
      if (const auto* assigned = llvm::dyn_cast<clang::BinaryOperator>(parent);
          assigned != nullptr && assigned->getOpcode() == clang::BO_Assign && assigned->getLHS() == below) {
        written = true;
      }
      const bool path =
          llvm::isa<clang::ArraySubscriptExpr, clang::MemberExpr, clang::ParenExpr, clang::ImplicitCastExpr>(parent);
      if (!written && !path) return false;
      const bool maybe =
          llvm::isa<clang::IfStmt, clang::WhileStmt, clang::SwitchStmt, clang::ConditionalOperator>(parent);
      if (maybe && !(offset(parent->getBeginLoc()) <= offset(outer_.getBeginLoc()) &&
                     offset(outer_.getEndLoc()) <= offset(parent->getEndLoc()))) {
        return false;
      }
      below = parent;
    }
    return written;
  }

  /// The first statement behind the j-loop that names a variable must give it a value.
  bool scratch_ends(const PairBody& body) {
    const std::size_t end = offset(around_.inner->getEndLoc());
    for (const clang::VarDecl* scratch : body.scratch()) {
      if (!scratch->isLocalVarDeclOrParm() || scratch->isStaticLocal()) {
        no(scratch->getLocation(), "variable " + quoted(scratch->getNameAsString()) +
                                       " is written for each pair and outlives the loop: declare it inside");
        return false;
      }
      const clang::DeclRefExpr* next = nullptr;
      visit_all(function_.getBody(), [&](const clang::Stmt* one) {
        const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(one);
        if (name == nullptr || name->getDecl() != scratch || offset(name->getBeginLoc()) <= end) return true;
        if (next == nullptr || offset(name->getBeginLoc()) < offset(next->getBeginLoc())) next = name;
        return true;
      });
      if (next == nullptr || writes_only(*next)) continue;
      no(next->getBeginLoc(), "variable " + quoted(scratch->getNameAsString()) +
                                  " would hold what the last pair left in it: pairs are computed in no order; compute "
                                  "it here, or declare it inside the loop");
      return false;
    }
    return true;
  }

  // ---- the clause result ----

  static bool fits(const NamedVariable& named, std::string element) {
    // (&p[i])->x is p[i].x.
    const std::size_t arrow = element.find(")->");
    if (element.starts_with("(&") && arrow != std::string::npos) {
      element = element.substr(2, arrow - 2) + "." + element.substr(arrow + 3);
    }
    // Word by word; what the clause leaves out is any index, 0..2 and names of counters are any number.
    std::size_t at = 0;
    for (std::size_t n = 0; n < named.words.size(); ++n) {
      std::string word = named.words[n];
      if (word == "->") word = ".";
      if (word == "[") {
        if (at >= element.size() || element[at] != '[') return false;
        const std::size_t close = element.find(']', at);
        std::string wanted;
        for (++n; n < named.words.size() && named.words[n] != "]"; ++n) wanted += named.words[n];
        const std::string there = element.substr(at + 1, close - at - 1);
        const auto number = [](const std::string& text) {
          return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        };
        if (number(wanted) && number(there) && wanted != there) return false;
        at = close + 1;
        continue;
      }
      if (element.compare(at, 2, "->") == 0 && word == ".")
        at += 1;
      else if (element.compare(at, word.size(), word) != 0)
        return false;
      at += word.size();
    }
    return at == element.size() || std::string("[.-").find(element[at]) != std::string::npos;
  }

  bool results_named(const PairBody& body, const OuterStatements& outside) {
    struct Written {
      clang::SourceLocation where;
      std::vector<std::string> texts;
    };
    std::vector<Written> must;  // what outlives an i
    std::vector<std::string> may;
    for (const BodyField* field : fields_of(body, Record::result)) {
      std::vector<std::string> texts = field->texts;
      may.insert(may.end(), texts.begin(), texts.end());
      const bool of_i = outside.fresh(field->shape);
      if (!of_i) must.push_back({field->where, std::move(texts)});
    }
    for (const OuterWrite& write : outside.written()) {
      may.push_back(write.text);
      if (!write.local) must.push_back({write.where, {write.text}});
    }
    const auto named_in = [](const std::vector<NamedVariable>& names, const std::string& text) {
      return std::any_of(names.begin(), names.end(), [&](const NamedVariable& one) { return fits(one, text); });
    };
    for (const Written& write : must) {
      for (const std::string& text : write.texts) {
        if (!named_in(directive_.privates, text)) continue;
        no(write.where, quoted(text) +
                            " is private, and what the loops write there would be lost: name it in the "
                            "clause result, or declare it inside the loops");
        return false;
      }
    }
    if (!directive_.names_results) return true;
    // The program keeps its meaning whatever the clause says, so a clause that is wrong is told, and no more.
    for (const NamedVariable& named : directive_.results) {
      const bool known = std::any_of(may.begin(), may.end(), [&](const auto& text) { return fits(named, text); });
      if (!known) warn_(named.where, "result " + quoted(named.text) + " is not written by the loops");
    }
    std::set<std::string> told;
    for (const Written& write : must) {
      const auto missing = std::find_if(write.texts.begin(), write.texts.end(),
                                        [&](const std::string& text) { return !named_in(directive_.results, text); });
      if (missing == write.texts.end() || !told.insert(*missing).second) continue;
      warn_(write.where,
            quoted(*missing) + " is written, so it is a result, although the clause result does not name it");
    }
    return true;
  }

  // ---- what the host says ----

  [[nodiscard]] std::size_t end_of(const clang::Stmt& statement) {
    const clang::SourceLocation last = sources_.getExpansionRange(statement.getEndLoc()).getEnd();
    const clang::SourceLocation behind = clang::Lexer::getLocForEndOfToken(last, 0, sources_, context_.getLangOpts());
    const clang::SourceLocation semicolon =
        clang::Lexer::findLocationAfterToken(last, clang::tok::semi, sources_, context_.getLangOpts(), false);
    const bool block = request_.text[offset(last)] == '}' || request_.text[offset(last)] == ';';
    return offset(block || semicolon.isInvalid() ? behind : semicolon);
  }

  void slices(GooseLoop& loop) {
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(outer_.getBody());
    loop.place = place_of(directive_.where);
    loop.region = {line_begin(offset(directive_.where)), end_of(outer_)};
    loop.i_header = {offset(outer_.getBeginLoc()), offset(outer_.getBody()->getBeginLoc())};
    loop.j_header = {offset(around_.inner->getBeginLoc()), offset(around_.inner->getBody()->getBeginLoc())};
    if (block != nullptr) {
      loop.before = {offset(block->getLBracLoc()) + 1, offset(around_.inner->getBeginLoc())};
      loop.after = {end_of(*around_.inner), offset(block->getRBracLoc())};
    }
    for (const Slice& slice : {loop.i_header, loop.j_header, loop.before, loop.after}) {
      if (slice.begin > slice.end) {
        return no(outer_.getBeginLoc(), "the loops are written by a macro: write them out");
      }
    }
    if (loop.i_header.begin == loop.i_header.end || loop.j_header.begin == loop.j_header.end) {
      no(outer_.getBeginLoc(), "the loops are written by a macro: write them out");
    }
  }

  [[nodiscard]] std::size_t line_begin(std::size_t at) const {
    const std::size_t before = request_.text.rfind('\n', at);
    return before == std::string::npos ? 0 : before + 1;
  }

  [[nodiscard]] Place place_of(clang::SourceLocation where) const {
    const clang::PresumedLoc at = sources_.getPresumedLoc(sources_.getExpansionLoc(where));
    return {request_.file, at.getLine(), at.getColumn()};
  }

  void words(const PairBody& body, const OuterStatements& outside, GooseLoop& loop) {
    for (const BodyField& field : body.fields()) {
      const bool integer = !field.type->isRealFloatingType();
      for (const std::string& text : field.texts) {
        const bool element = field.shape.find("[]") != std::string::npos;
        const bool in_memory = element && (field.record != Record::result || field.indexed_by_i);
        const HostWord word{text, integer, in_memory};
        switch (field.record) {
          case Record::i:
            loop.i.push_back(word);
            break;
          case Record::j:
            loop.j.push_back(word);
            break;
          case Record::parameter:
            loop.parameters.push_back(word);
            break;
          case Record::result:
            loop.results.push_back({word, field.type.getAsString(context_.getPrintingPolicy()), place_of(field.where)});
            break;
          case Record::state:  // of experiments
            break;
        }
      }
    }
    std::set<std::string> known;
    for (const HostResult& result : loop.results) known.insert(result.word.text);
    for (const OuterWrite& write : outside.written()) {
      if (write.of_i && write.always && known.insert(write.text).second)
        loop.written.push_back({write.text, false, true});
    }
  }

  // ---- the pair function ----

  void source(const PairBody& body, GooseLoop& loop) {
    const clang::Decl* outermost = &function_;
    for (;;) {
      const auto* context = llvm::dyn_cast<clang::Decl>(outermost->getLexicalDeclContext());
      if (context == nullptr || llvm::isa<clang::TranslationUnitDecl, clang::NamespaceDecl>(context)) break;
      const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(context);
      if (linkage != nullptr && linkage->hasBraces()) break;
      outermost = context;
    }
    const clang::SourceLocation last = sources_.getExpansionRange(outermost->getEndLoc()).getEnd();
    std::size_t end = offset(clang::Lexer::getLocForEndOfToken(last, 0, sources_, context_.getLangOpts()));
    const clang::SourceLocation semicolon =
        clang::Lexer::findLocationAfterToken(last, clang::tok::semi, sources_, context_.getLangOpts(), false);
    if (!llvm::isa<clang::FunctionDecl>(outermost) && semicolon.isValid()) end = offset(semicolon);
    loop.name = function_.getIdentifier() == nullptr ? "loop" : function_.getName().str();
    loop.name += "_" + std::to_string(loop.place.line);
    const std::string function =
        pair_function_text(body, context_, {loop.name, request_.file, directive_.precision, request_.cplusplus});
    const auto line = static_cast<std::size_t>(std::count(
                          request_.text.begin(), request_.text.begin() + static_cast<std::ptrdiff_t>(end), '\n')) +
                      1;
    loop.source = "#line 1 \"" + request_.file + "\"\n" + request_.text.substr(0, end) + function + "#line " +
                  std::to_string(line) + " \"" + request_.file + "\"\n" + request_.text.substr(end);
  }

  const Directive& directive_;
  const clang::ForStmt& outer_;
  const clang::FunctionDecl& function_;
  const clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const GooseRequest& request_;
  Refuse refuse_;
  Refuse warn_;
  bool refused_ = false;
  Surroundings around_;
  std::vector<const clang::Stmt*> statements_before_;
  std::vector<const clang::Stmt*> statements_after_;
};

}  // namespace

std::optional<GooseLoop> read_loop(const MarkedLoop& marked, const clang::ASTContext& context,
                                   const GooseRequest& request, const Refuse& refuse, const Refuse& warn) {
  return LoopReader(marked, context, request, refuse, warn).read();
}

}  // namespace gdr::compiler
