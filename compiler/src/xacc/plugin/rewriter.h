// A program with directives becomes one with calls of the runtime.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "survey.h"
#include "xacc/edits.h"
#include "xacc/layout.h"
#include "xacc/xacc_unit.h"

namespace gdr::compiler {

/// The nodes of a set that differ in some of its dimensions only, which reduce together: bit k for dimension k.
struct XaccGroup {
  int nodes = 0;
  unsigned long along = 0;
};

class XaccRewriter {
 public:
  /// `directives` keep their order; `errors` are appended to.
  XaccRewriter(clang::ASTContext& context, const std::vector<XaccDirective>& directives, const XaccRequest& request,
               std::vector<Message>& errors)
      : places_(context), directives_(directives), request_(request), errors_(errors) {}

  /// The program; empty if there are errors.
  std::string run();

  // What visitors of the syntax tree use.
  struct Split {
    int on = 0;  // template
    int dimension = 0;
    const clang::Stmt* at = nullptr;  // the statement behind the directive, which is this loop or around it
  };
  /// An element of a distributed array as the program names it.
  struct Element {
    std::size_t array = 0;
    std::size_t at = 0;  // offset
    std::string stream;  // the same for elements that are read as one stream of memory
    bool reads = false;
    bool writes = false;
  };
  [[nodiscard]] const std::map<const clang::ForStmt*, Split>& splits() const { return splits_; }
  [[nodiscard]] int array_of(const clang::Decl* declared) const;
  void element(const clang::ArraySubscriptExpr* top, const clang::DeclRefExpr* base, bool reads, bool writes,
               const std::vector<const clang::ForStmt*>& loops);
  /// A distributed array as an argument of a function for its parameter `to`.
  void pass(const clang::DeclRefExpr* array, const clang::ParmVarDecl* to);
  void refuse(clang::SourceLocation at, const std::string& text) { errors_.push_back({places_.place(at), text}); }
  [[nodiscard]] const XaccPlaces& places() const { return places_; }

 private:
  template <class Part>
  void each_directive(Part part);

  // rewriter.cpp
  void declare_arrays();
  void declare_parameters(const clang::FunctionDecl* function);
  void check_places();
  void declare(const clang::VarDecl* variable, std::size_t n);
  void single(std::size_t d);
  void task(std::size_t d);
  std::string place_test(const XaccReference& on);
  std::string reflect_call(const XaccDirective& directive);
  std::string move_call(const XaccDirective& directive);
  std::string side_of_move(int side, const XaccReference& reference, std::size_t at, clang::QualType& element,
                           std::size_t& sections);
  std::string merge_call(const XaccReduction& sum, std::size_t at);
  void start_in_main();

  // loops.cpp
  void split_loops(std::size_t d);
  void board_loop(std::size_t d);
  void clip(const XaccFor& loop, const Split& split);
  void finish_loops();
  void finish_loop(const clang::Stmt* loop, const std::vector<std::size_t>& of);
  [[nodiscard]] bool is_inside_of_split(const clang::Stmt* loop) const;
  void time_loop(const clang::ForStmt* loop, std::size_t begin, std::size_t end, std::string& behind);
  std::string points_of(const clang::ForStmt* loop);
  void sum_of_loop(const clang::Stmt* loop, const XaccReduction& sum, bool over_ranks, std::string& before,
                   std::string& behind);
  bool reduces(const clang::Stmt* loop, const clang::VarDecl* variable, bool over_ranks) const;
  bool is_reduced_around(const clang::Stmt* loop, const XaccReduction& sum, const clang::VarDecl* variable) const;
  bool is_reduced_inside(const clang::Stmt* loop, const clang::VarDecl* variable) const;
  [[nodiscard]] XaccGroup group_of(const Split& split) const;
  XaccGroup group_of_sum(const clang::Stmt* loop, const XaccReduction& sum, const clang::VarDecl* variable,
                         bool is_exact) const;
  bool rewrite_terms(const clang::Stmt* loop, const clang::VarDecl* variable, int id);
  [[nodiscard]] int type_of(const clang::VarDecl* variable, const XaccReduction& sum);
  int sum_id(const clang::VarDecl* variable);

  XaccPlaces places_;
  const std::vector<XaccDirective>& directives_;
  const XaccRequest& request_;
  std::vector<Message>& errors_;
  XaccLayout layout_;
  XaccSurvey survey_;
  XaccEdits edits_;
  std::map<const clang::Decl*, int> arrays_;  // canonical declarations
  std::map<const clang::ForStmt*, Split> splits_;
  std::map<const clang::Stmt*, std::vector<std::size_t>> marked_;  // loops behind directives
  std::set<const clang::ForStmt*> board_loops_;
  std::vector<Element> elements_;
  std::vector<std::pair<int, int>> passed_;  // arrays, and the parameters that they are passed to
  std::map<const clang::VarDecl*, int> sums_;
};

/// Edits every element of a distributed array, and refuses other uses of the arrays.
void rewrite_elements(XaccRewriter& rewriter, clang::ASTContext& context);

}  // namespace gdr::compiler
