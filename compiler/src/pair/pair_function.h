// A pair function in the form that the importer produces: records, and one sequence of operations on their fields
// without branches. Nothing here refers to LLVM, so that the compiler builds without it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace gdr::compiler {

/// A position in the user's files; line 0: no position.
struct Place {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string function{};               // that holds it; empty: not known
  std::shared_ptr<const Place> call{};  // where that function is called; none: it is the user's function itself
};

/// Type of a value: a floating-point number in a short or long word, an integer in a short or long word, or a truth
/// value.
enum class Type : std::uint8_t { float_short, float_long, int_short, int_long, truth };

[[nodiscard]] constexpr bool is_float(Type type) { return type == Type::float_short || type == Type::float_long; }
[[nodiscard]] constexpr bool is_long(Type type) { return type == Type::float_long || type == Type::int_long; }

/// The records of a pair function, in the order of its arguments; and those of experiments, of which `i` is the start,
/// there is no `j`, and `state` is what steps change.
enum class Record : std::uint8_t { i, j, result, parameter, state };
inline constexpr std::size_t kRecords = 5;

/// Which numbers the host may give for a member of j, if results keep it beside a key (see nearest.h).
enum class Kept : std::uint8_t {
  no,       // it is not kept: all of its type
  fitting,  // those that fit beside a key
  tested,   // and those below 0: conditions of the function compare it with constants, and may leave them out
};

/// A member of a record: one word, or an array of them.
struct Field {
  std::string name;
  Type type = Type::float_long;
  unsigned offset = 0;  // bytes in the C++ structure
  unsigned count = 1;   // words
  bool array = false;
  bool numbered = false;  // a result: a number that belongs to a key (see nearest.h)
  Kept kept = Kept::no;
  unsigned bytes = 0;     // of one word in the C++ structure
  bool is_signed = true;  // an integer
  bool is_truth = false;  // bool
  unsigned bit = 0;       // a bit-field: its first bit, counted from `offset`
  unsigned bits = 0;      // a bit-field: how many; otherwise 0
  Place place = {};       // of its declaration
};

/// The operations of C++ that a pair function may use: the rows of acts.inc.
enum class Act : std::uint8_t {
#define GDR_ACT(name, family, sign, bit, changes) name,
#include "acts.inc"
#undef GDR_ACT
};

/// Bounds of a number in a word, both included.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// A local variable of the source that has a value from there on.
struct Holder {
  std::string name;
  bool certain = true;    // false: the variable has it on one of several ways that control takes
  std::uint8_t bits = 0;  // of an integer in the source; 0: not known
  bool is_unsigned = false;
};

/// One operation; its operands are indices of earlier nodes.
struct Node {
  Act act = Act::constant;
  Type type = Type::float_long;
  std::vector<int> operands;
  double number = 0;         // value of a floating-point constant
  std::int64_t integer = 0;  // value of an integer or truth constant; a number of bits
  Bounds bounds;             // of the value, as far as the way it is computed tells; of integers, of the whole word
  bool saturates = false;    // a short to_integer: 2^23 - 1 for every greater number, and the opposite
  Record record = Record::i;
  unsigned field = 0;    // for an input: index into the record's fields
  unsigned element = 0;  // of the field
  std::string name;      // the variable that holds it in the source; may be empty
  std::vector<Holder> holders;
  Place place;
  std::vector<Place> arms;  // of a select, if known: where its second and third operand are assigned; line 0: not known
};

/// Value that a word of the record that the function changes has afterwards.
struct Store {
  unsigned field = 0;
  unsigned element = 0;
  int value = 0;
  Place place;
  Record record = Record::result;
};

/// A function from records to changes of one record: the results, or the state of an experiment.
struct PairFunction {
  std::string name;
  std::vector<std::string> wordless;  // local variables that are constants, members or flags wherever they are known
  std::array<std::vector<Field>, kRecords> records;
  std::vector<Node> nodes;
  std::vector<Store> stores;
  Place place;
  int done = -1;  // of an experiment's step: whether the experiment is done after it, a truth value; -1: never
};

/// A message about a position in the user's file.
struct Message {
  Place place;
  std::string text;  // lower case, no full stop
};

/// Result of the importer: the function for the loop and, if there is one, NAME_finish for its end. Of experiments: one
/// step, and how it ends and begins.
struct Imported {
  PairFunction body;
  PairFunction finish;  // takes the result record and the parameters; without stores if there is none
  PairFunction begin;   // of experiments
  bool experiment = false;
  std::vector<Message> errors;
};

}  // namespace gdr::compiler
