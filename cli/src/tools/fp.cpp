// Floating-point arithmetic: shows the bits of numbers, and evaluates single operations on words from standard input.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>

#include "command/command.h"
#include "gdr/debugger/number_parts.h"
#include "gdr/selftest/single_operations.h"

namespace gdr::cli {
namespace {

using isa::LongWord;
using isa::Width;

struct FpShowOptions {
  std::string value;
  ReportOptions report;
};

int show_number(const FpShowOptions& options) {
  const auto& [text, report] = options;
  const auto both = from_command_line("value", [&text = text] { return debugger::number_parts(text); });
  Json json = report.begin();
  json["input"] = text;
  for (const debugger::NumberParts& parts : both) {
    json[name_of(parts.width)] = json_of(parts);
    if (report.speaks()) fmt::print("{}", text_of(parts));
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
