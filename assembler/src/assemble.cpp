// The order of the steps: expand, declare, encode, prove, schedule if requested, and make the program.
#include "gdr/assembler/assembler.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "encode/code.h"
#include "encode/symbols.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "output/origins.h"
#include "proof/prove.h"
#include "schedule/schedule.h"
#include "source/expand.h"
#include "source/source_limits.h"
#include "warn/warn.h"

namespace gdr::assembler {
namespace {

/// `as_written`: no operation has moved since the source was written.
void put_together(isa::Program& program, const SectionCode& code, bool as_written, Origins& origins) {
  const auto position_of = [&](const Place& place) { return origins.position_of(place); };
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    std::vector<isa::Step>& steps = program.sections[section];
    std::uint32_t number = 0;  // of the line
    const isa::Visitor append{
        [&](const CodeLine& line) {
          steps.emplace_back(isa::ProgramLine{isa::encode(line.line), position_of(line.where)});
          const auto add_moved = [&](const isa::SourcePosition& position, isa::UnitBits units) {
            program.moved.push_back({static_cast<isa::Section>(section), number, position, units});
          };
          const auto add_further = [&](const Place& place) {
            for (const auto& [position, units] : origins.further_positions_of(place)) add_moved(position, units);
          };
          add_further(line.where);
          for (const Place& place : line.moved_here) {
            add_moved(position_of(place), 0);
            add_further(place);
          }
          if (as_written) {
            for (const WrittenValue& value : origins.values_of(line.where))
              program.values.push_back({static_cast<isa::Section>(section), number, value.unit, value.name,
                                        value.integer, value.bits, value.is_unsigned});
          }
          ++number;
        },
        [&](const CodeTransfer& transfer) { steps.emplace_back(isa::TransferStep{position_of(transfer.where)}); },
        [&](const CodeCollect& collect) {
          isa::CollectStep step = collect.step;
          step.position = position_of(collect.where);
          steps.emplace_back(step);
        }};
    for (const CodeStep& step : code[section]) std::visit(append, step);
  }
}

}  // namespace

AssembleResult assemble(std::string_view text, std::string_view name, const AssembleOptions& options) {
  AssembleResult result;
  result.files.push_back({std::string(name), std::string(text)});
  Reporter reporter(options.warnings);
  const Expansion expansion = expand(result.files, options, reporter);
  Declared declared = declare(expansion, options, reporter);
  auto [code, left_short] = encode_steps(expansion, declared, options, reporter);
  prove(lines_of(code), declared, reporter);
  prove_moves(code, declared, reporter);
  prove_experiment(code, declared, reporter);
  if (!reporter.has_errors()) warn(code, left_short, declared, reporter);
  if (!reporter.has_errors()) {
    isa::Program& program = declared.program;
    add_written_files(options.made_from, result.files);
    for (const SourceFile& file : result.files) program.files.push_back(file.name);
    Origins origins(reporter, program, options.made_from);
    program.expanded = expanded_texts(code, declared.symbols, result.files, origins);
    const bool as_written = options.schedule.level == ScheduleLevel::none;
    if (!as_written) code = schedule(std::move(code), declared, options.schedule);
    put_together(program, code, as_written, origins);
    result.program = std::move(program);
  }
  result.diagnostics = reporter.take(result.files);
  return result;
}

namespace {

Error too_large(const std::filesystem::path& path) {
  return Error(fmt::format("{}: a source has no more than {} bytes", path.string(), kMostSourceBytes));
}

/// Reads a file. A device or a pipe may have no end, so at most the size limit of a source is read from it.
std::string read_source(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (!std::filesystem::is_character_file(status) && !std::filesystem::is_fifo(status)) {
    if (const auto bytes = std::filesystem::file_size(path, none); !none && bytes > kMostSourceBytes) {
      throw too_large(path);
    }
    return base::read_file(path);
  }
  std::string text(kMostSourceBytes + 1, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMostSourceBytes) throw too_large(path);
  return text;
}

}  // namespace

AssembleResult assemble_file(const std::filesystem::path& path, const AssembleOptions& options) {
  return assemble(read_source(path), path.string(), options);
}

}  // namespace gdr::assembler
