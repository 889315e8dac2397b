#include "warn.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gdr::assembler {
namespace {

using isa::Section;
using isa::Storage;
using isa::Unit;

bool computes_numbers(const CodeLine& line, const CodeAccess& access) {
  if (access.unit == Unit::none || access.unit == Unit::bm) return false;
  return isa::info_of(isa::slot_of(line.line, access.unit).op).kind == isa::NumberKind::floating_point;
}

/// i-data as the destination of a line, once for each variable: a kernel that keeps its state there writes it often.
/// Transforming it in place once per run is no mistake, and behind the loop nothing reads it again.
void warn_of_overwritten_inputs(const Flow& flow, Reporter& reporter) {
  const auto input_of = [](const CodeAccess& access) -> const Symbol* {
    const Symbol* symbol = access.symbol;  // by another name warning E0188 tells of it
    const bool input =
        symbol != nullptr && symbol->kind == SymbolKind::variable && symbol->transfer == isa::Transfer::hlt;
    return input ? symbol : nullptr;
  };
  std::set<const Symbol*> told;
  for (const FlowLine& at : flow.lines()) {
    if (at.section == Section::loop_termination) continue;
    for (const CodeAccess& access : at.line->accesses) {
      const Symbol* input = access.write ? input_of(access) : nullptr;
      if (input == nullptr || told.contains(input)) continue;
      const bool in_place =
          at.section != Section::loop_body &&
          std::any_of(at.line->accesses.begin(), at.line->accesses.end(), [&](const CodeAccess& other) {
            return !other.write && other.unit == access.unit && input_of(other) == input;
          });
      if (in_place) continue;
      told.insert(input);
      if (reporter.warning(
              Code::overwritten_input, access.where,
              fmt::format(
                  "'{}' is i-data, and this line writes over it{}; operands are sources first, destinations last",
                  access.text,
                  at.section == Section::loop_body ? ": the next iteration reads what is left here" : ""))) {
        reporter.note(input->where, fmt::format("the host sends '{}' once per run", input->name));
      }
    }
  }
}

/// A `vlen` below 4, alone on its line, that reaches lines which write results, or the section's end.
void warn_of_short_vectors(const Flow& flow, const LeftShort& left_short, Reporter& reporter) {
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    if (!left_short[section]) continue;
    reporter.warning(Code::short_vector, *left_short[section],
                     fmt::format("this 'vlen' holds to the end of '{}'; write 'vlen {}' where its lines end, or put it "
                                 "before the one line that it is for: 'vlen N ; ...'",
                                 isa::name_of(static_cast<Section>(section)), isa::kVectorElements));
  }
  for (const FlowLine& at : flow.lines()) {
    if (!at.line->vlen_from) continue;
    for (const CodeAccess& access : at.line->accesses) {
      const bool result = access.write && access.symbol != nullptr && access.symbol->kind == SymbolKind::variable &&
                          access.symbol->transfer == isa::Transfer::rrn && access.symbol->memory != isa::Memory::bm;
      if (!result || access.step == 0) continue;
      if (reporter.warning(
              Code::short_vector, access.where,
              fmt::format("only elements 0 to {} of result '{}' are written, because 'vlen {}' still "
                          "holds; write 'vlen {}' before",
                          at.line->line.vlen - 1, access.text, at.line->line.vlen, isa::kVectorElements))) {
        reporter.note(*at.line->vlen_from, "it was set here");
        reporter.fix_before(fmt::format("write 'vlen {}' before", isa::kVectorElements), at.line->where,
                            fmt::format("vlen {}", isa::kVectorElements));
      }
    }
  }
}

std::string_view width_of(const CodeAccess& access) { return name_of(access.width); }

/// A number written in one width and read in the other. T has an error for it.
void warn_of_widths(const Flow& flow, Reporter& reporter) {
  for (const FlowLine& at : flow.lines()) {
    for (const CodeAccess& read : at.line->accesses) {
      const bool in_registers = read.storage == Storage::gpr || read.storage == Storage::lm;
      if (read.write || read.indirect || !in_registers || !computes_numbers(*at.line, read)) continue;
      for (const Definition definition : flow.reaching(read)) {
        if (definition <= kFromHost) continue;
        const Flow::Write& write = flow.write(definition);
        const CodeLine& line = *flow.lines()[write.line].line;
        if (write.access->indirect || write.access->width == read.width || !computes_numbers(line, *write.access)) {
          continue;
        }
        if (reporter.warning(
                Code::width_mismatch, read.where,
                fmt::format("'{}' reads as a {} word what was written as a {} one; read '{}', or write "
                            "the {} word",
                            read.text, width_of(read), width_of(*write.access), write.access->text, width_of(read)))) {
          reporter.note(write.access->where, fmt::format("'{}' is written here", write.access->text));
          const std::string& written = write.access->text;
          if (written.find('/') == std::string::npos) {
            reporter.fix(fmt::format("read '{}'", written), read.where, read.text, written);
          }
        }
        break;
      }
    }
  }
}

}  // namespace

void warn(const SectionCode& code, const LeftShort& left_short, const Declared& declared, Reporter& reporter) {
  const Flow flow(code, declared);
  // In a kernel of experiments all is under the form's flag, so every write seems to leave something of the one before;
  // the proof follows what its lines read.
  const bool follows = !declared.experiment;
  if (follows) warn_of_masked_definitions(flow, declared, reporter);
  if (follows) warn_of_overwritten_inputs(flow, reporter);
  warn_of_short_vectors(flow, left_short, reporter);
  if (follows) warn_of_short_reads(flow, reporter);
  warn_of_shared_registers(flow, reporter);
  if (follows) warn_of_one_block(flow, code, declared, reporter);
  if (follows) warn_of_types(flow, declared, reporter);
  if (follows) warn_of_widths(flow, reporter);
  warn_of_constants(flow, declared, reporter);
  warn_of_unused(flow, code, declared, reporter);
}

}  // namespace gdr::assembler
