// A C or C++ file with goose pragmas to the loops that they mark.
#include "goose.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "loop_reader.h"
#include "pragma.h"
#include "programs/text_of_file.h"

namespace gdr::compiler {
namespace {

/// The first `for` behind each directive, with the function around it.
class LoopFinder : public clang::RecursiveASTVisitor<LoopFinder> {
 public:
  LoopFinder(const clang::SourceManager& sources, std::vector<MarkedLoop>& marked)
      : sources_(sources), marked_(marked) {}

  bool TraverseStmt(clang::Stmt* statement) { return RecursiveASTVisitor::TraverseStmt(statement); }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->doesThisDeclarationHaveABody()) return true;
    function_ = function;
    return true;
  }

  bool VisitForStmt(clang::ForStmt* loop) {
    const clang::SourceLocation begin = sources_.getExpansionLoc(loop->getBeginLoc());
    if (!sources_.isInMainFile(begin)) return true;
    for (MarkedLoop& one : marked_) {
      const unsigned at = sources_.getFileOffset(begin);
      if (at < sources_.getFileOffset(one.directive->where)) continue;
      if (one.loop != nullptr && sources_.getFileOffset(sources_.getExpansionLoc(one.loop->getBeginLoc())) <= at)
        continue;
      one.loop = loop;
      one.function = function_;
    }
    return true;
  }

 private:
  const clang::SourceManager& sources_;
  std::vector<MarkedLoop>& marked_;
  const clang::FunctionDecl* function_ = nullptr;
};

class Reader : public clang::ASTConsumer {
 public:
  Reader(const GooseRequest& request, GooseUnit& unit, clang::CompilerInstance& compiler,
         std::vector<Directive>& directives, Refuse refuse, Refuse warn)
      : request_(request),
        unit_(unit),
        compiler_(compiler),
        directives_(directives),
        refuse_(std::move(refuse)),
        warn_(std::move(warn)) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;
    const clang::SourceManager& sources = context.getSourceManager();
    std::vector<MarkedLoop> marked;
    for (const Directive& directive : directives_) marked.push_back({&directive, nullptr, nullptr});
    LoopFinder(sources, marked).TraverseDecl(context.getTranslationUnitDecl());
    for (const MarkedLoop& one : marked) {
      if (one.directive->wrong) continue;
      if (!follows(one, sources)) {
        refuse_(one.directive->where, "the directive stands before no for loop");
        continue;
      }
      if (std::optional<GooseLoop> loop = read_loop(one, context, request_, refuse_, warn_)) {
        unit_.loops.push_back(*std::move(loop));
      }
    }
  }

 private:
  bool follows(const MarkedLoop& one, const clang::SourceManager& sources) const {
    if (one.loop == nullptr) return false;
    // Comments and blanks alone may stand between them.
    const std::optional<clang::Token> next =
        clang::Lexer::findNextToken(one.directive->end, sources, compiler_.getLangOpts());
    const clang::SourceLocation begin = sources.getExpansionLoc(one.loop->getBeginLoc());
    const unsigned at = sources.getFileOffset(begin);
    if (next && sources.getFileOffset(next->getLocation()) == at) return true;
    clang::Token token;
    const bool failed = clang::Lexer::getRawToken(one.directive->end, token, sources, compiler_.getLangOpts(), true);
    return !failed && sources.getFileOffset(token.getLocation()) == at;
  }

  const GooseRequest& request_;
  GooseUnit& unit_;
  clang::CompilerInstance& compiler_;
  std::vector<Directive>& directives_;
  Refuse refuse_;
  Refuse warn_;
};

class Action : public clang::ASTFrontendAction {
 public:
  Action(const GooseRequest& request, GooseUnit& unit) : request_(request), unit_(unit) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef /*file*/) override {
    const auto into = [this, &compiler](std::vector<Message>& messages) -> Refuse {
      return [this, &compiler, &messages](clang::SourceLocation where, std::string text) {
        const clang::SourceManager& sources = compiler.getSourceManager();
        const clang::PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(where));
        const bool known = at.isValid();
        messages.push_back(
            {{known ? at.getFilename() : request_.file, known ? at.getLine() : 0, known ? at.getColumn() : 0},
             std::move(text)});
      };
    };
    const Refuse refuse = into(unit_.errors);
    watch_directives(compiler.getPreprocessor(), directives_, refuse);
    return std::make_unique<Reader>(request_, unit_, compiler, directives_, refuse, into(unit_.warnings));
  }

 private:
  const GooseRequest& request_;
  GooseUnit& unit_;
  std::vector<Directive> directives_;
};

void read(const GooseRequest& request, GooseUnit& unit) {
  std::vector<std::string> command{"clang", "-fsyntax-only", "-resource-dir", GDR_CLANG_RESOURCES,
                                   "-fno-caret-diagnostics"};  // else clang counts its errors on standard error
  command.insert(command.end(), request.arguments.begin(), request.arguments.end());
  command.push_back(request.file);
  const llvm::IntrusiveRefCntPtr<clang::FileManager> files = files_with(request.file, request.text);
  clang::tooling::ToolInvocation invocation(command, std::make_unique<Action>(request, unit), files.get());
  llvm::raw_string_ostream out(unit.clang);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  clang::TextDiagnosticPrinter printer(out, options.get());
  invocation.setDiagnosticConsumer(&printer);
  unit.failed = !invocation.run();
}

}  // namespace

void GDR_GOOSE_FUNCTION(const GooseRequest& request, GooseUnit& unit) { read(request, unit); }

}  // namespace gdr::compiler
