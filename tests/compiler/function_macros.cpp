// Writes the compiler's functions as macros of the assembler: kernels/macros/functions.vsm. With a file as argument,
// checks that it is what would be written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/isa/operations.h"
#include "microcode/builder.h"
#include "pair/bounds.h"

namespace gdr::compiler {
namespace {

/// In which order operations are done: as they were made, or each only when the result needs it.
enum class Order : std::uint8_t { as_made, on_demand };

/// The operations of one macro as lines, one operation a line.
class MacroText {
 public:
  MacroText(const Microcode& code, Order order) : code_(code), section_(code.body), done_(code.body.size()) {
    for (std::size_t n = 0; n < section_.size(); ++n) {
      if (order == Order::as_made || section_[n].variable >= 0) put_in_order(n);
    }
    put_on_lines();
    find_places();
  }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const bool wide : {false, true}) {
      for (unsigned n = 0; n < registers_[wide]; ++n) {
        all += fmt::format("  reg {} {}\n", name_of(wide, n), wide ? "long" : "short");
      }
    }
    unsigned line = 0;
    for (const std::size_t n : order_) {
      const Operation& operation = section_[n];
      for (; line < line_of_[n] - (operation.op == isa::Op::FMULL ? 1 : 0); ++line) all += "  nop\n";
      if (operation.op == isa::Op::FMULL) all += "  fmulh" + operands(n, line++) + "\n";
      all += fmt::format("  {}{}{}\n", isa::info_of(operation.op).mnemonic, operands(n, line++), destinations(n));
    }
    return all;
  }
  [[nodiscard]] unsigned short_words() const { return 4 * registers_[0] + 8 * registers_[1]; }
  [[nodiscard]] unsigned flags() const { return flags_; }

 private:
  static constexpr unsigned kNever = ~0U;
  static constexpr unsigned kLatency = 2;  // lines until a word or a flag can be read; one for T

  /// Operations whose results the operation needs before it, in registers, T, or a flag.
  [[nodiscard]] std::vector<std::size_t> needs(std::size_t n) const {
    const Operation& operation = section_[n];
    std::vector<std::size_t> all;
    for (const Operand& operand : operation.operands) {
      if (operand.kind == Operand::Kind::value) all.push_back(static_cast<std::size_t>(operand.index));
    }
    for (const int other : {operation.into, operation.predicate, operation.flag_into, operation.after}) {
      if (other >= 0) all.push_back(static_cast<std::size_t>(other));
    }
    // What it overwrites is read before.
    for (std::size_t reader = 0; operation.into >= 0 && reader < section_.size(); ++reader) {
      if (reader == n) continue;
      for (const Operand& operand : section_[reader].operands) {
        if (operand.kind == Operand::Kind::value && operand.index == operation.into) all.push_back(reader);
      }
    }
    return all;
  }

  /// Puts the operation behind all that it needs; of operands first the one that takes more operations.
  void put_in_order(std::size_t n) {
    if (done_[n]) return;
    std::vector<std::size_t> others = needs(n);
    std::ranges::stable_sort(others, std::greater(), [&](std::size_t other) { return operations_before(other); });
    for (const std::size_t other : others) put_in_order(other);
    done_[n] = true;
    order_.push_back(n);
  }

  /// Number of operations without which this one cannot be done.
  [[nodiscard]] std::size_t operations_before(std::size_t n) const {
    std::vector<bool> seen(section_.size());
    std::vector<std::size_t> left{n};
    std::size_t count = 0;
    while (!left.empty()) {
      const std::size_t one = left.back();
      left.pop_back();
      if (seen[one] || done_[one]) continue;
      seen[one] = true;
      ++count;
      for (const std::size_t other : needs(one)) left.push_back(other);
    }
    return count;
  }

  /// The value whose register a merged one has.
  [[nodiscard]] std::size_t place_of(std::size_t n) const {
    while (section_[n].into >= 0) n = static_cast<std::size_t>(section_[n].into);
    return n;
  }

  void put_on_lines() {
    line_of_.resize(section_.size());
    unsigned next = 0;
    for (const std::size_t n : order_) {
      const Operation& operation = section_[n];
      const unsigned lines = operation.op == isa::Op::FMULL ? 2 : 1;
      unsigned first = next;
      const auto wait = [&](int other, unsigned latency) {
        if (other >= 0) first = std::max(first, line_of_[static_cast<std::size_t>(other)] + latency);
      };
      for (const Operand& operand : operation.operands) {
        if (operand.kind != Operand::Kind::value) continue;
        const auto maker = static_cast<std::size_t>(operand.index);
        wait(operand.index, section_[maker].into >= 0 ? kLatency : 1);
      }
      wait(operation.predicate, kLatency);
      wait(operation.flag_into, 1);
      wait(operation.into, 1);
      line_of_[n] = first + lines - 1;
      next = line_of_[n] + 1;
    }
  }

  /// True if the operation reads the value from T: the line before its first one made it.
  [[nodiscard]] bool is_in_t(std::size_t maker, std::size_t reader) const {
    const unsigned first = line_of_[reader] - (section_[reader].op == isa::Op::FMULL ? 1 : 0);
    return section_[maker].into < 0 && line_of_[maker] + 1 == first;
  }

  void find_places() {
    std::vector<unsigned> last(section_.size(), 0);  // line of the last read, of a place's first value
    std::vector<bool> in_register(section_.size());
    std::vector<unsigned> last_flag(section_.size(), 0);
    to_t_.resize(section_.size());
    for (const std::size_t n : order_) {
      for (const Operand& operand : section_[n].operands) {
        if (operand.kind != Operand::Kind::value) continue;
        const auto maker = static_cast<std::size_t>(operand.index);
        if (is_in_t(maker, n)) {
          to_t_[maker] = true;
        } else {
          in_register[place_of(maker)] = true;
          last[place_of(maker)] = std::max(last[place_of(maker)], line_of_[n]);
        }
      }
      if (section_[n].into >= 0) {
        in_register[place_of(n)] = true;
        last[place_of(n)] = std::max(last[place_of(n)], line_of_[n]);
      }
      if (section_[n].predicate >= 0) {
        unsigned& of_flag = last_flag[flag_of(static_cast<std::size_t>(section_[n].predicate))];
        of_flag = std::max(of_flag, line_of_[n]);
      }
    }
    register_.assign(section_.size(), kNever);
    flag_number_.assign(section_.size(), kNever);
    std::array<std::vector<unsigned>, 2> free_from;  // of each register: the first line that may write it
    std::vector<unsigned> flag_free_from;
    for (const std::size_t n : order_) {
      const auto take = [&](std::vector<unsigned>& all, unsigned until) {
        auto found = std::ranges::find_if(all, [&](unsigned from) { return from <= line_of_[n]; });
        if (found == all.end()) found = all.insert(all.end(), 0);
        *found = until;
        return static_cast<unsigned>(found - all.begin());
      };
      if (place_of(n) == n && in_register[n]) {
        register_[n] = take(free_from[section_[n].width == kLong], last[n]);
      }
      if (section_[n].condition && flag_of(n) == n) flag_number_[n] = take(flag_free_from, last_flag[n]);
    }
    for (std::size_t n = 0; n < section_.size(); ++n) {
      register_[n] = register_[place_of(n)];
      if (section_[n].condition) flag_number_[n] = flag_number_[flag_of(n)];
    }
    registers_ = {static_cast<unsigned>(free_from[0].size()), static_cast<unsigned>(free_from[1].size())};
    flags_ = static_cast<unsigned>(flag_free_from.size());
  }

  [[nodiscard]] std::size_t flag_of(std::size_t n) const {
    while (section_[n].flag_into >= 0) n = static_cast<std::size_t>(section_[n].flag_into);
    return n;
  }

  static std::string name_of(bool wide, unsigned number) { return fmt::format("{}{}", wide ? "l" : "s", number + 1); }

  [[nodiscard]] std::string operands(std::size_t n, unsigned line) const {
    std::string text;
    for (const Operand& operand : section_[n].operands) text += (operand.negated ? " -" : " ") + word(operand, n, line);
    return text;
  }

  /// The second line of a product of long words finds in T what the first one found there.
  [[nodiscard]] std::string word(const Operand& operand, std::size_t reader, unsigned line) const {
    const auto index = static_cast<std::size_t>(operand.index);
    if (operand.kind == Operand::Kind::literal) return code_.literals[index].text;
    if (operand.kind == Operand::Kind::variable) return code_.variables[index].name;
    const std::string wide = section_[index].width == kLong ? "l" : "";
    if (is_in_t(index, reader)) return fmt::format("${}t{}", wide, line_of_[index] + 1 == line ? "i" : "");
    return name_of(section_[index].width == kLong, register_[index]);
  }

  [[nodiscard]] std::string destinations(std::size_t n) const {
    const Operation& operation = section_[n];
    const std::string wide = operation.width == kLong ? "l" : "";
    std::vector<std::string> all;
    if (register_[n] != kNever) all.push_back(name_of(operation.width == kLong, register_[n]));
    if (operation.variable >= 0) all.push_back(code_.variables[static_cast<std::size_t>(operation.variable)].name);
    if (to_t_[n] && operation.into < 0) all.push_back(fmt::format("${}t", wide));
    if (operation.condition) {
      all.push_back(fmt::format("${}ok{}{}", all.empty() ? wide : "", 4 - flag_number_[n],
                                isa::info_of(*operation.condition).suffix));
    }
    std::string text;
    for (const std::string& one : all) {
      text += " " + one;
      if (operation.predicate < 0) continue;
      text += fmt::format("/{}{}", operation.inverted ? "!" : "",
                          4 - flag_number_[static_cast<std::size_t>(operation.predicate)]);
    }
    return text;
  }

  const Microcode& code_;
  const Operations& section_;
  std::vector<bool> done_;
  std::vector<std::size_t> order_;
  std::vector<unsigned> line_of_;  // an operation's last line
  std::vector<bool> to_t_;
  std::vector<unsigned> register_;
  std::vector<unsigned> flag_number_;
  std::array<unsigned, 2> registers_{};  // short, long
  unsigned flags_ = 0;
};

struct Macro {
  std::string name;
  bool two = false;  // arguments
  isa::Width width = kShort;
  std::function<Operand(Builder&, const Operand& a, const Operand& b)> function;
};

std::string text_of(const Macro& macro) {
  Microcode code;
  for (const char* name : {"a", "b", "y"}) {
    Variable variable;
    variable.name = name;
    variable.width = macro.width;
    code.variables.push_back(variable);
  }
  Builder builder(code, code.body);
  const Operand a{Operand::Kind::variable, 0, -1, false};
  const Operand b{Operand::Kind::variable, 1, -1, false};
  Operand result = macro.function(builder, a, b);
  const bool itself = result.kind == Operand::Kind::value && !result.negated && builder.width(result) == macro.width &&
                      builder.of(result).into < 0;
  if (!itself) result = builder.copy(result, macro.width);
  builder.of(result).variable = 2;
  drop_needless(code.body);
  const MacroText made(code, Order::as_made);
  const MacroText demanded(code, Order::on_demand);
  const MacroText& lines = demanded.short_words() < made.short_words() ? demanded : made;
  std::string uses = fmt::format("{} short words", lines.short_words());
  if (lines.flags() == 1) uses += ", flag 4";
  if (lines.flags() > 1) uses += fmt::format(", flags {} to 4", 5 - lines.flags());
  return fmt::format("# {}\nmacro {} a {}y\n{}end\n", uses, macro.name, macro.two ? "b " : "", lines.text());
}

std::vector<Macro> macros() {
  using Function = Operand (Builder::*)(const Operand&);
  using OfTwo = Operand (Builder::*)(const Operand&, const Operand&);
  using Whole = Operand (Builder::*)(const Operand&, isa::Width, const Bounds&);
  std::vector<Macro> all;
  const auto add = [&](const std::string& name, isa::Width width, Function function) {
    all.push_back({name, false, width,
                   [=](Builder& builder, const Operand& a, const Operand&) { return (builder.*function)(a); }});
  };
  const auto add_of_two = [&](const std::string& name, isa::Width width, OfTwo function) {
    all.push_back({name, true, width,
                   [=](Builder& builder, const Operand& a, const Operand& b) { return (builder.*function)(a, b); }});
  };
  const auto add_whole = [&](const std::string& name, Whole function) {
    for (const isa::Width width : {kShort, kLong}) {
      all.push_back({name + (width == kLong ? "_long" : ""), false, width,
                     [=](Builder& builder, const Operand& a, const Operand&) {
                       return (builder.*function)(a, width, Bounds{});
                     }});
    }
  };
  add("cbrt", kShort, &Builder::cube_root);
  add("log10", kShort, &Builder::log10);
  add("log1p", kShort, &Builder::log1p);
  add("expm1", kShort, &Builder::expm1);
  add("tan", kShort, &Builder::tan);
  add("tanh", kShort, &Builder::tanh);
  add("erf", kShort, &Builder::erf);
  add_of_two("atan2", kShort, &Builder::atan2);
  add_of_two("hypot", kShort, &Builder::hypot);
  add_whole("floor", &Builder::floor);
  add_whole("ceil", &Builder::ceil);
  add_whole("trunc", &Builder::trunc);
  add_whole("round", &Builder::round);
  add("cbrt_long", kLong, &Builder::cube_root_long);
  add("exp2_long", kLong, &Builder::exp2_long);
  add("log2_long", kLong, &Builder::log2_long);
  add("log10_long", kLong, &Builder::log10_long);
  add("log1p_long", kLong, &Builder::log1p_long);
  add("expm1_long", kLong, &Builder::expm1_long);
  add("tan_long", kLong, &Builder::tan_long);
  add("tanh_long", kLong, &Builder::tanh_long);
  add("erf_long", kLong, &Builder::erf_long);
  add("erfc_long", kLong, &Builder::erfc_long);
  add_of_two("pow_long", kLong, &Builder::power_long);
  add_of_two("hypot_long", kLong, &Builder::hypot_long);
  return all;
}

std::string file_text() {
  std::string text =
      "# Functions of gdr cc as macros, which math.vsm includes. Written by tests/compiler/function_macros.cpp from "
      "the\n"
      "# functions of compiler/src/microcode: change those, then\n"
      "#\n"
      "#     build/release/tests/compiler/function_macros > kernels/macros/functions.vsm\n"
      "#\n"
      "# docs/kernels/recipes.md has errors and ranges. Above each macro: what it takes of the GPR, and its flags.\n";
  for (const Macro& macro : macros()) text += "\n" + text_of(macro);
  return text;
}

int run(int count, char** arguments) {
  const std::string text = file_text();
  if (count < 2) {
    fmt::print("{}", text);
    return 0;
  }
  if (base::read_file(arguments[1]) == text) return 0;
  fmt::print(stderr, "{} is not what function_macros writes\n", arguments[1]);
  return 1;
}

}  // namespace
}  // namespace gdr::compiler

int main(int count, char** arguments) {
  try {
    return gdr::compiler::run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "function_macros: %s\n", error.what());
    return 1;
  }
}
