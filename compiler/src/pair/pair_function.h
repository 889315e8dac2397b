// A pair function in the form that the importer produces: records, and one sequence of operations on their fields
// without branches. Nothing here refers to LLVM, so that the compiler builds without it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gdr::compiler {

/// A position in the user's file; line 0: no position.
struct Place {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
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

/// A member of a record: one word, or an array of them.
struct Field {
  std::string name;
  Type type = Type::float_long;
  unsigned offset = 0;  // bytes in the C++ structure
  unsigned count = 1;   // words
  bool array = false;
  bool numbered = false;  // a result: a number that belongs to a key (see nearest.h)
  unsigned bytes = 0;     // of one word in the C++ structure
  bool is_signed = true;  // an integer
  bool is_truth = false;  // bool
  unsigned bit = 0;       // a bit-field: its first bit, counted from `offset`
  unsigned bits = 0;      // a bit-field: how many; otherwise 0
  Place place = {};       // of its declaration
};

/// The operations of C++ that a pair function may use.
enum class Act : std::uint8_t {
  constant,  // number or integer
  input,     // field of a record
  // floating point
  add,
  sub,
  mul,
  div,
  negate,
  widen,   // float to double: the word stays as it is; int to long and back: makes all integers of the function long
  narrow,  // double to float, rounded
  absolute,
  copysign,
  minimum,
  maximum,
  sqrt,
  rsqrt,       // of gdr/kernel.h: 1 / sqrt(x), 0 for 0
  reciprocal,  // of gdr/kernel.h: 1 / x, 0 for 0
  exp2,
  exp,
  log2,
  log,
  sin,
  cos,
  power,  // first to the power of second
  cube_root,
  erf,
  erfc,
  tan,
  tanh,
  atan2,  // of y / x
  hypot,
  log10,
  expm1,
  log1p,
  floor,
  ceil,
  trunc,
  round,     // halves away from 0
  nearest,   // the nearest whole number, as a floating-point number
  fraction,  // of frexp: below 1, from 1/2 on, with the sign; of 0 and infinity they themselves
  exponent,  // an integer: of the greatest power of two that is not above the magnitude; -1023 for 0, 1024 for infinity
  to_integer,  // towards zero
  from_integer,
  // integers
  iadd,
  isub,
  iand,
  ior,
  ixor,
  shift_left,
  shift_right,           // arithmetic: copies of the sign come in
  shift_right_unsigned,  // logical: zeros come in
  imin,
  imax,
  imul,           // modulo the word
  idiv,           // towards zero
  iremainder,     // with the sign of the first
  sign_extend,    // the lower `integer` bits as a number with a sign
  zero_extend,    // the lower `integer` bits as a number without one
  leading_zeros,  // of the lower `integer` bits, above which there are none
  // truth values
  less,   // a < b, floating point
  equal,  // a == b, floating point
  int_less,
  int_less_unsigned,
  int_equal,
  both,
  either,
  opposite,
  // any type
  select  // first ? second : third
};

/// Bounds of a number in a word, both included.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
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
  Place place;
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
