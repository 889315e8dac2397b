// Intermediate form of a pair function: operations of the machine whose results have no place yet, and variables with
// names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gdr/isa/effects.h"
#include "gdr/isa/isa.h"
#include "pair/pair_function.h"

namespace gdr::compiler {

/// A variable of the kernel, or an entry of one: a word for each element, or one for all of them.
struct Variable {
  enum class Home : std::uint8_t { broadcast, local };
  std::string name;  // with its subscript, as written in lines
  std::string view;  // for a j-word: the vector that begins there; empty if a fourth word cannot be read
  Home home = Home::local;
  isa::Width width = isa::Width::long_word;
  bool scalar = false;
  Record record = Record::i;
  unsigned field = 0;    // index of the field in the record
  unsigned element = 0;  // index in the field
  bool own = false;      // made by the compiler: a value of the loop initialization, or a parameter's copy
};

/// A number in lines: its text as a long or short immediate, such as fs"1.5".
struct Literal {
  std::string text;
  isa::Width width = isa::Width::short_word;
};

struct Operand {
  enum class Kind : std::uint8_t { value, variable, literal };
  Kind kind = Kind::value;
  int index = -1;      // index of an operation, a variable or a literal
  int component = -1;  // component of a vector value that all elements read
  bool negated = false;

  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Operation {
  isa::Op op = isa::Op::NOP;
  std::vector<Operand> operands;
  isa::Width width = isa::Width::short_word;
  int into = -1;                            // an operation whose result this one overwrites where its predicate holds
  int predicate = -1;                       // index of the operation that sets the flag under which this one writes
  bool inverted = false;                    // it writes where the flag is clear
  std::optional<isa::Condition> condition;  // condition on its result to which it sets a flag
  int flag_into = -1;                       // it sets the flag of that operation again instead of a flag of its own
  int variable = -1;                        // index of the variable that it writes
  int after = -1;                           // an operation on the same variable whose write must be done before
  bool vector = false;                      // its elements are x, y, z, not four i-particles
  bool only_flag = false;                   // nothing reads its result
  bool goes_on = false;                     // its flag says that the experiment goes on; it is the section's last one
  std::string name;                         // of the variable for which it computes
  std::vector<Holder> holders;              // variables whose value its result is, of this type
  Type type = Type::float_long;
  Place place;
};

/// One section of a kernel.
using Operations = std::vector<Operation>;

struct Reduction {
  isa::Op op = isa::Op::FADD;
  bool used = false;
};

/// How conditions are kept: in a flag for all that read it; in a flag of its own for each of them; or in a word, from
/// which a flag is set where one is needed. The last takes the fewest flags.
enum class ConditionStyle : std::uint8_t { shared, fresh, words };

struct Microcode {
  std::vector<Variable> variables;
  std::vector<Literal> literals;
  Operations initialization;  // values that are the same in every iteration
  Operations body;
  Operations termination;
  std::vector<Reduction> reductions;  // for each word of the result record, in order
  bool fast = false;                  // functions without care for 0 and infinity
  ConditionStyle style = ConditionStyle::shared;
  bool experiment = false;  // the sections are `begin`, `step` and `end` of experiments
};

/// Chooses widths, and expands functions, conditional values and sums. Errors are appended to `errors`. Conditions are
/// words, whatever the style, if they would need too many flags otherwise: Microcode::style says it.
/// `fast`: as CompileOptions::fast.
[[nodiscard]] Microcode lower(const PairFunction& body, const PairFunction& finish, ConditionStyle style, bool fast,
                              std::vector<Message>& errors);

/// The same for experiments. `in_place`: values that are read further are written to the state themselves, not by
/// copies.
[[nodiscard]] Microcode lower_experiment(const Imported& experiment, ConditionStyle style, bool in_place, bool fast,
                                         std::vector<Message>& errors);

/// Short words of local memory that the form of experiments takes itself (kernels/macros/experiment.vsm).
inline constexpr unsigned kFormShortWords = 5 * isa::kVectorElements * isa::short_words(isa::Width::long_word);

/// Local memory, in short words, that variables leave.
[[nodiscard]] unsigned local_words_left(const Microcode& code);

/// Refuses records that do not fit into local or broadcast memory, at the member that is the first outside.
void check_room(const Microcode& code, const PairFunction& function, std::vector<Message>& errors);

/// Copies words that are read after they were overwritten, and puts operations into an order in which they can be done
/// and few values are needed at once. Only the state of experiments has such words.
void copy_old_words(Microcode& code);

/// Copies words that wait in local memory to their readers where two of them meet; after copy_old_words(). It takes
/// more operations, but then few values need registers.
void reload_words(Microcode& code);

/// Removes operations that nothing needs, and flags that nothing reads.
void drop_needless(Operations& section);

/// Joins values that depend on j alone and differ only in the component: they become one operation whose elements are
/// the components.
void join_components(Microcode& code);

/// Moves operations that depend only on i-data and parameters to the loop initialization.
void hoist(Microcode& code);

/// Copies words to registers first, so that no operation reads two words of local memory or two of broadcast memory.
void separate_ports(Microcode& code);

/// Moves copies that separate_ports() made to their first readers, so that the order of operations is one in which few
/// flags are in use at once.
void copies_to_readers(Operations& section);

/// Index of a word in the result record.
[[nodiscard]] std::size_t result_index(const PairFunction& function, unsigned field, unsigned element);

/// The reduction of a result, an array's too: that of the first word that the function changes.
[[nodiscard]] isa::Op reduction_of(const PairFunction& function, std::span<const Reduction> reductions, unsigned field);

/// Refuses arrays of results whose elements are reduced in different ways: one variable of the program has one
/// reduction.
void check_arrays(const PairFunction& function, std::span<const Reduction> reductions, std::vector<Message>& errors);

}  // namespace gdr::compiler
