// The way of data through the control processor's units.
#include "gdr/emulator/control_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "gdr/isa/effects.h"

namespace gdr::emulator {
namespace {

using isa::Conversion;
using isa::Program;
using isa::Section;
using isa::Transfer;
using isa::Variable;

/// Where entry `entry` of a PE's variable stands; a vector entry is one word per element.
PeWords entry_words(const Variable& variable, unsigned entry) {
  const unsigned words = variable.vector ? isa::kVectorElements : 1;
  const unsigned stride = variable.width == Width::long_word ? 2 : 1;
  return {variable.memory, static_cast<std::uint16_t>(variable.address + entry * words * stride), variable.width,
          static_cast<std::uint16_t>(words)};
}

double as_double(std::uint64_t field) { return std::bit_cast<double>(field); }
std::int64_t as_integer(std::uint64_t field) { return std::bit_cast<std::int64_t>(field); }

template <class Result>
auto counted(const Result& result, ConversionEvents& events) {
  events += result.event;
  return result.value;
}

std::string field_name(const Variable& variable, unsigned entry) {
  return variable.elements == 1 ? variable.name : fmt::format("{}[{}]", variable.name, entry);
}

/// A normal number as a long word, which is all that streams of matrices hold; the rest is the HET's.
std::optional<LongWord> quick_double(std::uint64_t field, Conversion conversion) {
  const std::uint64_t exponent = (field >> 52) & 2047;
  if (conversion != Conversion::FLT64TO72 || exponent == 0 || exponent == 2047) return std::nullopt;
  return LongWord{field, 0};
}

}  // namespace

std::vector<const Variable*> result_fields(const Program& program) {
  std::vector<const Variable*> by_field;
  for (const Variable* variable : program.variables_by(Transfer::rrn)) {
    by_field.insert(by_field.end(), variable->elements, variable);
  }
  return by_field;
}

LongWord Het::convert(std::uint64_t field, Conversion conversion, Width width, HostElement where) {
  switch (conversion) {
    case Conversion::FLT64TO72:
      return counted(flt64to72(as_double(field), where), events);
    case Conversion::FLT64TO36:
      return isa::widen(counted(flt64to36(as_double(field), where), events));
    case Conversion::FIX64TO72:
      return counted(fix64to72(as_integer(field), where), events);
    case Conversion::FIX64TO36:
      return isa::widen(counted(fix64to36(as_integer(field), where), events));
    case Conversion::NONE:
      return width == Width::long_word ? counted(raw64to72(field, where), events)
                                       : isa::widen(counted(raw64to36(field, where), events));
    default:
      break;
  }
  throw Error(fmt::format("{}: conversion {} does not lead from the host to the machine", where.array,
                          isa::info_of(conversion).name));
}

std::uint64_t Oht::convert(LongWord word, Conversion conversion, Width width) {
  switch (conversion) {
    case Conversion::FLT72TO64:
      return std::bit_cast<std::uint64_t>(counted(flt72to64(word), events));
    case Conversion::FLT36TO64:
      return std::bit_cast<std::uint64_t>(counted(flt36to64(word.upper()), events));
    case Conversion::FIX72TO64:
      return std::bit_cast<std::uint64_t>(counted(fix72to64(word), events));
    case Conversion::FIX36TO64:
      return std::bit_cast<std::uint64_t>(counted(fix36to64(word.upper()), events));
    case Conversion::NONE:
      return width == Width::long_word ? counted(raw72to64(word), events) : counted(raw36to64(word.upper()), events);
    default:
      break;
  }
  throw Error(fmt::format("conversion {} does not lead from the machine to the host", isa::info_of(conversion).name));
}

void Emi::require(std::uint64_t address, std::uint64_t count) {
  if (address + count > capacity_) {
    throw Error(fmt::format("external memory holds {} long words per chip; words {}..{} are {} too many", capacity_,
                            address, address + count - 1, address + count - capacity_));
  }
  if (address + count > memory_.size()) memory_.resize(address + count);
}

void Emi::write(std::uint64_t address, std::span<const LongWord> words) {
  require(address, words.size());
  std::copy(words.begin(), words.end(), memory_.begin() + static_cast<std::ptrdiff_t>(address));
  words_written += words.size();
}

std::span<const LongWord> Emi::read(std::uint64_t address, std::uint64_t count) {
  require(address, count);
  words_read += count;
  return std::span(memory_).subspan(address, count);
}

LongWord Odprrn::step(isa::Op op, LongWord incoming, LongWord own, Width width, FpEvents& chip_events) {
  words += 1;
  return reduce(op, incoming, own, width, chip_events);
}

namespace {

/// Calls `change` for each number of `counters` and its partner in `other`.
template <class Change>
void for_each_pair(Counters& counters, const Counters& other, Change change) {
  for (const auto member :
       {&Counters::runs, &Counters::iterations, &Counters::lines, &Counters::adder_lines, &Counters::multiplier_lines,
        &Counters::alu_lines, &Counters::bm_lines, &Counters::host_bytes_in, &Counters::host_bytes_out,
        &Counters::em_words_written, &Counters::em_words_read, &Counters::idp_words, &Counters::odp_words,
        &Counters::ring_words}) {
    change(counters.*member, other.*member);
  }
  for (const auto member : {&FpLanes::all, &FpLanes::slow}) change(counters.fp_lanes.*member, other.fp_lanes.*member);
  for (const auto member : {&FpEvents::invalid, &FpEvents::overflow, &FpEvents::underflow}) {
    change(counters.fp.*member, other.fp.*member);
  }
  for (const auto member : {&ConversionEvents::overflow, &ConversionEvents::underflow, &ConversionEvents::saturated}) {
    change(counters.conversions.*member, other.conversions.*member);
  }
}

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  for_each_pair(*this, other, [](std::uint64_t& own, std::uint64_t more) { own += more; });
  return *this;
}

Counters& Counters::operator-=(const Counters& other) {
  for_each_pair(*this, other, [](std::uint64_t& own, std::uint64_t less) { own -= less; });
  return *this;
}

ControlProcessor::ControlProcessor(const MachineDescription& machine, std::unique_ptr<Chip> chip)
    : emi_(machine.em_words), chip_(std::move(chip)) {}

void ControlProcessor::load(const Program& program) {
  chip_->load(program);
  coc_ = {program, 0, 0, 0};
  hic_ = {};
  het_ = {};
  emi_ = Emi(emi_.capacity());
  oht_ = {};
  sdi_ = {};
  sci_ = {};
  odprrn_ = {};
  cfg_.configured = true;
  eit_ = {0, program.record_words, 0};
  lines_ = {};
  tree_events_ = {};
  has_bm_stores_ = false;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    Counters& lines = section_lines_[section];
    lines = {};
    for (const isa::ProgramLine& coded : program.lines(static_cast<Section>(section))) {
      const isa::Effects effects = isa::effects(isa::decoded(coded.word));
      lines.adder_lines += effects.busy(isa::Unit::adder);
      lines.multiplier_lines += effects.busy(isa::Unit::multiplier);
      lines.alu_lines += effects.busy(isa::Unit::alu);
      lines.bm_lines += effects.busy(isa::Unit::bm);
      lines.lines += 1;
      has_bm_stores_ = has_bm_stores_ || effects.writes_bm();
    }
  }
  for (const isa::Parameter& parameter : program.parameters) set_parameter(parameter, parameter.default_value);
  for (unsigned block = 0; block < kBlocks; ++block) chip_->run_initialization(block);
  count_section(Section::initialization, 1);
}

void ControlProcessor::set_parameter(const isa::Parameter& parameter, double value) {
  const bool floating = isa::info_of(parameter.conversion).floating;
  if (!floating && (value != std::floor(value) || std::abs(value) > 0x1p53)) {
    throw Error(fmt::format("parameter {} = {} is refused: its conversion {} takes whole numbers up to 2^53",
                            parameter.name, value, isa::info_of(parameter.conversion).name));
  }
  const std::uint64_t field =
      floating ? std::bit_cast<std::uint64_t>(value) : std::bit_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  const LongWord word = het_.convert(field, parameter.conversion, parameter.width, {parameter.name, 0});
  hic_.bytes_in += sizeof field;
  sdi_.words_in += 1;  // one word to all BMs at once
  for (unsigned block = 0; block < kBlocks; ++block) chip_->write_bm(block, parameter.address / 2u, {&word, 1});
}

LongWord ControlProcessor::to_machine(std::uint64_t field, const Variable& variable, unsigned entry,
                                      std::size_t where) {
  if (const auto quick = quick_double(field, *variable.conversion)) return *quick;
  return het_.convert(field, *variable.conversion, variable.width, {field_name(variable, entry), where});
}

void ControlProcessor::write_record(std::uint64_t index, std::span<const std::uint64_t> fields, std::size_t where) {
  std::vector<LongWord> words(eit_.record_words);
  std::size_t field = 0;
  for (const Variable* variable : coc_.program.variables_by(Transfer::elt)) {
    for (unsigned entry = 0; entry < variable->elements; ++entry, ++field) {
      const unsigned stride = variable->packed ? 1 : 2;
      const unsigned address = variable->address + entry * stride;
      const LongWord word = to_machine(fields[field], *variable, entry, where);
      LongWord& place = words[address / 2];
      place = address % 2 == 0 ? (variable->packed ? isa::join(word.upper(), place.lower()) : word)
                               : isa::join(place.upper(), word.upper());
    }
  }
  hic_.bytes_in += fields.size_bytes();
  emi_.write(index * eit_.record_words, words);
}

void ControlProcessor::write_particles(std::span<const std::uint64_t> fields, unsigned count, std::size_t first_index) {
  const auto variables = coc_.program.variables_by(Transfer::hlt);
  const std::size_t record = coc_.program.record_fields(Transfer::hlt);
  std::size_t field = 0;
  std::vector<LongWord> words;
  for (const Variable* variable : variables) {
    for (unsigned entry = 0; entry < variable->elements; ++entry, ++field) {
      const PeWords where = entry_words(*variable, entry);
      words.clear();
      for (unsigned particle = 0; particle < count; ++particle) {
        words.push_back(to_machine(fields[particle * record + field], *variable, entry, first_index + particle));
      }
      while (words.size() % isa::kVectorElements != 0) words.push_back(words.back());
      chip_->write_pes(0, where, words);
    }
  }
  hic_.bytes_in += fields.size_bytes();
  sdi_.words_in += kParticlesPerRun * record;  // the transfer always covers every PE
}

void ControlProcessor::write_block_particles(unsigned block, std::span<const std::uint64_t> fields,
                                             std::size_t first_index) {
  const std::size_t record = coc_.program.record_fields(Transfer::hlt);
  const std::size_t particles = record == 0 ? 0 : fields.size() / record;
  GDR_ASSERT(particles <= kParticlesPerRun && particles * record == fields.size(), "a block takes 128 whole i-records");
  std::size_t first_field = 0;
  std::vector<LongWord> words;
  for (const Variable* variable : coc_.program.variables_by(Transfer::hlt)) {
    PeWords where = entry_words(*variable, 0);
    for (std::size_t particle = 0; particle < particles; particle += isa::kVectorElements) {
      words.clear();
      for (unsigned entry = 0; entry < variable->elements; ++entry) {
        for (unsigned element = 0; element < isa::kVectorElements; ++element) {
          const std::size_t index = std::min(particle + element, particles - 1);
          words.push_back(
              to_machine(fields[index * record + first_field + entry], *variable, entry, first_index + index));
        }
      }
      where.count = static_cast<std::uint16_t>(words.size());
      chip_->write_pe(block, static_cast<unsigned>(particle / isa::kVectorElements), where, words);
    }
    first_field += variable->elements;
  }
  hic_.bytes_in += fields.size_bytes();
  sdi_.words_in += kParticlesPerRun * record;
}

void ControlProcessor::start_turns(std::uint64_t first_record, std::uint64_t turns, unsigned live_pes) {
  const std::uint64_t records = turns * kBlocks;
  eit_.address = first_record * eit_.record_words;
  eit_.records = records;
  turns_ = turns;
  run_.stream = {emi_.read(eit_.address, records * eit_.record_words), eit_.record_words, records};
  run_.live_pes = live_pes;
  coc_.runs += 1;
  coc_.iterations += turns;
  sdi_.words_in += records * eit_.record_words;
  count_section(Section::loop_initialization, 1);
  count_section(Section::loop_body, turns);
  count_section(Section::loop_termination, 1);
}

void ControlProcessor::run_turns(BlockRange blocks, std::uint64_t first, std::uint64_t count,
                                 std::span<LongWord> collected) {
  LoopRun piece = run_;
  const std::size_t turn_words = std::size_t{kBlocks} * eit_.record_words;
  piece.stream.words = run_.stream.words.subspan(first * turn_words, count * turn_words);
  piece.stream.records = count * kBlocks;
  piece.begins = first == 0;
  piece.ends = first + count == turns_;
  piece.collected = collected;
  chip_->run_loop(blocks, piece);
}

void ControlProcessor::reduce(const Variable& result, std::span<const std::span<const LongWord>> blocks,
                              std::span<LongWord> sums, FpEvents& events) const {
  if (!result.reduction) {
    std::copy_n(blocks[0].begin(), sums.size(), sums.begin());
  } else {
    chip_->reduce_blocks(*result.reduction, isa::info_of(*result.conversion).width, blocks, sums, events);
  }
}

void ControlProcessor::count_collected(std::uint64_t words, bool to_next_chip, bool to_host, const FpEvents& tree,
                                       const ConversionEvents& conversions) {
  sdi_.words_out += words;
  if (to_next_chip) odprrn_.words += words;
  if (to_host) hic_.bytes_out += words * sizeof(std::uint64_t);
  tree_events_ += tree;
  oht_.events += conversions;
}

void ControlProcessor::start(std::uint64_t records, unsigned particles) {
  eit_.address = 0;
  eit_.records = records;
  particles_ = particles;
  run_.stream = {emi_.read(eit_.address, records * eit_.record_words), eit_.record_words, records};
  const bool every_pe = has_bm_stores_ || coc_.program.variables_by(Transfer::hlt).empty();
  run_.live_pes = every_pe ? kPesPerBlock : (particles + isa::kVectorElements - 1) / isa::kVectorElements;
  const std::uint64_t iterations = run_.stream.iterations();
  coc_.runs += 1;
  coc_.iterations += iterations;
  sdi_.words_in += iterations * kBlocks * eit_.record_words;
  count_section(Section::loop_initialization, 1);
  count_section(Section::loop_body, iterations);
  count_section(Section::loop_termination, 1);
}

void ControlProcessor::run_blocks(BlockRange blocks) { chip_->run_loop(blocks, run_); }

std::vector<LongWord> ControlProcessor::collect_words() {
  const std::size_t record = coc_.program.record_fields(Transfer::rrn);
  std::vector<LongWord> words(particles_ * record);
  std::size_t field = 0;
  for (const Variable* variable : coc_.program.variables_by(Transfer::rrn)) {
    for (unsigned entry = 0; entry < variable->elements; ++entry, ++field) {
      const std::vector<LongWord> results = chip_->collect(
          {entry_words(*variable, entry), particles_, variable->reduction, isa::info_of(*variable->conversion).width},
          tree_events_);
      for (unsigned particle = 0; particle < particles_; ++particle) {
        words[particle * record + field] = results[particle];
      }
      sdi_.words_out += kParticlesPerRun;
    }
  }
  return words;
}

void ControlProcessor::add_in_ring(std::span<LongWord> own, std::span<const LongWord> incoming) {
  const auto by_field = result_fields(coc_.program);
  for (std::size_t n = 0; n < own.size(); ++n) {
    const Variable& variable = *by_field[n % by_field.size()];
    const LongWord before = incoming[n];
    own[n] = variable.reduction ? odprrn_.step(*variable.reduction, before, own[n],
                                               isa::info_of(*variable.conversion).width, tree_events_)
                                : before;
  }
}

std::vector<std::uint64_t> ControlProcessor::send_to_host(std::span<const LongWord> words) {
  std::vector<std::uint64_t> fields;
  fields.reserve(words.size());
  const auto by_field = result_fields(coc_.program);
  for (std::size_t n = 0; n < words.size(); ++n) {
    const Variable& variable = *by_field[n % by_field.size()];
    fields.push_back(oht_.convert(words[n], *variable.conversion, variable.width));
  }
  hic_.bytes_out += kParticlesPerRun * by_field.size() * sizeof(std::uint64_t);
  return fields;
}

void ControlProcessor::count_section(Section section, std::uint64_t times) {
  const Counters& once = section_lines_[static_cast<std::size_t>(section)];
  lines_.adder_lines += times * once.adder_lines;
  lines_.multiplier_lines += times * once.multiplier_lines;
  lines_.alu_lines += times * once.alu_lines;
  lines_.bm_lines += times * once.bm_lines;
  coc_.lines += times * once.lines;
  sci_.lines = coc_.lines;
}

Counters ControlProcessor::counters() const {
  Counters all = lines_;
  all.runs = coc_.runs;
  all.iterations = coc_.iterations;
  all.lines = sci_.lines;
  all.host_bytes_in = hic_.bytes_in;
  all.host_bytes_out = hic_.bytes_out;
  all.em_words_written = emi_.words_written;
  all.em_words_read = emi_.words_read;
  all.idp_words = sdi_.words_in;
  all.odp_words = sdi_.words_out;
  all.ring_words = odprrn_.words;
  all.fp = tree_events_;
  for (unsigned block = 0; block < kBlocks; ++block) {
    all.fp += chip_->events(block);
    all.fp_lanes += chip_->fp_lanes(block);
  }
  all.conversions = het_.events;
  all.conversions += oht_.events;
  return all;
}

}  // namespace gdr::emulator
