// A C file with directives of XcalableMP and OpenACC to a program with calls. Loops for the board, if there are any,
// are checked here as they were written, and rewritten when calls of the board stand in their place. Two passes: the
// preprocessor alone reads the directives, because Clang's parser has a handler for acc of its own; then the parser
// finds what stands behind them.
#include "xacc.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <deque>

#include "programs/text_of_file.h"
#include "rewriter.h"

namespace gdr::compiler {
namespace {

class PragmaReader : public clang::PragmaHandler {
 public:
  PragmaReader(const char* space, std::deque<XaccPragma>& found, std::vector<Message>& errors)
      : clang::PragmaHandler(space), found_(found), errors_(errors) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token& first) override {
    const clang::SourceManager& sources = preprocessor.getSourceManager();
    const auto place = [&](clang::SourceLocation at) {
      const clang::PresumedLoc found = sources.getPresumedLoc(sources.getExpansionLoc(at));
      return found.isValid() ? Place{found.getFilename(), found.getLine(), found.getColumn()} : Place{};
    };
    XaccPragma pragma;
    pragma.space = getName().str();
    pragma.place = place(first.getLocation());
    const bool board = pragma.space == "goose";
    const auto lex = [&](clang::Token& token) {
      board ? preprocessor.LexUnexpandedToken(token) : preprocessor.Lex(token);
    };
    clang::Token token;
    for (lex(token); token.isNot(clang::tok::eod); lex(token))
      pragma.words.push_back({preprocessor.getSpelling(token), place(token.getLocation())});
    // The other directive of goose marks functions, of which the board takes all that are inlined.
    if (board && !pragma.words.empty() && pragma.words.front().text == "func") return;
    if (!sources.isInMainFile(first.getLocation()) || introducer.Kind != clang::PIK_HashPragma) {
      const bool goes_on = sources.isInSystemHeader(first.getLocation());
      if (!goes_on) errors_.push_back({pragma.place, "a directive in another file or in _Pragma is not taken"});
      return;
    }
    pragma.begin = sources.getFileOffset(introducer.Loc);
    pragma.end = sources.getFileOffset(token.getLocation());
    found_.push_back(std::move(pragma));
  }

 private:
  std::deque<XaccPragma>& found_;
  std::vector<Message>& errors_;
};

class ReadPragmas : public clang::PreprocessorFrontendAction {
 public:
  ReadPragmas(std::deque<XaccPragma>& found, std::vector<Message>& errors) : found_(found), errors_(errors) {}

 private:
  void ExecuteAction() override {
    clang::Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    for (const char* space : {"xmp", "acc", "goose"})
      preprocessor.AddPragmaHandler(new PragmaReader(space, found_, errors_));
    preprocessor.EnterMainSourceFile();
    clang::Token token;
    do preprocessor.Lex(token);
    while (token.isNot(clang::tok::eof));
  }

  std::deque<XaccPragma>& found_;
  std::vector<Message>& errors_;
};

class RewriteConsumer : public clang::ASTConsumer {
 public:
  RewriteConsumer(const std::vector<XaccDirective>& directives, const XaccRequest& request, XaccUnit& unit,
                  clang::CompilerInstance& compiler)
      : directives_(directives), request_(request), unit_(unit), compiler_(compiler) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;
    unit_.source = XaccRewriter(context, directives_, request_, unit_.errors).run();
  }

 private:
  const std::vector<XaccDirective>& directives_;
  const XaccRequest& request_;
  XaccUnit& unit_;
  clang::CompilerInstance& compiler_;
};

class RewriteProgram : public clang::ASTFrontendAction {
 public:
  RewriteProgram(const std::vector<XaccDirective>& directives, const XaccRequest& request, XaccUnit& unit)
      : directives_(directives), request_(request), unit_(unit) {}

 private:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef /*file*/) override {
    return std::make_unique<RewriteConsumer>(directives_, request_, unit_, compiler);
  }

  const std::vector<XaccDirective>& directives_;
  const XaccRequest& request_;
  XaccUnit& unit_;
};

void read_program(const XaccRequest& request, XaccUnit& unit) {
  std::vector<std::string> command{"clang", "-fsyntax-only", "-resource-dir", GDR_CLANG_RESOURCES,
                                   "-fno-caret-diagnostics"};
  command.insert(command.end(), request.arguments.begin(), request.arguments.end());
  command.push_back(request.file);
  // The text stands in place of the file of this name.
  const llvm::IntrusiveRefCntPtr<clang::FileManager> files = files_with(request.file, request.text);
  const auto run = [&](std::unique_ptr<clang::FrontendAction> action) {
    unit.clang.clear();
    llvm::raw_string_ostream out(unit.clang);
    llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
    clang::TextDiagnosticPrinter printer(out, options.get());
    clang::tooling::ToolInvocation invocation(command, std::move(action), files.get());
    invocation.setDiagnosticConsumer(&printer);
    return invocation.run();
  };
  std::deque<XaccPragma> pragmas;  // keep their addresses
  unit.failed = !run(std::make_unique<ReadPragmas>(pragmas, unit.errors));
  unit.found = std::ranges::any_of(pragmas, [](const XaccPragma& one) { return one.space != "goose"; });
  std::vector<XaccDirective> directives;
  for (const XaccPragma& one : pragmas) {
    try {
      directives.push_back(read_directive(one));
      unit.board = unit.board || directives.back().kind == XaccKind::board;
    } catch (const XaccRefusal& refusal) {
      unit.errors.push_back({refusal.place, refusal.text});
    }
  }
  if (!unit.failed && unit.errors.empty() && unit.found)
    unit.failed = !run(std::make_unique<RewriteProgram>(directives, request, unit));
  std::ranges::stable_sort(unit.errors, [](const Message& a, const Message& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
}

}  // namespace

void GDR_XACC_FUNCTION(const XaccRequest& request, XaccUnit& unit) { read_program(request, unit); }

}  // namespace gdr::compiler
