// What the i-loop does before and behind the j-loop. The host does it: before twice, once to find the data and once to
// go on from the results.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "pair_body.h"

namespace gdr::compiler {

/// An element or variable that these statements write.
struct OuterWrite {
  std::string text;
  std::string shape;
  clang::SourceLocation where;
  bool local = false;   // a variable of the i-loop
  bool of_i = false;    // an element that belongs to i
  bool always = false;  // not under a condition or in a loop
};

class OuterStatements {
 public:
  OuterStatements(const clang::ASTContext& context, const PairBody& body, const std::vector<const clang::Stmt*>& before,
                  const std::vector<const clang::Stmt*>& after, const Refuse& refuse);

  [[nodiscard]] bool allowed() const { return !refused_; }
  [[nodiscard]] const std::vector<OuterWrite>& written() const { return written_; }
  /// Whether a variable begins anew for each i.
  [[nodiscard]] bool fresh(const std::string& shape) const;

 private:
  struct Read {
    std::string text;
    std::string shape;
    clang::SourceLocation where;
    bool of_i = false;
  };

  void walk(const clang::Stmt* statement, bool before, bool always);
  void expression(const clang::Expr* expression, bool before, bool always);
  void assign(const clang::Expr& target, bool reads, bool before, bool always);
  void call(const clang::CallExpr& call, bool before);
  void conflicts(const PairBody& body);
  void no(clang::SourceLocation where, std::string text);

  const clang::ASTContext& context_;
  const Surroundings& around_;
  Refuse refuse_;
  Aliases aliases_;
  bool refused_ = false;
  Variables declared_;
  std::set<std::string> given_;   // shapes that get a value for each i before the loop over j
  std::vector<FixedLoop> loops_;  // around the statement at work
  std::vector<OuterWrite> written_;
  std::vector<Read> reads_;
};

}  // namespace gdr::compiler
