#include "gravity_workload.h"

#include <cmath>

#include "gdr/assembler/assembler.h"
#include "gdr/emulator/conversion.h"

namespace gdr::bench {
namespace {

using emulator::PeWords;
using isa::LongWord;
using isa::Variable;
using isa::Width;

isa::Program assembled() {
  const std::string path = GDR_KERNELS_DIR "/gravity_jerk.vsm";
  assembler::AssembleResult result = assembler::assemble_file(path);
  if (!result.program) throw Error("GravityWorkload: " + path + " does not assemble");
  return *std::move(result.program);
}

double with_few_bits(double position, Positions positions) {
  switch (positions) {
    case Positions::random:
      break;
    case Positions::lattice:
      return std::round(16 * position) / 16;
    case Positions::single_precision:
      return static_cast<float>(position);
  }
  return position;
}

}  // namespace

LongWord GravityWorkload::word_of(const Variable& variable, double value) const {
  if (variable.name == "xi" || variable.name == "xj") value = with_few_bits(value, positions_);
  switch (variable.conversion.value_or(isa::Conversion::FLT64TO72)) {
    case isa::Conversion::FLT64TO36:
      return isa::widen(emulator::flt64to36(value).value);
    case isa::Conversion::FIX64TO36:
      return isa::widen(emulator::fix64to36(static_cast<std::int64_t>(value)).value);
    case isa::Conversion::FIX64TO72:
      return emulator::fix64to72(static_cast<std::int64_t>(value)).value;
    case isa::Conversion::FLT64TO72:
      return emulator::flt64to72(value).value;
    case isa::Conversion::FLT72TO64:
    case isa::Conversion::FLT36TO64:
    case isa::Conversion::FIX72TO64:
    case isa::Conversion::FIX36TO64:
    case isa::Conversion::NONE:
      break;
  }
  throw Error("GravityWorkload: " + variable.name + " has a conversion that the kernel's variables do not have");
}

double typical_value(const Variable& variable, std::mt19937_64& random, unsigned index) {
  const double uniform = std::uniform_real_distribution<>(-1, 1)(random);
  if (variable.name.starts_with("index")) return index;
  if (variable.name == "mj") return 1.0 / 1024;
  if (variable.name == "eps2") return 1.0 / 4096;
  if (variable.name == "tj") return -0.01 * (1.5 + uniform);
  if (variable.name.starts_with("reserved")) return 0;
  return uniform;
}

GravityWorkload::GravityWorkload(unsigned iterations, Positions positions)
    : program(assembled()), positions_(positions) {
  std::mt19937_64 random(1);
  const unsigned count = iterations * emulator::kBlocks;
  records.resize(std::size_t{count} * program.record_words);
  for (unsigned record = 0; record < count; ++record) {
    for (const Variable* variable : program.variables_by(isa::Transfer::elt)) {
      LongWord* to = &records[std::size_t{record} * program.record_words + variable->address / 2];
      for (unsigned n = 0; n < variable->elements; ++n)
        to[n] = word_of(*variable, typical_value(*variable, random, record));
    }
  }
}

emulator::RecordStream GravityWorkload::stream() const {
  return {records, program.record_words, records.size() / program.record_words};
}

void GravityWorkload::prepare(const WritePe& write_pe, const WriteBm& write_bm) const {
  std::mt19937_64 random(2);
  for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
    for (const Variable* variable : program.variables_by(isa::Transfer::hlt)) {
      const unsigned words = variable->elements * (variable->vector ? isa::kVectorElements : 1);
      std::vector<LongWord> values;
      for (unsigned n = 0; n < words; ++n) {
        values.push_back(
            word_of(*variable, typical_value(*variable, random, 1'000'000 + pe * isa::kVectorElements + n)));
      }
      write_pe(pe, {variable->memory, variable->address, variable->width, static_cast<std::uint16_t>(words)}, values);
    }
  }
  for (const isa::Parameter& parameter : program.parameters) {
    const LongWord value = emulator::flt64to72(parameter.default_value).value;
    write_bm(parameter.address / 2, {&value, 1});
  }
}

void GravityWorkload::load(emulator::Chip& chip) const {
  chip.load(program);
  for (unsigned block = 0; block < emulator::kBlocks; ++block) {
    prepare([&](unsigned pe, const auto& where, auto words) { chip.write_pe(block, pe, where, words); },
            [&](unsigned address, auto words) { chip.write_bm(block, address, words); });
  }
}

std::vector<PeWords> GravityWorkload::results() const {
  std::vector<PeWords> places;
  for (const Variable* variable : program.variables_by(isa::Transfer::rrn)) {
    const unsigned words = variable->elements * (variable->vector ? isa::kVectorElements : 1);
    places.push_back({variable->memory, variable->address, variable->width, static_cast<std::uint16_t>(words)});
  }
  return places;
}

}  // namespace gdr::bench
