// Keeps the arithmetic that the generator of loop bodies writes as a tape, and plays it on small doubles. The writers
// beside it, of LLVM's language and of OpenCL C, write the same calls as text.
#pragma once

#include <string>
#include <vector>

#include "loop/code/code_writer.h"
#include "small_numbers.h"

namespace gdr::proof {

class TapeWriter final : public emulator::jit::ArithmeticWriter {
 public:
  using Direction = emulator::jit::Direction;
  using CodeType = emulator::jit::CodeType;
  using Words = emulator::simd::Words;

  explicit TapeWriter(bool directed) : directed_(directed) {}

  /// Name of a value that is set before each evaluation.
  std::string input() { return push(Operation::input, {}); }
  /// The lanes of a value.
  Words& at(const std::string& name) { return tape_[index(name)].value; }
  /// Computes all values from the inputs.
  void evaluate();
  /// Lanes in which an instruction that has to be exact was not, if the target can tell.
  Words inexact{};
  [[nodiscard]] std::size_t steps() const { return tape_.size(); }

  [[nodiscard]] std::string literal(double value) const override;
  [[nodiscard]] std::string literal(std::uint64_t bits) const override;
  [[nodiscard]] std::string number_literal(std::uint64_t bits) const override;
  [[nodiscard]] std::string all_set() const override { return constant(~Words{}); }

  std::string bits(const std::string& a) override { return push(Operation::bits, a); }
  std::string numbers(const std::string& a) override { return push(Operation::numbers, a); }
  std::string integer(const char* op, const std::string& a, const std::string& b) override { return named(op, a, b); }
  std::string compare(const char* how, const std::string& a, const std::string& b) override { return named(how, a, b); }
  std::string compare_numbers(const char* how, const std::string& a, const std::string& b) override {
    return named(how, a, b);
  }
  std::string extreme(const char* which, const std::string& a, const std::string& b) override {
    return named(which, a, b);
  }
  std::string extreme_halves(const char* which, const std::string& a, const std::string& b) override {
    return named(which, a, b);
  }
  std::string both(const std::string& a, const std::string& b) override { return named("and", a, b); }
  std::string either(const std::string& a, const std::string& b) override { return named("or", a, b); }
  std::string select(const std::string& flag, CodeType, const std::string& set, const std::string& clear) override {
    return push(Operation::select, flag, set, clear);
  }
  std::string spread_flag(const std::string& flag) override { return named("and", flag, literal(~std::uint64_t{0})); }

  std::string add(const std::string& a, const std::string& b, Direction to) override {
    return push(Operation::fadd, a, b, {}, to);
  }
  std::string subtract(const std::string& a, const std::string& b, Direction to) override {
    return push(Operation::fsub, a, b, {}, to);
  }
  std::string multiply(const std::string& a, const std::string& b, Direction to) override {
    return push(Operation::fmul, a, b, {}, to);
  }
  std::string multiply_add(const std::string& a, const std::string& b, const std::string& c, Direction to) override {
    return push(Operation::fma, a, b, c, to);
  }
  std::string exact_add(const std::string& a, const std::string& b) override { return exact(Operation::fadd, a, b); }
  std::string exact_subtract(const std::string& a, const std::string& b) override {
    return exact(Operation::fsub, a, b);
  }
  std::string exact_multiply(const std::string& a, const std::string& b) override {
    return exact(Operation::fmul, a, b);
  }
  std::string exact_multiply_add(const std::string& a, const std::string& b, const std::string& c) override {
    return exact(Operation::fma, a, b, c);
  }
  std::string negated(const std::string& a) override { return push(Operation::fneg, a); }
  std::string larger(const std::string& a, const std::string& b) override { return push(Operation::larger, a, b); }

 private:
  enum class Operation : unsigned char {
    input,
    constant,
    bits,
    numbers,
    select,
    fadd,
    fsub,
    fmul,
    fma,
    fneg,
    larger,  // calls of their own
    add_,
    sub,
    and_,
    or_,
    xor_,
    shl,
    lshr,
    ashr,
    eq,
    ne,
    slt,
    sge,
    ult,
    ord,
    oeq,
    une,
    olt,
    smin,
    smax,
    umin,
    umax  // named
  };
  struct Step {
    Operation operation;
    std::size_t a, b, c;
    Direction to;
    bool exact;
    Words value;
  };

  static std::size_t index(const std::string& name) { return std::stoul(name); }
  std::string constant(Words value) const;
  std::string push(Operation operation, const std::string& a, const std::string& b = {}, const std::string& c = {},
                   Direction to = Direction::nearest, bool exact = false);
  /// An operation by its name in LLVM. Throws for one that the tape does not know, so that no new one is passed over.
  std::string named(const char* name, const std::string& a, const std::string& b);
  std::string exact(Operation operation, const std::string& a, const std::string& b, const std::string& c = {}) {
    return push(operation, a, b, c, Direction::nearest, true);
  }
  void run_on_words(Step& step);
  void run_on_numbers(Step& step);

  bool directed_;
  mutable std::vector<Step> tape_;  // literals make steps, too
};

}  // namespace gdr::proof
