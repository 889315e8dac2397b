// Writes OpenCL C instruction by instruction. A lane is a PE or a turn; a work-item has as many lanes as the device's
// vectors. body_kernel.cpp defines the names that the text uses.
#pragma once

#include <fmt/format.h>

#include <string>

#include "gdr/base/error.h"
#include "loop/code/code_writer.h"

namespace gdr::emulator::opencl {

class OpenClWriter final : public jit::Writer {
 public:
  using CodeType = jit::CodeType;
  using Direction = jit::Direction;
  using Value = jit::Value;
  using Text = const std::string&;

  explicit OpenClWriter(jit::Part part) : part_(part) {}

  void at_line(std::optional<std::uint32_t>) override {}

  [[nodiscard]] std::string literal(double value) const override;
  [[nodiscard]] std::string literal(std::uint64_t bits) const override;
  [[nodiscard]] std::string number_literal(std::uint64_t bits) const override;
  [[nodiscard]] std::string all_set() const override { return literal(~std::uint64_t{0}); }
  [[nodiscard]] std::string handed_on(Text name, jit::TurnPart) const override { return name; }

  std::string bits(Text number) override { return set("I", "BITS({})", number); }
  std::string numbers(Text bits) override { return set("D", "NUMBERS({})", bits); }
  std::string integer(const char* op, Text a, Text b) override;
  std::string compare(const char* how, Text a, Text b) override;
  std::string extreme(const char* which, Text a, Text b) override;
  std::string extreme_halves(const char* which, Text a, Text b) override;

  std::string compare_numbers(const char* how, Text a, Text b) override;
  std::string both(Text a, Text b) override { return set("I", "{} & {}", a, b); }
  std::string either(Text a, Text b) override { return set("I", "{} | {}", a, b); }
  std::string select(Text flag, CodeType type, Text set_, Text clear) override {
    return set(type_name(type), "select({}, {}, {})", clear, set_, flag);
  }
  std::string spread_flag(Text flag) override { return flag; }

  // Devices can only round to nearest.
  std::string add(Text a, Text b, Direction) override { return exact_add(a, b); }
  std::string subtract(Text a, Text b, Direction) override { return exact_subtract(a, b); }
  std::string multiply(Text a, Text b, Direction) override { return exact_multiply(a, b); }
  std::string multiply_add(Text a, Text b, Text c, Direction) override { return exact_multiply_add(a, b, c); }
  std::string exact_add(Text a, Text b) override { return set("D", "{} + {}", a, b); }
  std::string exact_subtract(Text a, Text b) override { return set("D", "{} - {}", a, b); }
  std::string exact_multiply(Text a, Text b) override { return set("D", "{} * {}", a, b); }
  std::string exact_multiply_add(Text a, Text b, Text c) override { return set("D", "fma({}, {}, {})", a, b, c); }
  std::string negated(Text a) override { return set("D", "-{}", a); }
  std::string larger(Text a, Text b) override { return set("D", "maxmag({}, {})", a, b); }

  Value row(std::uint32_t place, bool is_long) override;
  Value kept(std::uint32_t place, bool is_long) override;
  Value record(std::uint64_t plane, bool is_long) override;
  Value parameter(std::uint32_t place, bool is_long) override;
  std::string flag(std::uint32_t place) override;
  void share(CodeType type, Text value, std::uint64_t word) override;
  std::string shared(CodeType type, std::uint64_t word) override;
  void give(Text bits, std::uint64_t plane) override { line("STORE({}, results + {} * PES);", bits, plane); }
  void give_flag(Text flag, std::uint64_t plane) override { give(flag, plane); }
  std::string gather(Text, std::uint32_t) override { return nothing_computed(); }
  void scatter(Text, Text, std::uint32_t) override { (void)nothing_computed(); }
  void store(Text bits, std::uint64_t plane) override { line("STORE({}, stores + {} * PES);", bits, plane); }

  Value carried(std::uint64_t plane, bool is_long) override;
  void keep(Text bits, std::uint64_t plane) override { line("STORE({}, kept + {} * PES);", bits, plane); }
  void assign(Text name, Text value) override { line("{} = {};", name, value); }

  [[nodiscard]] std::string declarations() const override { return {}; }
  std::string turns_function(jit::TurnsText parts) override;
  std::string last_turns_function(jit::LastTurnsText /*parts*/) override {
    GDR_ASSERT(false, "the last turns are the loop's");
    return {};
  }
  std::string split_function(jit::SplitText parts, unsigned& operand_words) override;
  std::string uniform_function(Text right) override;

 private:
  template <class... Args>
  std::string set(const char* type, fmt::format_string<Args...> form, Args&&... args) {
    std::string name = fmt::format("{}{}", jit::letter_of(part_), count_++);
    line("const {} {} = {};", type, name, fmt::format(form, std::forward<Args>(args)...));
    return name;
  }
  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    text += "  " + fmt::format(form, std::forward<Args>(args)...) + "\n";
  }
  [[nodiscard]] static const char* type_name(CodeType type) { return type == CodeType::number ? "D" : "I"; }
  [[noreturn]] static std::string nothing_computed() {
    GDR_ASSERT(false, "bodies that address local memory through T stay with the machine's kernel");
  }
  /// A long word from its halves, or from a short word in the upper half.
  Value joined(Text upper, Text lower);
  std::string widened(Text upper) { return set("I", "{} << 28", upper); }

  jit::Part part_;
  unsigned count_ = 0;
};

}  // namespace gdr::emulator::opencl
