#include "rules_testing.h"

#include <fmt/format.h>

#include <bit>

#include "assembled_lines.h"
#include "gdr/selftest/random_program.h"

namespace gdr::tests {

using isa::LongWord;
using isa::Width;
using selftest::code_of;

std::vector<isa::Line> lines_of(std::string_view assembly) {
  std::string text;
  std::vector<bool> wanted;
  while (!assembly.empty()) {
    const std::size_t end = std::min(assembly.find('\n'), assembly.size());
    const std::string_view line = assembly.substr(0, end);
    assembly.remove_prefix(std::min(end + 1, assembly.size()));
    if (line.find_first_not_of(' ') == std::string_view::npos) continue;
    if (line.find("fmull") == std::string_view::npos) {
      text += kSeparatingLine;
      wanted.push_back(false);
    }
    text += fmt::format("  {}\n", line);
    wanted.push_back(true);
  }
  const assembler::AssembleResult result = assemble_lines(text);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  const std::vector<isa::ProgramLine> code = result.program->lines(isa::Section::loop_body);
  std::vector<isa::Line> lines;
  for (std::size_t n = 0; n < code.size(); ++n) {
    if (wanted.at(n)) lines.push_back(isa::decoded(code[n].word));
  }
  return lines;
}

std::vector<LongWord> integers(std::initializer_list<std::uint64_t> values) {
  std::vector<LongWord> words;
  for (const std::uint64_t value : values) words.push_back(integer(value));
  return words;
}

LongWord floating(double value) { return {std::bit_cast<std::uint64_t>(value), 0}; }

void Rules::load(const RulesProgram& program) {
  isa::Program whole;
  whole.kernel = "rules";
  whole.record_words = static_cast<std::uint16_t>(program.record_words);
  whole.sections = {code_of(program.initialization), code_of(program.loop_initialization), code_of(program.body),
                    code_of(program.termination)};
  record_words_ = program.record_words;
  chip_ = GetParam().make();
  chip_->load(whole);
}

void Rules::run(std::uint64_t records, const std::vector<LongWord>& words, unsigned live_pes) {
  chip_->run_loop({0, emulator::kBlocks}, {{words, record_words_, records}, live_pes});
}

void Rules::set_gpr(unsigned address, const std::vector<LongWord>& words, unsigned pe) {
  const auto count = static_cast<std::uint16_t>(words.size());
  chip_->write_pe(kBlock, pe, {isa::Memory::gpr, static_cast<std::uint16_t>(address), Width::long_word, count}, words);
}

void Rules::set_lm(unsigned address, const std::vector<LongWord>& words, unsigned pe) {
  const auto count = static_cast<std::uint16_t>(words.size());
  chip_->write_pe(kBlock, pe, {isa::Memory::lm, static_cast<std::uint16_t>(address), Width::long_word, count}, words);
}

std::vector<LongWord> Rules::gpr(unsigned address, unsigned count, unsigned pe) const {
  return chip_->read_pe(
      kBlock, pe,
      {isa::Memory::gpr, static_cast<std::uint16_t>(address), Width::long_word, static_cast<std::uint16_t>(count)});
}

std::vector<LongWord> Rules::lm(unsigned address, unsigned count, unsigned pe) const {
  return chip_->read_pe(
      kBlock, pe,
      {isa::Memory::lm, static_cast<std::uint16_t>(address), Width::long_word, static_cast<std::uint16_t>(count)});
}

std::vector<LongWord> Rules::t() const {
  const auto words = chip_->registers(kBlock, 0).t;
  return {words.begin(), words.end()};
}

std::string Rules::flag(unsigned number, unsigned pe) const {
  std::string set;
  for (const std::uint8_t flags : chip_->registers(kBlock, pe).flags) {
    set += ((flags >> (number - 1)) & 1) != 0 ? '1' : '0';
  }
  return set;
}

}  // namespace gdr::tests
