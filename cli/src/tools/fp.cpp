// Floating-point arithmetic: shows the bits of numbers, and evaluates single operations on words from standard input.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "command/command.h"
#include "gdr/emulator/arithmetic.h"
#include "gdr/emulator/conversion.h"
#include "gdr/selftest/single_operations.h"

namespace gdr::cli {
namespace {

using isa::LongWord;
using isa::ShortWord;
using isa::Width;

constexpr unsigned kExponentMask = 2047;
constexpr int kBias = 1023;

/// The parts of a word as docs/machine/arithmetic.md defines them.
struct Parts {
  Width width;
  LongWord word;     // a short word is widened
  std::string lost;  // loss by rounding to this width: "exact", "rounded", "overflow", "underflow"

  [[nodiscard]] std::string hex() const { return width == Width::long_word ? to_hex(word) : to_hex(word.upper()); }
  [[nodiscard]] unsigned sign() const { return static_cast<unsigned>(word.high >> 63); }
  [[nodiscard]] unsigned exponent() const { return static_cast<unsigned>(word.high >> 52) & kExponentMask; }
  [[nodiscard]] std::string fraction() const { return hex().substr(3); }
  [[nodiscard]] std::string_view kind() const {
    return exponent() == 0 ? "zero" : exponent() == kExponentMask ? "infinity" : "finite";
  }
  /// The nearest double; 72 bits may hold more digits.
  [[nodiscard]] double value() const { return emulator::flt72to64(word).value; }
  [[nodiscard]] bool value_is_exact() const { return emulator::flt64to72(value()).value == canonical(); }

 private:
  [[nodiscard]] LongWord canonical() const { return emulator::fpassa(word, Width::long_word).value; }
};

Parts rounded_to_short(LongWord word) {
  const emulator::FpResult result = emulator::fpassa(word, Width::short_word);
  const LongWord whole = emulator::fpassa(word, Width::long_word).value;
  const std::string lost = result.event == emulator::FpEvent::overflow    ? "overflow"
                           : result.event == emulator::FpEvent::underflow ? "underflow"
                           : result.value == whole                        ? "exact"
                                                                          : "rounded";
  return {Width::short_word, result.value, lost};
}

/// VALUE in both widths. Text of exactly 18 or 9 hex digits is a word, even if it could be a number; other text is a
/// number.
std::array<Parts, 2> parts_of(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with("0x") ? 2 : 0);
  if (const auto word = isa::parse_long(digits)) {
    return {Parts{Width::long_word, *word, "exact"}, rounded_to_short(*word)};
  }
  if (const auto word = isa::parse_short(digits)) {
    return {Parts{Width::long_word, widen(*word), "exact"}, Parts{Width::short_word, widen(*word), "exact"}};
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || std::isnan(value)) {
    throw UsageError(
        fmt::format("value: '{}' is refused: it must be a number in the range of a double, or a word of 18 "
                    "or 9 hex digits",
                    text));
  }
  const auto converted = emulator::flt64to72(value);
  const bool flushed = converted.event == emulator::ConversionEvent::underflow;
  return {Parts{Width::long_word, converted.value, flushed ? "underflow" : "exact"}, rounded_to_short(converted.value)};
}

Json json_of(const Parts& parts) {
  const double value = parts.value();
  return {{"word", parts.hex()},
          {"sign", parts.sign()},
          {"exponent_field", parts.exponent()},
          {"fraction", parts.fraction()},
          {"class", parts.kind()},
          {"value", std::isfinite(value) ? Json(value) : Json(nullptr)},
          {"value_is_exact", parts.value_is_exact()},
          {"conversion", parts.lost}};
}

std::string bits_of(const Parts& parts) {
  std::string bits;
  for (const char digit : parts.fraction()) {
    bits += fmt::format(" {:04b}", std::stoi(std::string(1, digit), nullptr, 16));
  }
  return fmt::format("{} {:011b}{}", parts.sign(), parts.exponent(), bits);
}

struct FpShowOptions {
  std::string value;
  ReportOptions report;
};

int show_number(const FpShowOptions& options) {
  const auto& [text, report] = options;
  const std::array<Parts, 2> both = parts_of(text);
  Json json = report.begin();
  json["input"] = text;
  for (const Parts& parts : both) {
    const std::string_view name = name_of(parts.width);
    json[name] = json_of(parts);
    if (!report.speaks()) continue;
    fmt::print("{:<6} {}\n", name, parts.hex());
    fmt::print("  bits     {}\n", bits_of(parts));
    fmt::print("  sign     {} ({})\n", parts.sign(), parts.sign() == 0 ? "+" : "-");
    if (parts.kind() == "finite") {
      fmt::print("  exponent {} (2^{})\n", parts.exponent(), static_cast<int>(parts.exponent()) - kBias);
    } else {
      fmt::print("  exponent {}\n", parts.exponent());
    }
    fmt::print("  fraction {}\n", parts.fraction());
    fmt::print("  class    {}\n", parts.kind());
    fmt::print("  value    {:.17g}{}\n", parts.value(), parts.value_is_exact() ? "" : " (nearest double)");
    if (parts.lost != "exact") fmt::print("  note     {} in this width\n", parts.lost);
  }
  report.write(json);
  return kSuccess;
}

int eval(const std::string& engine) {
  const auto evaluator = selftest::make_evaluator(engine);
  constexpr std::size_t kBatch = 1 << 16;  // in lines; a chip computes 2,048 pairs at a time
  std::vector<selftest::FpOperation> batch;
  const auto flush = [&] {
    std::string text;
    const std::vector<LongWord> results = evaluator->evaluate(batch);
    for (std::size_t n = 0; n < batch.size(); ++n) {
      text += batch[n].kind.destination == Width::long_word ? to_hex(results[n]) : to_hex(results[n].upper());
      text += '\n';
    }
    std::cout << text << std::flush;
    batch.clear();
  };
  std::size_t number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    ++number;
    std::string error;
    const auto operation = selftest::parse_operation(line, error);
    if (!operation) {
      flush();
      throw Error(fmt::format("line {}: {}", number, error));
    }
    batch.push_back(*operation);
    if (batch.size() == kBatch) flush();
  }
  flush();
  // The loop also ends if the input is a folder or closed.
  if (std::cin.bad() || std::ferror(stdin) != 0) throw Error("standard input cannot be read");
  return kSuccess;
}

}  // namespace

void add_fp(Command program, const std::string& name) {
  const Command fp = program.add_group(name, "the machine's floating-point arithmetic by itself");
  const auto [shown, options] =
      fp.add_command<FpShowOptions>("show", "fields and bits of a number in both widths",
                                    "gdr fp show 1.5\n  gdr fp show 3ff800000000000000", show_number);
  shown
      .add_option("value", options->value,
                  "a number, or a word of 18 (long) or 9 (short) hex digits, 0x before it or not")
      .required();
  options->report.add_to(shown);

  auto engine = std::make_shared<std::string>("simd");
  const Command evaluated = fp.add_command(
      "eval",
      fmt::format("one operation per line of standard input, one result word per line of standard output\n"
                  "lines: OP A [B] with OP = {}\n"
                  "and .l or .s, the width of the result; words of 18 hex digits are long, of 9 short; B of "
                  "fmul is short,\n"
                  "both operands of fmul2 (fmulh, then fmull) are long",
                  selftest::operation_names()),
      "echo 'fadd.s 3ff000000000000000 3e6000000000000000' | gdr fp eval", [=] { return eval(*engine); });
  evaluated.add_option("--engine", *engine, "arithmetic that computes the results", one_of({"reference", "simd"}));
}

}  // namespace gdr::cli
