// The body of the j-loop: which of its variables and elements belong to i, to j, to all pairs, or are results.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "access.h"
#include "pair/pair_function.h"
#include "pragma.h"

namespace gdr::compiler {

/// A member of one of the records: as many words as the fixed loops around it have turns.
struct BodyField {
  Record record = Record::i;
  std::string name;
  clang::QualType type;
  clang::SourceLocation where;
  std::string shape;
  bool only_factor = true;  // of products and quotients, or argument of a function
  bool only_sums = true;    // results: += and -= alone
  bool counter = false;     // i or j itself
  bool indexed_by_i = false;
  std::vector<FixedLoop> loops;           // shape of the member
  std::vector<std::uint64_t> dimensions;  // of a parameter that is an array with an index of the pair
  std::vector<std::string> texts;
};

[[nodiscard]] bool is_pointer_like(const clang::VarDecl& declared);

/// Whether code outside of the function can name a variable's type.
[[nodiscard]] bool has_outside_type(const clang::VarDecl& declared);

/// What surrounds the body.
struct Surroundings {
  const clang::ForStmt* outer = nullptr;
  const clang::ForStmt* inner = nullptr;
  const clang::VarDecl* i = nullptr;
  const clang::VarDecl* j = nullptr;
  Variables before;  // declared or written by the i-loop before the j-loop
  Aliases aliases;   // pointers and references among them to places that stay
};

class PairBody {
 public:
  PairBody(const clang::ASTContext& context, Surroundings surroundings, const Refuse& refuse);

  /// False if something was refused.
  bool read();

  /// The member that an access is in the pair function, with the fixed loops around it; null for the body's own
  /// variables.
  [[nodiscard]] const BodyField* field_of(const Access& access, const std::vector<FixedLoop>& around) const;

  /// Whether an access is to a constant of the file, which the pair function reads as the program does.
  [[nodiscard]] bool is_constant_table(const Access& access, const std::vector<FixedLoop>& around) const;

  [[nodiscard]] const std::vector<BodyField>& fields() const { return fields_; }
  [[nodiscard]] const Aliases& aliases() const { return aliases_; }
  [[nodiscard]] const Variables& scratch() const { return scratch_; }
  [[nodiscard]] const Variables& carried() const { return carried_; }
  [[nodiscard]] const Surroundings& surroundings() const { return around_; }
  [[nodiscard]] bool is_alias(const clang::VarDecl* declared) const { return aliases_.contains(declared); }

 private:
  /// Elements that hold a value of this pair; not reached: control is elsewhere.
  struct State {
    std::set<std::string> assigned;
    bool reached = true;
  };
  /// A loop or a switch around the statement at work, and what control brings to where it goes on.
  struct Breakable {
    bool is_switch = false;
    std::vector<State> left;    // by `break`
    std::vector<State> passed;  // by `continue`
  };

  void find_written();
  void walk(const clang::Stmt* statement, State& state);
  void walk_for(const clang::ForStmt& loop, State& state);
  bool leave(const clang::Stmt* statement, State& state);
  static void join(State& state, const std::vector<State>& others);
  void walk_if(const clang::IfStmt& branch, State& state);
  void declare(const clang::VarDecl& declared, State& state);
  void expression(const clang::Expr* expression, State& state, bool factor);
  void assign(const clang::Expr* target, bool reads, const clang::Expr* value, State& state);
  void input(const Access& access, bool factor, State& state);
  void indices(const clang::Expr* place, State& state);
  void result(const Access& access, bool sums);
  void own_variable(const Access& access, bool reads, bool writes, State& state);
  BodyField& field(Record record, const Access& access);
  [[nodiscard]] std::vector<std::uint64_t> dimensions_of(const Access& access,
                                                         const std::vector<FixedLoop>& around) const;
  [[nodiscard]] std::vector<std::uint64_t> sizes_at(const Access& access) const;
  [[nodiscard]] bool is_of_pair(const Access& access, const std::vector<FixedLoop>& around) const;
  [[nodiscard]] std::string key_of(Record record, const Access& access, const std::vector<FixedLoop>& around) const;
  [[nodiscard]] std::vector<std::string> elements(const Access& access) const;
  [[nodiscard]] std::optional<Record> record_of(const Access& access, const std::vector<FixedLoop>& around) const;
  [[nodiscard]] bool belongs_to_i(const Access& access, const std::vector<FixedLoop>& around) const;
  [[nodiscard]] bool is_counter(const clang::VarDecl* declared) const;
  [[nodiscard]] bool uses(const Access& access, const clang::VarDecl* declared) const;
  void no(const clang::Stmt* where, std::string text);

  const clang::ASTContext& context_;
  Surroundings around_;
  Refuse refuse_;
  Aliases aliases_;
  bool refused_ = false;
  Variables inside_;   // declared in the body
  Variables written_;  // plain variables from outside that the body writes
  std::set<std::string> result_shapes_;
  Variables scratch_;
  Variables carried_;
  std::vector<FixedLoop> loops_;  // around the statement at work
  std::vector<Breakable> breakables_;
  std::set<std::string> by_counters_;  // elements that are assigned to at an index with a counter
  unsigned conditions_ = 0;
  bool left_ = false;  // some pairs do not come to the statement at work
  std::vector<BodyField> fields_;
  std::map<std::string, std::size_t> by_key_;
  std::set<std::string> names_[kRecords];
};

}  // namespace gdr::compiler
