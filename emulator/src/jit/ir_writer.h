// Writes LLVM IR as text, instruction by instruction.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "line/micro_op.h"
#include "loop/code/code_writer.h"
#include "source_lines.h"

namespace gdr::emulator::jit {

/// Gives the result of each instruction a name of its own.
class IrWriter final : public Writer {
 public:
  IrWriter(const CodeTarget& target, Part part)
      : lanes_(target.lanes),
        numbers_type_(fmt::format("<{} x double>", lanes_)),
        bits_type_(fmt::format("<{} x i64>", lanes_)),
        halves_type_(fmt::format("<{} x i32>", 2 * lanes_)),
        predicates_type_(fmt::format("<{} x i1>", lanes_)),
        flags_type_(target.directed_rounding ? predicates_type_ : bits_type_),
        directed_(target.directed_rounding),
        packed_(target.packed),
        plane_words_(target.plane_words()),
        names_lines_(target.names_lines),
        part_(part) {}

  void at_line(std::optional<std::uint32_t> line) override;

  [[nodiscard]] std::string literal(double value) const override {
    return fmt::format("splat (double 0x{:016X})", std::bit_cast<std::uint64_t>(value));
  }
  [[nodiscard]] std::string literal(std::uint64_t bits) const override {
    return fmt::format("splat (i64 {})", static_cast<std::int64_t>(bits));
  }
  [[nodiscard]] std::string number_literal(std::uint64_t bits) const override {
    return fmt::format("splat (double 0x{:016X})", bits);
  }
  [[nodiscard]] std::string handed_on(const std::string& name, TurnPart part) const override {
    return fmt::format("%{}{}", name, suffix(part));
  }

  template <class... Args>
  std::string set(fmt::format_string<Args...> form, Args&&... args) {
    const std::string name = fmt::format("%{}{}", letter_of(part_), count_++);
    text += "  " + name + " = " + fmt::format(form, std::forward<Args>(args)...) + location_ + "\n";
    return name;
  }
  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    text += "  " + fmt::format(form, std::forward<Args>(args)...) + location_ + "\n";
  }

  // ---- on bits
  std::string bits(const std::string& a) override { return set("bitcast {} {} to {}", numbers_type_, a, bits_type_); }
  std::string numbers(const std::string& a) override {
    return set("bitcast {} {} to {}", bits_type_, a, numbers_type_);
  }
  std::string integer(const char* op, const std::string& a, const std::string& b) override {
    return set("{} {} {}, {}", op, bits_type_, a, b);
  }
  std::string compare(const char* how, const std::string& a, const std::string& b) override {
    return flag_of(set("icmp {} {} {}, {}", how, bits_type_, a, b));
  }
  std::string compare_numbers(const char* how, const std::string& a, const std::string& b) override {
    return flag_of(set("fcmp {} {} {}, {}", how, numbers_type_, a, b));
  }
  std::string both(const std::string& a, const std::string& b) override {
    return set("and {} {}, {}", flags_type_, a, b);
  }
  std::string either(const std::string& a, const std::string& b) override {
    return set("or {} {}, {}", flags_type_, a, b);
  }
  std::string select(const std::string& flag, CodeType type, const std::string& set_,
                     const std::string& clear) override {
    const std::string chosen = predicate(flag);
    return set("select {} {}, {} {}, {} {}", predicates_type_, chosen, type_name(type), set_, type_name(type), clear);
  }
  [[nodiscard]] std::string all_set() const override {
    return flags_type_ == bits_type_ ? "splat (i64 -1)" : "splat (i1 true)";
  }
  /// All ones where the flag is set, else zero.
  std::string spread_flag(const std::string& flag) override {
    return flags_type_ == bits_type_ ? flag : set("sext {} {} to {}", flags_type_, flag, bits_type_);
  }

  // ---- on numbers, rounded as requested without changing MXCSR. Without directed rounding: rounded to nearest, and
  // MXCSR may change.
  std::string add(const std::string& a, const std::string& b, Direction to = Direction::nearest) override {
    return rounded("add", a, b, to);
  }
  std::string subtract(const std::string& a, const std::string& b, Direction to = Direction::nearest) override {
    return rounded("sub", a, b, to);
  }
  std::string multiply(const std::string& a, const std::string& b, Direction to = Direction::nearest) override {
    return rounded("mul", a, b, to);
  }
  std::string multiply_add(const std::string& a, const std::string& b, const std::string& c,
                           Direction to = Direction::nearest) override {
    if (!directed_) return exact_multiply_add(a, b, c);
    return set("call {} @llvm.x86.avx512.vfmadd.pd.512({} {}, {} {}, {} {}, i32 {})", numbers_type_, numbers_type_, a,
               numbers_type_, b, numbers_type_, c, operand(to));
  }
  // Exact. If not, MXCSR reports it.
  std::string exact_add(const std::string& a, const std::string& b) override {
    return set("fadd {} {}, {}", numbers_type_, a, b);
  }
  std::string exact_subtract(const std::string& a, const std::string& b) override {
    return set("fsub {} {}, {}", numbers_type_, a, b);
  }
  std::string exact_multiply(const std::string& a, const std::string& b) override {
    return set("fmul {} {}, {}", numbers_type_, a, b);
  }
  std::string exact_multiply_add(const std::string& a, const std::string& b, const std::string& c) override {
    return set("call {} @llvm.fma.v{}f64({} {}, {} {}, {} {})", numbers_type_, lanes_, numbers_type_, a, numbers_type_,
               b, numbers_type_, c);
  }
  std::string negated(const std::string& a) override { return set("fneg {} {}", numbers_type_, a); }
  /// The operand of larger magnitude.
  std::string larger(const std::string& a, const std::string& b) override {
    constexpr int kLargerMagnitude = 7;  // of two, with the sign of the result
    return set("call {} @llvm.x86.avx512.mask.range.pd.512({} {}, {} {}, i32 {}, {} zeroinitializer, i8 -1, i32 8)",
               numbers_type_, numbers_type_, a, numbers_type_, b, kLargerMagnitude, numbers_type_);
  }
  std::string extreme(const char* which, const std::string& a, const std::string& b) override {
    return set("call {} @llvm.{}.v{}i64({} {}, {} {})", bits_type_, which, lanes_, bits_type_, a, bits_type_, b);
  }
  std::string extreme_halves(const char* which, const std::string& a, const std::string& b) override {
    const std::string halves_of_a = set("bitcast {} {} to {}", bits_type_, a, halves_type_);
    const std::string halves_of_b = set("bitcast {} {} to {}", bits_type_, b, halves_type_);
    const std::string halves =
        set("call {0} @llvm.{1}.v{2}i32({0} {3}, {0} {4})", halves_type_, which, 2 * lanes_, halves_of_a, halves_of_b);
    return set("bitcast {} {} to {}", halves_type_, halves, bits_type_);
  }

  // ---- words
  Value row(std::uint32_t place, bool is_long) override {
    const char* rows = is_long ? "%longs" : "%shorts";
    Value value{load(rows, simd::row_place(place)), {}};
    if (is_long) value.second = load(rows, simd::row_place(place + 1));
    return value;
  }
  Value kept(std::uint32_t place, bool is_long) override {
    Value value{spread(load_one("%state", simd::uniform_place(place, is_long))), {}};
    if (is_long) value.second = spread(load_one("%state", simd::uniform_place(place + 1, true)));
    return value;
  }
  Value record(std::uint64_t plane, bool is_long) override {
    Value value{load("%records", plane * plane_words_), {}};
    if (is_long) value.second = load("%records", (plane + 1) * plane_words_);
    return value;
  }
  Value parameter(std::uint32_t place, bool is_long) override {
    const std::uint64_t at = std::uint64_t{simd::place::kBm} + place;
    const std::string upper = set("shl i64 {}, {}", load_one("%state", at), simd::kShortShift);
    if (!is_long) return {spread(upper), {}};
    const std::string lower = load_one("%state", at + 1);
    const std::string below = set("lshr i64 {}, 8", lower);
    const std::string low = set("and i64 {}, 255", lower);
    const std::string high = set("or i64 {}, {}", upper, below);
    return {spread(high), spread(low)};
  }
  std::string flag(std::uint32_t place) override {
    const std::string at =
        load_one(address_of_element(), simd::flag_place(place / isa::kVectorElements) + place % isa::kVectorElements);
    const std::string shifted = set("lshr i64 {}, %lane", at);
    return flag_of_lane_bits(shifted);
  }
  void share(CodeType type, const std::string& value, std::uint64_t word) override {
    store(type_name(type), value, "%shared", word * plane_words_);
  }
  std::string shared(CodeType type, std::uint64_t word) override {
    const std::string all =
        packed_ ? load(of_turn("u"), word * plane_words_) : spread(load_one(of_turn("u"), word * plane_words_));
    return type == CodeType::number ? numbers(all) : all;
  }
  void give(const std::string& bits_of, std::uint64_t plane) override {
    store(bits_type_, bits_of, "%results", plane * simd::kRowWords);
  }
  void give_flag(const std::string& flag, std::uint64_t plane) override {
    store("i64", lane_bits(flag), "%results", plane * simd::kRowWords);
  }
  std::string gather(const std::string& row, std::uint32_t further) override {
    const LanesOfMemory at = lanes_of_memory(row, further);
    return set("call {0} @llvm.masked.gather.v{1}i64.v{1}p0(<{1} x ptr> {2}, i32 8, {3} {4}, {0} zeroinitializer)",
               bits_type_, lanes_, at.addresses, predicates_type_, at.reached);
  }
  void scatter(const std::string& bits_of, const std::string& row, std::uint32_t further) override {
    const LanesOfMemory at = lanes_of_memory(row, further);
    line("call void @llvm.masked.scatter.v{1}i64.v{1}p0({0} {2}, <{1} x ptr> {3}, i32 8, {4} {5})", bits_type_, lanes_,
         bits_of, at.addresses, predicates_type_, at.reached);
  }
  void store(const std::string& bits_of, std::uint64_t plane) override {
    store(bits_type_, bits_of, of_turn("s"), plane * simd::kRowWords);
  }

  // ---- functions
  [[nodiscard]] std::string declarations() const override;
  std::string turns_function(TurnsText parts) override;
  std::string last_turns_function(LastTurnsText parts) override;
  Value carried(std::uint64_t, bool) override { return {nothing_split(), {}}; }
  void keep(const std::string&, std::uint64_t) override { (void)nothing_split(); }
  void assign(const std::string&, const std::string&) override { (void)nothing_split(); }
  std::string split_function(SplitText, unsigned&) override { return nothing_split(); }
  std::string uniform_function(const std::string& right) override;

 private:
  struct LanesOfMemory {
    std::string addresses;
    std::string reached;  // lanes that have a row
  };
  LanesOfMemory lanes_of_memory(const std::string& row, std::uint32_t further);
  [[noreturn]] static std::string nothing_split() {
    GDR_ASSERT(false, "iterations of several work-items are written in OpenCL C alone");
  }
  /// Address of words of the current iteration.
  [[nodiscard]] std::string of_turn(const char* words) const {
    return fmt::format("%{}{}{}", words, letter_of(part_), turn_at_hand);
  }
  [[nodiscard]] std::string places_of_turn(const TurnsLayout& layout, const std::string& names,
                                           const std::string& turn) const;
  [[nodiscard]] std::string head_of_turns(const char* name, const char* last_argument, const TurnsLayout& layout) const;
  [[nodiscard]] std::string loop_of(const TurnsText& parts) const;
  [[nodiscard]] std::string behind_loop(const TurnsText& parts) const;
  [[nodiscard]] std::string call_of_last_turns(const Ending& ending, const std::vector<Phi>& phis);
  /// Bytes between two values that are passed to the function of the last iterations.
  [[nodiscard]] std::size_t step_of_handed() const { return lanes_ * sizeof(std::uint64_t); }
  [[nodiscard]] static const char* suffix(TurnPart part) {
    switch (part) {
      case TurnPart::loop:
        return "";
      case TurnPart::behind:
        return "e";
      case TurnPart::last:
        return "l";
    }
    return "";
  }
  /// What follows the head of a function: its debug metadata, if lines are named.
  [[nodiscard]] std::string of_function(BodyFunction function) const {
    return names_lines_ ? fmt::format(" !dbg !{}", function_number(function)) : std::string();
  }
  /// Returns what has been written so far and begins a new text.
  [[nodiscard]] std::string taken() { return std::exchange(text, {}); }
  std::string address(const std::string& base, std::uint64_t words) {
    return words == 0 ? base : set("getelementptr i64, ptr {}, i64 {}", base, words);
  }
  std::string load(const std::string& base, std::uint64_t words) {
    const std::string at = address(base, words);
    return set("load {}, ptr {}, align 8", bits_type_, at);
  }
  void store(const std::string& type, const std::string& value, const std::string& base, std::uint64_t words) {
    const std::string at = address(base, words);
    line("store {} {}, ptr {}, align 8", type, value, at);
  }
  /// The block's words, moved by the first element that the function computes.
  std::string address_of_element() { return set("getelementptr i64, ptr %block, i64 %element"); }
  std::string spread(const std::string& word) {
    const std::string one = set("insertelement {} poison, i64 {}, i64 0", bits_type_, word);
    return set("shufflevector {} {}, {} poison, <{} x i32> zeroinitializer", bits_type_, one, bits_type_, lanes_);
  }
  std::string load_one(const std::string& base, std::uint64_t words) {
    const std::string at = address(base, words);
    return set("load i64, ptr {}, align 8", at);
  }

  /// Converts a flag to a word with one bit for each lane, and back from a word's lowest bits.
  std::string lane_bits(const std::string& flag) {
    const std::string few = set("bitcast {} {} to i{}", predicates_type_, predicate(flag), lanes_);
    return set("zext i{} {} to i64", lanes_, few);
  }
  std::string flag_of_lane_bits(const std::string& word) {
    const std::string few = set("trunc i64 {} to i{}", word, lanes_);
    return flag_of(set("bitcast i{} {} to {}", lanes_, few, predicates_type_));
  }
  [[nodiscard]] const std::string& type_name(CodeType type) const {
    return type == CodeType::number ? numbers_type_ : type == CodeType::bits ? bits_type_ : flags_type_;
  }
  /// Rounding operand of AVX-512 instructions, with exceptions suppressed.
  [[nodiscard]] static int operand(Direction to) { return 8 + static_cast<int>(to); }
  std::string flag_of(const std::string& predicate) {
    return flags_type_ == bits_type_ ? set("sext {} {} to {}", predicates_type_, predicate, bits_type_) : predicate;
  }
  std::string predicate(const std::string& flag) {
    return flags_type_ == bits_type_ ? set("icmp slt {} {}, zeroinitializer", bits_type_, flag) : flag;
  }
  std::string rounded(const char* op, const std::string& a, const std::string& b, Direction to) {
    if (!directed_) return set("f{} {} {}, {}", op, numbers_type_, a, b);
    return set("call {} @llvm.x86.avx512.{}.pd.512({} {}, {} {}, i32 {})", numbers_type_, op, numbers_type_, a,
               numbers_type_, b, operand(to));
  }

  unsigned lanes_;
  std::string numbers_type_;  // of vectors, as IR spells them
  std::string bits_type_;
  std::string halves_type_;
  std::string predicates_type_;
  // Without mask registers a flag is a word, all ones where it is set: LLVM would pack bits into narrower elements.
  std::string flags_type_;
  bool directed_;
  bool packed_;
  unsigned plane_words_;
  bool names_lines_;
  std::string location_;  // appended to each instruction
  Part part_;
  unsigned count_ = 0;
};

}  // namespace gdr::emulator::jit
