// Rules for every program: after validate(), its variables, steps and instruction words are within the machine's
// limits. Rules between successive lines are checked by the code that runs them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "gdr/base/error.h"
#include "gdr/isa/experiment.h"
#include "gdr/isa/program.h"

namespace gdr::isa {
namespace {

/// Two j-records, the one in use and the one that arrives, must fit before the words that transfers use.
constexpr unsigned kProgramBmShortWords = kBmShortWords - 2 * kTransferWindowWords;
constexpr unsigned kMostRecordWords = kProgramBmShortWords / 2 / 2;

template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> text, const Values&... values) {
  throw Error(fmt::vformat(text, fmt::make_format_args(values...)));
}

/// Short words from the variable's address to its end.
unsigned extent_of(const Variable& variable) {
  const bool whole_long_words = variable.memory == Memory::bm && !variable.packed;
  const unsigned step = whole_long_words || variable.width == Width::long_word ? 2 : 1;
  return step * (variable.vector ? kVectorElements : 1) * variable.elements;
}

void check_position(const Program& program, const SourcePosition& position, std::string_view whose) {
  if (position.file >= program.files.size()) {
    refuse("{} stands in file {}, but there are {} files, counted from 0", whose, position.file, program.files.size());
  }
  if (position.origin > program.origins.size()) {
    refuse("{} comes from origin {}, but there are {} origins, counted from 1", whose, position.origin,
           program.origins.size());
  }
  if (position.function > program.functions.size()) {
    refuse("{} stands in function {}, but there are {} functions, counted from 1", whose, position.function,
           program.functions.size());
  }
}

/// Following a position through its origins, or its calls, must end, so each may only refer to earlier ones.
void check_origins(const Program& program) {
  for (std::size_t index = 0; index < program.origins.size(); ++index) {
    const SourcePosition& position = program.origins[index].position;
    check_position(program, position, "an origin");
    if (position.origin > index)
      refuse("origin {} comes from origin {}, which is not before it", index + 1, position.origin);
  }
  for (std::size_t index = 0; index < program.functions.size(); ++index) {
    const std::optional<SourcePosition>& call = program.functions[index].call;
    if (!call) continue;
    check_position(program, *call, "a call");
    if (call->function > index)
      refuse("function {} is called in function {}, which is not before it", index + 1, call->function);
  }
  for (const ExpandedText& expanded : program.expanded) check_position(program, expanded.position, "an expanded text");
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto word_character = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, word_character);
}

/// `q`, or `q.x` for a member.
bool is_member_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  return is_identifier(name.substr(0, dot)) && (dot == std::string_view::npos || is_member_name(name.substr(dot + 1)));
}

/// Names must be valid and unique, since sources, listings and generated functions contain them.
void check_names(const Program& program) {
  const auto check_identifier = [](std::string_view whose, std::string_view name) {
    if (!is_identifier(name)) {
      refuse("the {} name {:?} is refused: it must be a letter or '_', then letters, digits and '_'", whose, name);
    }
  };
  if (!program.kernel.empty()) check_identifier("kernel's", program.kernel);
  std::set<std::string_view> names;
  const auto check_declared = [&](std::string_view whose, std::string_view name) {
    check_identifier(whose, name);
    if (!names.insert(name).second) refuse("the name '{}' is declared twice", name);
  };
  for (const Variable& variable : program.variables) check_declared("variable's", variable.name);
  for (const Parameter& parameter : program.parameters) check_declared("parameter's", parameter.name);
  for (const Alias& alias : program.aliases) check_declared("alias's", alias.name);
}

void check_conversion(std::string_view whose, Conversion conversion, bool to_host, Width width) {
  const ConversionInfo& info = info_of(conversion);
  if (conversion == Conversion::NONE || (info.to_host == to_host && info.width == width)) return;
  refuse("{}: conversion '{}' does not convert a {} word {} the host", whose, info.name, name_of(width),
         to_host ? "to" : "from");
}

void check_shape(const Variable& variable) {
  std::uint64_t product = 1;
  for (const std::uint16_t dimension : variable.dimensions) {
    product = std::min<std::uint64_t>(product * dimension, kBmShortWords + 1);
  }
  if (variable.elements < 1 || variable.elements != product) {
    refuse("variable '{}' has {} elements; it must have the product of its dimensions, at least 1 and at most {}",
           variable.name, variable.elements, kBmShortWords);
  }
  if (variable.packed && (variable.memory != Memory::bm || variable.width != Width::short_word)) {
    refuse("variable '{}' is packed, which only short variables in broadcast memory are", variable.name);
  }
}

void check_integer(std::string_view whose, const HostInteger& integer, bool takes) {
  if (!integer.is_any() && !takes)
    refuse("{} is no whole number from the host, which '{}' is for", whose, name_of(integer));
}

void check_transfer(const Variable& variable) {
  const std::string whose = fmt::format("variable '{}'", variable.name);
  const bool to_host = variable.transfer == Transfer::rrn;
  const bool is_number = variable.conversion && variable.conversion != Conversion::NONE;
  if (!to_host) check_integer(whose, variable.integer, variable.transfer != Transfer::none && is_number);
  const bool takes_bits = variable.conversion == Conversion::FIX72TO64 && variable.memory != Memory::bm;
  if (to_host && !variable.integer.is_any() && (variable.integer.is_signed || !takes_bits)) {
    refuse("{}: '{}' says which lower bits of an integer in the PE the host gets", whose, name_of(variable.integer));
  }
  if (variable.reduction && !to_host) refuse("{}: only results (rrn) have a reduction", whose);
  if (variable.block >= kBlocks) {
    refuse("{} is read from block {}; allowed are 0..{}", whose, variable.block, kBlocks - 1);
  }
  if (variable.block != 0 && (!to_host || variable.reduction)) {
    refuse("{}: only results (rrn) without a reduction are read from one block", whose);
  }
  if (variable.transfer == Transfer::none) return;
  const bool in_record = variable.transfer == Transfer::elt;
  const bool result_in_bm = to_host && variable.memory == Memory::bm;  // of a kernel of Type II
  if (result_in_bm && (variable.width != Width::long_word || variable.packed)) {
    refuse("{}: a result in broadcast memory is a long vector", whose);
  }
  if (in_record != (variable.memory == Memory::bm) && !result_in_bm) {
    refuse("{}: {} data lives in {}", whose, isa::name_of(variable.transfer),
           in_record ? "broadcast memory" : "the PE");
  }
  if (in_record == variable.vector) {
    refuse("{}: {} data is {}", whose, isa::name_of(variable.transfer), in_record ? "scalar" : "a vector");
  }
  if (!variable.conversion) refuse("{} is transferred ({}) without conversion", whose, isa::name_of(variable.transfer));
  check_conversion(whose, *variable.conversion, to_host, variable.width);
  if (variable.reduction && !can_reduce(*variable.reduction, *variable.conversion)) {
    refuse("{}: '{}' is no reduction for conversion '{}'", whose, info_of(*variable.reduction).mnemonic,
           info_of(*variable.conversion).name);
  }
}

void check_place(const Program& program, const Variable& variable) {
  struct Area {
    std::string_view name;
    unsigned end;
  };
  const auto area = [&]() -> Area {
    if (variable.transfer == Transfer::elt) return {"the j-record", 2U * program.record_words};
    switch (variable.memory) {
      case Memory::gpr:
        return {"the GPR", kGprShortWords};
      case Memory::lm:
        return {"local memory", kLmShortWords};
      case Memory::bm:
        break;
    }
    return {"the programs' part of broadcast memory", kProgramBmShortWords};
  }();
  const unsigned end = variable.address + extent_of(variable);
  if (end > area.end) {
    refuse("variable '{}' takes short words {} to {} of {}, which has {}", variable.name, variable.address, end - 1,
           area.name, area.end);
  }
  const bool at_any_address = variable.width == Width::short_word && (variable.memory != Memory::bm || variable.packed);
  if (!at_any_address && variable.address % 2 != 0) {
    refuse("variable '{}' has the odd address {}; long words have even ones", variable.name, variable.address);
  }
}

void check_record(const Program& program) {
  unsigned end = 0;
  for (const Variable& variable : program.variables) {
    if (variable.transfer == Transfer::elt) end = std::max(end, variable.address + extent_of(variable));
  }
  if (program.record_words > kMostRecordWords || program.record_words != (end + 1) / 2) {
    refuse("a j-record has {} long words; its variables take {}, and {} is the most", program.record_words,
           (end + 1) / 2, kMostRecordWords);
  }
}

void check(const Program& program, const Parameter& parameter) {
  const std::string whose = fmt::format("parameter '{}'", parameter.name);
  check_position(program, parameter.position, whose);
  // A short parameter is in the upper half of a long word.
  if (parameter.address % 2 != 0 || parameter.address + 2U > kProgramBmShortWords) {
    refuse("{} has address {}; allowed are even ones in 0..{}", whose, parameter.address, kProgramBmShortWords - 2);
  }
  check_conversion(whose, parameter.conversion, false, parameter.width);
  check_integer(whose, parameter.integer,
                parameter.conversion != Conversion::NONE && !info_of(parameter.conversion).floating);
  if (!std::isfinite(parameter.default_value))
    refuse("{} has the default {}, which is not finite", whose, parameter.default_value);
}

void check(const Program& program, const Alias& alias) {
  const std::string whose = fmt::format("alias '{}'", alias.name);
  check_position(program, alias.position, whose);
  if (alias.record && alias.memory != Memory::bm) refuse("{}: a j-record lies in broadcast memory", whose);
  if (!alias.memory) {
    if (alias.address != 0) refuse("{} has address {} of T, which has none", whose, alias.address);
    return;
  }
  const unsigned step = alias.width == Width::long_word ? 2 : 1;
  const unsigned end = alias.address + step * (alias.vector ? kVectorElements : 1);
  const unsigned size = *alias.memory == Memory::gpr  ? unsigned{kGprShortWords}
                        : *alias.memory == Memory::lm ? unsigned{kLmShortWords}
                        : alias.record                ? 2U * program.record_words
                                                      : unsigned{kBmShortWords};
  if (end > size || alias.address % step != 0) {
    refuse("{} takes short words {} to {}; its memory has {}, and a long word has an even address", whose,
           alias.address, end - 1, size);
  }
}

/// What belongs to lines stands in the order of sections and lines, and inside of them.
template <typename OfLine>
void check_order(const Program& program, const std::vector<OfLine>& all, std::string_view what) {
  std::array<std::size_t, kSections> lines{};
  for (std::size_t n = 0; n < kSections; ++n) lines[n] = program.lines(static_cast<Section>(n)).size();
  std::pair<Section, std::uint32_t> before{};
  for (const OfLine& one : all) {
    if (const std::size_t most = lines[static_cast<std::size_t>(one.section)]; one.line >= most) {
      refuse("{} line {} of '{}', which has {}", what, one.line, isa::name_of(one.section), most);
    }
    const std::pair place(one.section, one.line);
    if (place < before) refuse("{} line {} of '{}' stands out of order", what, one.line, isa::name_of(one.section));
    before = place;
  }
}

void check_moved(const Program& program) {
  for (const MovedOperation& operation : program.moved) {
    check_position(program, operation.position, "a moved operation");
  }
  check_order(program, program.moved, "an operation moved to");
}

void check_values(const Program& program) {
  for (const ComputedValue& value : program.values) {
    if (!is_member_name(value.name))
      refuse(
          "the name {:?} of a computed value is refused: it must be a letter or '_', then letters, digits and '_', "
          "and may have members of such names behind '.'",
          value.name);
    if (value.bits > kLongBits) refuse("the value '{}' has {} bits, not 0 to {}", value.name, value.bits, kLongBits);
    if (static_cast<unsigned>(value.unit) > kUnits)
      refuse("the value '{}' comes from unit {}, not from 0 to {}", value.name, static_cast<unsigned>(value.unit),
             kUnits);
  }
  check_order(program, program.values, "a value computed in");
}

/// Checks the steps one by one: words must decode, and a transfer or collect must be in a section that allows it.
class StepChecker {
 public:
  explicit StepChecker(const Program& program) : program_(program) {}

  void run() {
    for (std::size_t section = 0; section < kSections; ++section) {
      section_ = static_cast<Section>(section);
      const std::vector<Step>& steps = program_.steps(section_);
      for (std::size_t at = 0; at < steps.size(); ++at) {
        whose_ = fmt::format("step {} of '{}'", at, isa::name_of(section_));
        check_position(program_, position_of(steps[at]), whose_);
        std::visit([&](const auto& step) { check(step); }, steps[at]);
      }
    }
    check_kind();
  }

 private:
  void check(const ProgramLine& line) const {
    if (const DecodeResult result = decode(line.word); !result.line) {
      refuse("{} is undefined: {}", whose_, result.error);
    }
  }

  void check(const TransferStep&) {
    require_section(TransferStep::kName, Section::loop_initialization);
    fills_ = fills_ || section_ == Section::loop_body;
  }

  void check(const CollectStep& collect) const {
    require_section(CollectStep::kName, Section::loop_termination);
    if (collect.variable >= program_.variables.size()) {
      refuse("{} collects variable {}; there are {}", whose_, collect.variable, program_.variables.size());
    }
    const Variable& variable = program_.variables[collect.variable];
    if (variable.transfer != Transfer::rrn || variable.memory != Memory::bm || collect.entries < 1 ||
        collect.first + collect.entries > variable.elements) {
      refuse("{} collects entries {} to {} of '{}', which are no words of a result in broadcast memory", whose_,
             collect.first, collect.first + collect.entries - 1, variable.name);
    }
    check_blocks(collect, variable);
  }

  /// A collect keeps blocks apart only of a result without reduction, and then all collects of the result do.
  void check_blocks(const CollectStep& collect, const Variable& variable) const {
    const BlockChoice& blocks = collect.blocks;
    if (blocks.block >= kBlocks) refuse("{} collects block {}; allowed are 0..{}", whose_, blocks.block, kBlocks - 1);
    if (blocks.kind != BlockChoice::Kind::one && blocks.block != 0) {
      refuse("{} names block {}, but does not collect one block", whose_, blocks.block);
    }
    if (!blocks.is_separate()) return;
    if (variable.reduction || variable.block != 0) {
      refuse("{} names blocks of '{}', which has a reduction or a block of its own", whose_, variable.name);
    }
    const auto combines_it = [&](const Step& step) {
      const auto* const other = std::get_if<CollectStep>(&step);
      return other != nullptr && other->variable == collect.variable && !other->blocks.is_separate();
    };
    for (const std::vector<Step>& steps : program_.sections) {
      if (std::ranges::any_of(steps, combines_it)) {
        refuse("{} names blocks of '{}', but another collect of it does not", whose_, variable.name);
      }
    }
  }

  /// Both are allowed in the loop body, a transfer also in the section before it, a collect also in the one after it.
  void require_section(std::string_view kind, Section other) const {
    if (section_ == Section::loop_body || section_ == other) return;
    refuse("{} is a {}, which stands in '{}' or '{}'", whose_, kind, isa::name_of(other),
           isa::name_of(Section::loop_body));
  }

  /// A kernel is of Type I or II as a whole.
  void check_kind() const {
    const bool type2 = program_.is_type2();
    for (const Variable& variable : program_.variables) {
      if (variable.transfer == Transfer::rrn && (variable.memory == Memory::bm) != type2) {
        refuse("variable '{}': results live in {}", variable.name,
               type2 ? "broadcast memory where a kernel collects them itself" : "the PE");
      }
    }
    if (type2 && program_.record_words != 0 && !fills_) {
      refuse("the kernel moves its data itself, but its loop body has no {}", TransferStep::kName);
    }
  }

  const Program& program_;
  Section section_ = Section::initialization;
  std::string whose_;   // the current step, for messages
  bool fills_ = false;  // the loop body has a transfer
};

}  // namespace

bool can_reduce(Op reduction, Conversion conversion) {
  const OperationInfo& info = info_of(reduction);
  if (!info.reduces) return false;
  if (conversion == Conversion::NONE) return info.kind == NumberKind::bits;
  return (info.kind == NumberKind::floating_point) == info_of(conversion).floating;
}

void validate(const Program& program) {
  if (!std::isfinite(program.flops) || program.flops < 0) {
    refuse("flops is {}; it must be finite and at least 0", program.flops);
  }
  check_names(program);
  check_origins(program);
  for (const Variable& variable : program.variables) {
    check_position(program, variable.position, fmt::format("variable '{}'", variable.name));
    check_shape(variable);
    check_transfer(variable);
    check_place(program, variable);
  }
  check_record(program);
  for (const Parameter& parameter : program.parameters) check(program, parameter);
  for (const Alias& alias : program.aliases) check(program, alias);
  check_moved(program);
  check_values(program);
  StepChecker(program).run();
  if (is_experiment(program)) validate_experiment(program);
}

}  // namespace gdr::isa
