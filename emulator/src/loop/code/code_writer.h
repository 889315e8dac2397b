// Writes the instructions of one function in the language of a target, for number_code and body_code. Most of these
// functions write an instruction and return the name of its result. Their operands are such names, or literals.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "body_function.h"
#include "loop/code_target.h"
#include "word/widths.h"

namespace gdr::emulator::jit {

inline constexpr std::uint64_t kSign = widths::bit(widths::kHigh - 1);
inline constexpr std::uint64_t kExponentMask = widths::kInfinite << widths::kFraction;
// Of a double's 53 bits, those below the 25 of a short word, and those below the multiplier's 50.
inline constexpr std::uint64_t kBelowShort = widths::ones(widths::kBelowShort);
inline constexpr std::uint64_t kBelowPort = widths::ones(widths::kDouble - widths::kPort);
inline constexpr std::int64_t kBias = widths::kBias;

/// Rounding direction of an instruction, on targets with directed rounding.
enum class Direction : std::uint8_t { nearest, down, up, toward_zero };

/// Type of a named value in every lane.
enum class CodeType : std::uint8_t { number, bits, flag };

/// The value of a node in code: one name, or two (head and rest of a number, high and low plane of a long word).
struct Value {
  std::string first;
  std::string second;
};

/// A value that is handed from iteration to iteration.
struct Phi {
  CodeType type = CodeType::bits;
  std::string name;
  std::string initial;
  std::string next;
};

/// Where a value that is handed from iteration to iteration is used: in the loop, after it, or in the function of the
/// last iterations.
enum class TurnPart : std::uint8_t { loop, behind, last };

/// Layout of the data of a function of iterations.
struct TurnsLayout {
  std::uint64_t planes = 0;         // of the results before the stored words
  std::uint64_t stored_planes = 0;  // of an iteration
  std::uint64_t shared_words = 0;   // of an iteration
  bool scatters = false;
};

/// Code between the loop and the call of the function of the last iterations.
struct Ending {
  std::string text;
  std::string right;  // lanes that are right so far, a flag
};

/// The function turns() in parts.
struct TurnsText {
  std::string before;  // the first iteration
  std::vector<Phi> phis;
  std::size_t checks = 0;        // how many of them, at the end of the list, hold results of checks
  std::vector<Phi> crossing;     // from the first part of an iteration, beside the iteration before, to its rest
  unsigned at_once = 1;          // iterations in the loop's text
  std::string turns;             // in the loop
  std::optional<Ending> ending;  // if the last iterations have a function of their own
  std::string behind;            // the last iteration
  std::string right;             // lanes that are right, a flag
  TurnsLayout layout;
};

/// The function last_turns() in parts.
struct LastTurnsText {
  std::string before;
  std::vector<Phi> phis;  // carried words, which have no initial value here, and the function's own checks
  std::size_t checks = 0;
  bool repeats = false;  // there may be several iterations
  std::string turn;
  std::string behind;
  std::string right;
  TurnsLayout layout;
};

/// A chain of steps of carried words (body_split.h) in parts. Chains whose steps have the same text are alike.
struct ChainText {
  std::string begin;                       // before the first iteration
  std::vector<Phi> words;                  // carried words
  std::string step;                        // of an iteration
  std::string leaving;                     // what only the last iteration leaves
  std::vector<CodeType> operand_types;     // of values of an iteration's own part
  std::vector<std::string> operand_names;  // in the step
  std::vector<std::string> operands;       // in the own part
  std::string give;                        // after the last iteration
};

/// The function turns() where work-items compute the own parts of several iterations at once.
struct SplitText {
  unsigned ways = 1;
  std::string before;       // all iterations
  std::vector<Phi> checks;  // results of checks, which have no next values: texts assign to them
  std::string own;          // part of an iteration
  std::string leaving;      // what only the last iteration leaves of its own part
  std::vector<ChainText> chains;
  std::string behind;
  std::string right;  // lanes that are right, a flag
};

/// Writes arithmetic.
class ArithmeticWriter {
 public:
  virtual ~ArithmeticWriter() = default;

  // ---- literals
  [[nodiscard]] virtual std::string literal(double value) const = 0;
  [[nodiscard]] virtual std::string literal(std::uint64_t bits) const = 0;
  [[nodiscard]] virtual std::string number_literal(std::uint64_t bits) const = 0;
  [[nodiscard]] virtual std::string all_set() const = 0;

  // ---- on bits
  virtual std::string bits(const std::string& number) = 0;
  virtual std::string numbers(const std::string& bits) = 0;
  /// `op` and `how` are spelled as in LLVM.
  virtual std::string integer(const char* op, const std::string& a, const std::string& b) = 0;
  virtual std::string compare(const char* how, const std::string& a, const std::string& b) = 0;
  virtual std::string extreme(const char* which, const std::string& a, const std::string& b) = 0;
  /// Minimum ("umin") or maximum ("umax") of the words' 32-bit halves, each taken by itself as an unsigned integer.
  virtual std::string extreme_halves(const char* which, const std::string& a, const std::string& b) = 0;
  std::string masked(const std::string& a, std::uint64_t mask) {
    const std::string bits_of = bits(a);
    const std::string kept = integer("and", bits_of, literal(mask));
    return numbers(kept);
  }

  // ---- flags
  virtual std::string compare_numbers(const char* how, const std::string& a, const std::string& b) = 0;
  virtual std::string both(const std::string& a, const std::string& b) = 0;
  virtual std::string either(const std::string& a, const std::string& b) = 0;
  virtual std::string select(const std::string& flag, CodeType type, const std::string& set,
                             const std::string& clear) = 0;
  /// All ones where the flag is set, else zero.
  virtual std::string spread_flag(const std::string& flag) = 0;

  // ---- on numbers, rounded as requested. A target without directed rounding rounds to nearest.
  virtual std::string add(const std::string& a, const std::string& b, Direction to = Direction::nearest) = 0;
  virtual std::string subtract(const std::string& a, const std::string& b, Direction to = Direction::nearest) = 0;
  virtual std::string multiply(const std::string& a, const std::string& b, Direction to = Direction::nearest) = 0;
  virtual std::string multiply_add(const std::string& a, const std::string& b, const std::string& c,
                                   Direction to = Direction::nearest) = 0;
  // Exact. If not, targets that can detect it report it.
  virtual std::string exact_add(const std::string& a, const std::string& b) = 0;
  virtual std::string exact_subtract(const std::string& a, const std::string& b) = 0;
  virtual std::string exact_multiply(const std::string& a, const std::string& b) = 0;
  virtual std::string exact_multiply_add(const std::string& a, const std::string& b, const std::string& c) = 0;
  virtual std::string negated(const std::string& a) = 0;
  /// The operand of larger magnitude. Only for targets with directed rounding.
  virtual std::string larger(const std::string& a, const std::string& b) = 0;
  /// Returns +0 for a zero of either sign, any other number unchanged.
  std::string canonical(const std::string& a) { return exact_add(a, literal(0.0)); }
};

/// Writes whole functions.
class Writer : public ArithmeticWriter {
 public:
  std::string text;
  std::string turn_at_hand;  // its number, if several iterations are written side by side; else empty

  /// What is written from here on belongs to this line of the body; if none, to no line.
  virtual void at_line(std::optional<std::uint32_t> line) = 0;
  /// Name of a value that this part of a function takes over from the iteration before; `name` is that of its Phi.
  [[nodiscard]] virtual std::string handed_on(const std::string& name, TurnPart part) const = 0;

  // ---- words; `place` is as in Node
  virtual Value row(std::uint32_t place, bool is_long) = 0;
  virtual Value kept(std::uint32_t place, bool is_long) = 0;
  virtual Value record(std::uint64_t plane, bool is_long) = 0;
  virtual Value parameter(std::uint32_t place, bool is_long) = 0;
  virtual std::string flag(std::uint32_t place) = 0;
  /// Hands bits or a number from uniform() to turns(); `word` counts from 0.
  virtual void share(CodeType type, const std::string& value, std::uint64_t word) = 0;
  virtual std::string shared(CodeType type, std::uint64_t word) = 0;
  virtual void give(const std::string& bits, std::uint64_t plane) = 0;
  virtual void give_flag(const std::string& flag, std::uint64_t plane) = 0;
  /// Read and write words of local memory, `further` rows after the row in each lane. In lanes whose row is all ones,
  /// gather() returns zero and scatter() writes nothing.
  virtual std::string gather(const std::string& row, std::uint32_t further) = 0;
  virtual void scatter(const std::string& bits, const std::string& row, std::uint32_t further) = 0;
  /// Writes a plane of the words that an iteration stores.
  virtual void store(const std::string& bits, std::uint64_t plane) = 0;

  // ---- iterations of several work-items; only for targets with CodeTarget::ways
  /// Reads a carried word as the iterations before have kept it, and keeps a plane of one.
  virtual Value carried(std::uint64_t plane, bool is_long) = 0;
  virtual void keep(const std::string& bits, std::uint64_t plane) = 0;
  virtual void assign(const std::string& name, const std::string& value) = 0;

  // ---- functions
  [[nodiscard]] virtual std::string declarations() const = 0;
  virtual std::string turns_function(TurnsText parts) = 0;
  /// Only for targets with a function for the last iterations.
  virtual std::string last_turns_function(LastTurnsText parts) = 0;
  /// Only for targets with CodeTarget::ways. Returns the function and the words of an iteration's operands.
  virtual std::string split_function(SplitText parts, unsigned& operand_words) = 0;
  /// Makes a function of all that has been written.
  virtual std::string uniform_function(const std::string& right) = 0;
};

/// Parts of the functions, each of which is written by a writer of its own.
enum class Part : std::uint8_t {
  declarations,
  // of turns()
  before,       // before the loop
  loop,         // an iteration in it
  ahead,        // the first part of the next iteration
  behind,       // after the last iteration
  ending,       // before the call of last_turns()
  before_last,  // of last_turns(): before the iterations
  last,         // one of them
  behind_last,  // after them
  uniform,      // the function of values that are equal in all PEs
  // of a chain
  begin,  // before the iterations
  step,   // its step in one
  give    // after them
};

/// The letter with which the names of a part begin, so that names of two parts differ.
[[nodiscard]] constexpr char letter_of(Part part) { return "dpbaefklmvgsh"[static_cast<std::size_t>(part)]; }

[[nodiscard]] constexpr BodyFunction function_of(Part part) {
  if (part == Part::uniform) return BodyFunction::uniform;
  const bool of_last = part == Part::before_last || part == Part::last || part == Part::behind_last;
  return of_last ? BodyFunction::last_turns : BodyFunction::turns;
}

[[nodiscard]] std::unique_ptr<Writer> make_writer(const CodeTarget& target, Part part);

}  // namespace gdr::emulator::jit
