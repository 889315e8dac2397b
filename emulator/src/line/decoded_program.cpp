// Checks of a program that can be made before it runs.
#include "decoded_program.h"

#include <fmt/format.h>

namespace gdr::emulator {
namespace {

using isa::Section;

class Checker {
 public:
  Checker(const isa::Program& program, Section section) : program_(program), section_(section) {}

  std::vector<DecodedStep> run() {
    std::vector<DecodedStep> steps;
    steps.reserve(program_.steps(section_).size());
    at_ = 0;
    const isa::Visitor decode{[&](const isa::ProgramLine& coded) {
                                isa::DecodeResult decoded = isa::decode(coded.word);
                                if (!decoded.line) fail(FaultKind::undefined, decoded.error);
                                steps.emplace_back(DecodedLine(*decoded.line));
                                ++at_;
                              },
                              [&](const isa::TransferStep& transfer) { steps.emplace_back(transfer); },
                              [&](const isa::CollectStep& collect) { steps.emplace_back(collect); }};
    for (const isa::Step& step : program_.steps(section_)) std::visit(decode, step);
    const std::vector<const DecodedLine*> lines = lines_of(steps);
    for (at_ = 0; at_ < lines.size(); ++at_) {
      const DecodedLine* before = at_ > 0 ? lines[at_ - 1] : nullptr;
      const DecodedLine* after = at_ + 1 < lines.size() ? lines[at_ + 1] : nullptr;
      check_addresses(lines[at_]->effects);
      refuse(isa::product_fault(before != nullptr ? &before->line : nullptr, lines[at_]->line,
                                after != nullptr ? &after->line : nullptr));
      if (before != nullptr) check_landing(*before, *lines[at_]);
    }
    return steps;
  }

  /// Checks the section's first line after a line that may run immediately before it.
  void check_entry(const DecodedLine& before, const DecodedLine& first) {
    at_ = 0;
    check_landing(before, first);
  }

 private:
  [[noreturn]] void fail(FaultKind kind, const std::string& why) const {
    throw Fault(kind, program_, section_, at_, why);
  }

  void refuse(isa::ProductFault fault) const {
    if (fault != isa::ProductFault::none) fail(FaultKind::unproven_product, std::string(isa::text_of(fault)));
  }

  void check_addresses(const isa::Effects& effects) const {
    for (const isa::Access& access : effects.reads()) check_address(access, effects.elements());
    for (const isa::Access& access : effects.writes()) check_address(access, effects.elements());
  }

  void check_address(const isa::Access& access, unsigned elements) const {
    const auto require = [&](std::string_view memory, unsigned size) {
      const unsigned end = isa::extent_of(access, elements).last;
      if (end > size) {
        fail(FaultKind::address, fmt::format("{} address {} is outside 0..{}", memory, end - 1, size - 1));
      }
    };
    switch (access.storage) {
      case isa::Storage::t:
      case isa::Storage::flag:
        return;
      case isa::Storage::gpr:
        return require("GPR", isa::kGprShortWords);
      case isa::Storage::lm:
        return require("local memory", isa::kLmShortWords);
      case isa::Storage::bm:
        return require("BM", isa::kBmShortWords);
      case isa::Storage::record:
        if (section_ != Section::loop_body) {
          fail(FaultKind::undefined, "a j-record is accessed outside the loop body, where there is none");
        }
        return require("j-record", 2u * program_.record_words);
    }
  }

  void check_landing(const DecodedLine& before, const DecodedLine& line) const {
    if (line.effects.product() == isa::ProductHalf::first) {
      refuse(isa::landing_fault(before.effects, line.effects));
    }
  }

  const isa::Program& program_;
  Section section_;
  std::size_t at_ = 0;  // index of the line among the section's lines
};

}  // namespace

std::vector<const DecodedLine*> lines_of(const std::vector<DecodedStep>& steps) {
  std::vector<const DecodedLine*> lines;
  lines.reserve(steps.size());
  for (const DecodedStep& step : steps) {
    if (const auto* line = std::get_if<DecodedLine>(&step)) lines.push_back(line);
  }
  return lines;
}

DecodedProgram decode_program(const isa::Program& program) {
  DecodedProgram decoded{program, {}};
  std::array<bool, isa::kSections> has_lines{};
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    decoded.sections[section] = Checker(program, static_cast<Section>(section)).run();
    has_lines[section] = !lines_of(decoded.sections[section]).empty();
  }
  for (std::size_t number = 0; number < isa::kSections; ++number) {
    if (!has_lines[number]) continue;
    const auto section = static_cast<Section>(number);
    const DecodedLine& first = *lines_of(decoded.steps(section)).front();
    for (const Section before : isa::sections_before(section, has_lines)) {
      Checker(program, section).check_entry(*lines_of(decoded.steps(before)).back(), first);
    }
  }
  return decoded;
}

}  // namespace gdr::emulator
