// LLVM IR text, instruction by instruction.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>

#include "code_target.h"
#include "simd/micro_op.h"

namespace gdr::emulator::jit {

inline constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kExponentMask = std::uint64_t{2047} << 52;
inline constexpr std::uint64_t kBelowShort = (std::uint64_t{1} << 28) - 1;  // of a double's 53 bits those below 25
inline constexpr std::uint64_t kBelowPort = 7;                              // and those below the multiplier's 50
inline constexpr std::int64_t kBias = 1023;

// Rounding operands of AVX-512 instructions, exceptions suppressed: nearest, down, up, toward zero.
inline constexpr int kNearest = 8;
inline constexpr int kDown = 9;
inline constexpr int kUp = 10;
inline constexpr int kTowardZero = 11;

/// What a node became: one value, or two (head and rest of a number, high and low plane of a long word).
struct Value {
  std::string first;
  std::string second;
};

inline std::string literal(double value) {
  return fmt::format("splat (double 0x{:016X})", std::bit_cast<std::uint64_t>(value));
}
inline std::string literal(std::uint64_t bits) {
  return fmt::format("splat (i64 {})", static_cast<std::int64_t>(bits));
}
inline std::string number_literal(std::uint64_t bits) { return fmt::format("splat (double 0x{:016X})", bits); }

/// Instructions of one function, each with a result of its own name.
class Writer {
 public:
  Writer(const CodeTarget& target, char prefix)
      : lanes(target.lanes),
        numbers_type(fmt::format("<{} x double>", lanes)),
        bits_type(fmt::format("<{} x i64>", lanes)),
        predicates_type(fmt::format("<{} x i1>", lanes)),
        flags_type(target.directed_rounding ? predicates_type : bits_type),
        directed_(target.directed_rounding),
        prefix_(prefix) {}

  unsigned lanes;
  std::string numbers_type;  // of vectors, as IR names them
  std::string bits_type;
  std::string predicates_type;
  // Without mask registers a flag is a word, all ones where it is set: LLVM would pack bits to narrower ones.
  std::string flags_type;

  std::string text;

  template <class... Args>
  std::string set(fmt::format_string<Args...> form, Args&&... args) {
    const std::string name = fmt::format("%{}{}", prefix_, count_++);
    text += "  " + name + " = " + fmt::format(form, std::forward<Args>(args)...) + "\n";
    return name;
  }
  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    text += "  " + fmt::format(form, std::forward<Args>(args)...) + "\n";
  }

  // ---- moves
  std::string bits(const std::string& a) { return set("bitcast {} {} to {}", numbers_type, a, bits_type); }
  std::string numbers(const std::string& a) { return set("bitcast {} {} to {}", bits_type, a, numbers_type); }
  std::string address(const std::string& base, std::uint64_t words) {
    return words == 0 ? base : set("getelementptr i64, ptr {}, i64 {}", base, words);
  }
  std::string load(const std::string& base, std::uint64_t words) {
    const std::string at = address(base, words);
    return set("load {}, ptr {}, align 8", bits_type, at);
  }
  void store(const std::string& type, const std::string& value, const std::string& base, std::uint64_t words) {
    const std::string at = address(base, words);
    line("store {} {}, ptr {}, align 8", type, value, at);
  }
  std::string spread(const std::string& word) {
    const std::string one = set("insertelement {} poison, i64 {}, i64 0", bits_type, word);
    return set("shufflevector {} {}, {} poison, <{} x i32> zeroinitializer", bits_type, one, bits_type, lanes);
  }
  std::string load_one(const std::string& base, std::uint64_t words) {
    const std::string at = address(base, words);
    return set("load i64, ptr {}, align 8", at);
  }

  // ---- on bits
  std::string integer(const char* op, const std::string& a, const std::string& b) {
    return set("{} {} {}, {}", op, bits_type, a, b);
  }
  std::string masked(const std::string& a, std::uint64_t mask) {
    const std::string bits_of = bits(a);
    const std::string kept = integer("and", bits_of, literal(mask));
    return numbers(kept);
  }
  std::string compare(const char* how, const std::string& a, const std::string& b) {
    return flag(set("icmp {} {} {}, {}", how, bits_type, a, b));
  }
  std::string compare_numbers(const char* how, const std::string& a, const std::string& b) {
    return flag(set("fcmp {} {} {}, {}", how, numbers_type, a, b));
  }
  std::string both(const std::string& a, const std::string& b) { return set("and {} {}, {}", flags_type, a, b); }
  std::string either(const std::string& a, const std::string& b) { return set("or {} {}, {}", flags_type, a, b); }
  std::string select(const std::string& flag, const std::string& type, const std::string& set_,
                     const std::string& clear) {
    const std::string chosen = predicate(flag);
    return set("select {} {}, {} {}, {} {}", predicates_type, chosen, type, set_, type, clear);
  }
  std::string all_set() const { return flags_type == bits_type ? "splat (i64 -1)" : "splat (i1 true)"; }
  /// All ones where the flag is set.
  std::string spread_flag(const std::string& flag) {
    return flags_type == bits_type ? flag : set("sext {} {} to {}", flags_type, flag, bits_type);
  }
  /// A bit for each lane, and back from the lowest ones of a word.
  std::string lane_bits(const std::string& flag) {
    const std::string few = set("bitcast {} {} to i{}", predicates_type, predicate(flag), lanes);
    return set("zext i{} {} to i64", lanes, few);
  }
  std::string flag_of_lane_bits(const std::string& word) {
    const std::string few = set("trunc i64 {} to i{}", word, lanes);
    return flag(set("bitcast i{} {} to {}", lanes, few, predicates_type));
  }

  // ---- on numbers; rounded as asked, without a trace in MXCSR. Without directed rounding, to nearest, and with one.
  std::string add(const std::string& a, const std::string& b, int rounding = kNearest) {
    return rounded("add", a, b, rounding);
  }
  std::string subtract(const std::string& a, const std::string& b, int rounding = kNearest) {
    return rounded("sub", a, b, rounding);
  }
  std::string multiply(const std::string& a, const std::string& b, int rounding = kNearest) {
    return rounded("mul", a, b, rounding);
  }
  std::string multiply_add(const std::string& a, const std::string& b, const std::string& c, int rounding = kNearest) {
    if (!directed_) return exact_multiply_add(a, b, c);
    return set("call {} @llvm.x86.avx512.vfmadd.pd.512({} {}, {} {}, {} {}, i32 {})", numbers_type, numbers_type, a,
               numbers_type, b, numbers_type, c, rounding);
  }
  // Exact, or MXCSR says so.
  std::string exact_add(const std::string& a, const std::string& b) {
    return set("fadd {} {}, {}", numbers_type, a, b);
  }
  std::string exact_subtract(const std::string& a, const std::string& b) {
    return set("fsub {} {}, {}", numbers_type, a, b);
  }
  std::string exact_multiply(const std::string& a, const std::string& b) {
    return set("fmul {} {}, {}", numbers_type, a, b);
  }
  std::string exact_multiply_add(const std::string& a, const std::string& b, const std::string& c) {
    return set("call {} @llvm.fma.v{}f64({} {}, {} {}, {} {})", numbers_type, lanes, numbers_type, a, numbers_type, b,
               numbers_type, c);
  }
  std::string negated(const std::string& a) { return set("fneg {} {}", numbers_type, a); }
  /// The operand of the larger magnitude; of the smaller one.
  std::string larger(const std::string& a, const std::string& b) { return range(a, b, 7); }
  std::string smaller(const std::string& a, const std::string& b) { return range(b, a, 6); }
  std::string extreme(const char* which, const std::string& a, const std::string& b) {
    return set("call {} @llvm.{}.v{}i64({} {}, {} {})", bits_type, which, lanes, bits_type, a, bits_type, b);
  }
  /// +0 for a zero of either sign.
  std::string canonical(const std::string& a) { return exact_add(a, literal(0.0)); }

 private:
  std::string flag(const std::string& predicate) {
    return flags_type == bits_type ? set("sext {} {} to {}", predicates_type, predicate, bits_type) : predicate;
  }
  std::string predicate(const std::string& flag) {
    return flags_type == bits_type ? set("icmp slt {} {}, zeroinitializer", bits_type, flag) : flag;
  }
  std::string rounded(const char* op, const std::string& a, const std::string& b, int rounding) {
    if (!directed_) return set("f{} {} {}, {}", op, numbers_type, a, b);
    return set("call {} @llvm.x86.avx512.{}.pd.512({} {}, {} {}, i32 {})", numbers_type, op, numbers_type, a,
               numbers_type, b, rounding);
  }
  std::string range(const std::string& a, const std::string& b, int which) {
    return set("call {} @llvm.x86.avx512.mask.range.pd.512({} {}, {} {}, i32 {}, {} zeroinitializer, i8 -1, i32 8)",
               numbers_type, numbers_type, a, numbers_type, b, which, numbers_type);
  }

  bool directed_;
  char prefix_;  // of the names
  unsigned count_ = 0;
};

}  // namespace gdr::emulator::jit
