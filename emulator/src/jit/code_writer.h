// Instructions of one function, in the language of a target: what number_code and body_code are written in. Each gives
// a name to its result; a name or a literal is what the others take.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "body_function.h"
#include "code_target.h"

namespace gdr::emulator::jit {

inline constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kExponentMask = std::uint64_t{2047} << 52;
inline constexpr std::uint64_t kBelowShort = (std::uint64_t{1} << 28) - 1;  // of a double's 53 bits those below 25
inline constexpr std::uint64_t kBelowPort = 7;                              // and those below the multiplier's 50
inline constexpr std::int64_t kBias = 1023;

/// How an instruction rounds, on targets that know.
enum class Direction : std::uint8_t { nearest, down, up, toward_zero };

/// What a name stands for, in every lane.
enum class CodeType : std::uint8_t { number, bits, flag };

/// What a node became: one value, or two (head and rest of a number, high and low plane of a long word).
struct Value {
  std::string first;
  std::string second;
};

/// A value that goes from turn to turn.
struct Phi {
  CodeType type = CodeType::bits;
  std::string name;
  std::string initial;
  std::string next;
};

/// Where something that goes from turn to turn is used: in the loop, behind it, in the function of the last turns.
enum class TurnPart : std::uint8_t { loop, behind, last };

/// Of a function of turns: where its words are.
struct TurnsLayout {
  std::uint64_t planes = 0;         // of results before those of the words stored
  std::uint64_t stored_planes = 0;  // of a turn
  std::uint64_t shared_words = 0;   // of a turn
  bool scatters = false;
};

/// What stands between the loop and the function of the last turns.
struct Ending {
  std::string text;
  std::string right;  // lanes so far, a flag
};

/// The function of turns, in parts.
struct TurnsText {
  std::string before;  // the first turn
  std::vector<Phi> phis;
  std::size_t checks = 0;        // of these, the last ones: what checks have found
  std::vector<Phi> crossing;     // from the first part of a turn, beside the turn before, to its rest
  unsigned at_once = 1;          // turns in the loop's text
  std::string turns;             // of the loop
  std::optional<Ending> ending;  // the last turns are apart: of a run that ends, and those that several at once leave
  std::string behind;            // the last turn
  std::string right;             // lanes, a flag
  TurnsLayout layout;
};

/// The function of the last turns, in parts.
struct LastTurnsText {
  std::string before;
  std::vector<Phi> phis;  // words that it takes over, which have no initial value here, and its own checks
  std::size_t checks = 0;
  bool repeats = false;  // there may be several
  std::string turn;
  std::string behind;
  std::string right;
  TurnsLayout layout;
};

class Writer {
 public:
  virtual ~Writer() = default;

  std::string text;
  std::string turn_at_hand;  // of several that are written at once: its number; else empty

  /// What is written from here on comes from this line of the body; none: from no line.
  virtual void at_line(std::optional<std::uint32_t> line) = 0;

  // ---- literals and names
  [[nodiscard]] virtual std::string literal(double value) const = 0;
  [[nodiscard]] virtual std::string literal(std::uint64_t bits) const = 0;
  [[nodiscard]] virtual std::string number_literal(std::uint64_t bits) const = 0;
  [[nodiscard]] virtual std::string all_set() const = 0;
  /// What a part of a function takes over from the turn before; `name` is a Phi's.
  [[nodiscard]] virtual std::string handed_on(const std::string& name, TurnPart part) const = 0;

  // ---- on bits
  virtual std::string bits(const std::string& number) = 0;
  virtual std::string numbers(const std::string& bits) = 0;
  /// `op` and `how` as LLVM spells them.
  virtual std::string integer(const char* op, const std::string& a, const std::string& b) = 0;
  virtual std::string compare(const char* how, const std::string& a, const std::string& b) = 0;
  virtual std::string extreme(const char* which, const std::string& a, const std::string& b) = 0;
  /// Of words' upper and lower halves, each by itself and without a sign: "umin" or "umax".
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
  /// All ones where the flag is set.
  virtual std::string spread_flag(const std::string& flag) = 0;

  // ---- on numbers; rounded as asked. A target without directions rounds to nearest.
  virtual std::string add(const std::string& a, const std::string& b, Direction to = Direction::nearest) = 0;
  virtual std::string subtract(const std::string& a, const std::string& b, Direction to = Direction::nearest) = 0;
  virtual std::string multiply(const std::string& a, const std::string& b, Direction to = Direction::nearest) = 0;
  virtual std::string multiply_add(const std::string& a, const std::string& b, const std::string& c,
                                   Direction to = Direction::nearest) = 0;
  // Exact, or the target says so where it can.
  virtual std::string exact_add(const std::string& a, const std::string& b) = 0;
  virtual std::string exact_subtract(const std::string& a, const std::string& b) = 0;
  virtual std::string exact_multiply(const std::string& a, const std::string& b) = 0;
  virtual std::string exact_multiply_add(const std::string& a, const std::string& b, const std::string& c) = 0;
  virtual std::string negated(const std::string& a) = 0;
  /// The operand of the larger magnitude; of the smaller one. Of targets that round in directions.
  virtual std::string larger(const std::string& a, const std::string& b) = 0;
  virtual std::string smaller(const std::string& a, const std::string& b) = 0;
  /// +0 for a zero of either sign.
  std::string canonical(const std::string& a) { return exact_add(a, literal(0.0)); }

  // ---- words; places as Node has them
  virtual Value row(std::uint32_t place, bool is_long) = 0;
  virtual Value kept(std::uint32_t place, bool is_long) = 0;
  virtual Value record(std::uint64_t plane, bool is_long) = 0;
  virtual Value parameter(std::uint32_t place, bool is_long) = 0;
  virtual std::string flag(std::uint32_t place) = 0;
  /// From the function of what is equal in all PEs to the one of turns: bits or numbers; `word` counts from 0.
  virtual void share(CodeType type, const std::string& value, std::uint64_t word) = 0;
  virtual std::string shared(CodeType type, std::uint64_t word) = 0;
  virtual void give(const std::string& bits, std::uint64_t plane) = 0;
  virtual void give_flag(const std::string& flag, std::uint64_t plane) = 0;
  /// Words of local memory, as far behind the lane's row as `further` says. Of a row of all ones it is zero, and
  /// nothing happens.
  virtual std::string gather(const std::string& row, std::uint32_t further) = 0;
  virtual void scatter(const std::string& bits, const std::string& row, std::uint32_t further) = 0;
  /// Of the words that a turn stores.
  virtual void store(const std::string& bits, std::uint64_t plane) = 0;

  // ---- functions
  [[nodiscard]] virtual std::string declarations() const = 0;
  virtual std::string turns_function(TurnsText parts) = 0;
  /// Of targets whose last turns are apart.
  virtual std::string last_turns_function(LastTurnsText parts) = 0;
  /// Of what this has written.
  virtual std::string uniform_function(const std::string& right) = 0;
};

// Names begin with what tells them apart inside their function. Of the function of turns: what stands before the loop,
// a turn in it, the first part of the next one, what stands behind the turns and before the last ones. Of the function
// of the last turns: before them, in one, behind them.
inline constexpr char kBeforePrefix = 'p';
inline constexpr char kLoopPrefix = 'b';
inline constexpr char kAheadPrefix = 'a';
inline constexpr char kBehindPrefix = 'e';
inline constexpr char kEndingPrefix = 'f';
inline constexpr char kBeforeLastPrefix = 'k';
inline constexpr char kLastPrefix = 'l';
inline constexpr char kBehindLastPrefix = 'm';
inline constexpr char kUniformPrefix = 'v';

[[nodiscard]] constexpr BodyFunction function_of(char prefix) {
  if (prefix == kUniformPrefix) return BodyFunction::uniform;
  const bool of_last = prefix == kBeforeLastPrefix || prefix == kLastPrefix || prefix == kBehindLastPrefix;
  return of_last ? BodyFunction::last_turns : BodyFunction::turns;
}

/// For a part of a function; `prefix` begins the names in it.
[[nodiscard]] std::unique_ptr<Writer> make_writer(const CodeTarget& target, char prefix);

}  // namespace gdr::emulator::jit
