// What a pair function becomes: operations of the machine whose results have no place yet, on variables that have
// names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gdr/isa/effects.h"
#include "gdr/isa/isa.h"
#include "pair_function.h"

namespace gdr::compiler {

/// A variable of the kernel, or an entry of one: a word for each element, or one for all of them.
struct Variable {
  enum class Home : std::uint8_t { broadcast, local };
  std::string name;  // with its subscript, as lines spell it
  std::string view;  // of a j-word: the vector that begins there; empty if a fourth word cannot be read
  Home home = Home::local;
  isa::Width width = isa::Width::long_word;
  bool scalar = false;
  Record record = Record::i;
  unsigned field = 0;    // of the record
  unsigned element = 0;  // of the field
  bool own = false;      // of the compiler: a value of the loop initialization, or a parameter's copy
};

/// A number that lines hold: its text as a long or short immediate, such as fs"1.5".
struct Literal {
  std::string text;
  isa::Width width = isa::Width::short_word;
};

struct Operand {
  enum class Kind : std::uint8_t { value, variable, literal };
  Kind kind = Kind::value;
  int index = -1;      // of an operation, a variable or a literal
  int component = -1;  // of a vector value: the one that all elements read
  bool negated = false;

  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Operation {
  isa::Op op = isa::Op::NOP;
  std::vector<Operand> operands;
  isa::Width width = isa::Width::short_word;
  int into = -1;                            // an operation whose result this one overwrites where its predicate holds
  int predicate = -1;                       // the operation that sets the flag under which this one writes
  bool inverted = false;                    // it writes where the flag is clear
  std::optional<isa::Condition> condition;  // of its result that it sets a flag to
  int flag_into = -1;                       // it sets the flag of that operation anew instead of one of its own
  int variable = -1;                        // it writes this one
  int after = -1;                           // an operation of the same variable that must have landed
  bool vector = false;                      // its elements are x, y, z, not four i-particles
  bool only_flag = false;                   // nobody reads its result
  std::string name;
  Place place;
};

/// One section of a kernel.
using Operations = std::vector<Operation>;

struct Reduction {
  isa::Op op = isa::Op::FADD;
  bool used = false;
};

struct Microcode {
  std::vector<Variable> variables;
  std::vector<Literal> literals;
  Operations initialization;  // values that are the same in every turn
  Operations body;
  Operations termination;
  std::vector<Reduction> reductions;  // of the words of the result record, in order
};

/// Widths, expansion of functions, choices, sums. With `fresh_conditions` every choice compares anew, which takes more
/// operations and fewer flags at once. Errors are appended to `errors`.
[[nodiscard]] Microcode lower(const PairFunction& body, const PairFunction& finish, bool fresh_conditions,
                              std::vector<Message>& errors);

/// Values of j alone that differ in the component only become one operation whose elements are the components.
void join_components(Microcode& code);

/// What depends on i-data and parameters alone moves to the loop initialization.
void hoist(Microcode& code);

/// No operation reads two words of local memory, or two of broadcast memory: one of them is copied to a register
/// before.
void separate_ports(Microcode& code);

/// Words before this one in the record of results.
[[nodiscard]] std::size_t result_index(const PairFunction& function, unsigned field, unsigned element);

}  // namespace gdr::compiler
