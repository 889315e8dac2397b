// Transfers between host, external memory and chips, and the sum of the chips' results.
#include "gdr/emulator/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "chip/collect.h"
#include "chip/require.h"
#include "gdr/emulator/thread_pool.h"
#include "gdr/isa/effects.h"
#include "host_results.h"
#include "transfer.h"
#include "turn_runner.h"

namespace gdr::emulator {
namespace {

/// Number of lines of each section, in total and by the units that they keep busy.
std::array<Counters, isa::kSections> lines_of(const isa::Program& program) {
  std::array<Counters, isa::kSections> sections;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    Counters& lines = sections[section];
    for (const isa::ProgramLine& coded : program.lines(static_cast<isa::Section>(section))) {
      const isa::Effects effects = isa::effects(isa::decoded(coded.word));
      lines.adder_lines += effects.busy(isa::Unit::adder);
      lines.multiplier_lines += effects.busy(isa::Unit::multiplier);
      lines.alu_lines += effects.busy(isa::Unit::alu);
      lines.bm_lines += effects.busy(isa::Unit::bm);
      lines.lines += 1;
    }
  }
  return sections;
}

bool stores_to_bm(const isa::Program& program) {
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const isa::ProgramLine& coded : program.lines(static_cast<isa::Section>(section))) {
      if (isa::effects(isa::decoded(coded.word)).writes_bm()) return true;
    }
  }
  return false;
}

/// Waits for a session's work when it goes out of scope, even if something throws. Spans that were given to the session
/// must live longer than this object.
class Joined {
 public:
  explicit Joined(Session& session) : session_(session) {}
  ~Joined() {
    try {
      session_.wait({});
    } catch (...) {  // NOLINT(bugprone-empty-catch): the exception under way ends the call
    }
  }
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

 private:
  Session& session_;
};

}  // namespace

namespace {

/// Calls `change` for each counter of `counters` and its counterpart in `other`.
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

/// A loaded program with its session.
struct Boards::Loaded {
  Loaded(std::shared_ptr<const Lowered> of_program, std::unique_ptr<Session> at_work)
      : lowered(std::move(of_program)), session(std::move(at_work)) {}

  std::shared_ptr<const Lowered> lowered;
  std::unique_ptr<Session> session;
  std::vector<Entry> in = entries_of(program(), isa::Transfer::hlt);
  std::vector<Entry> records = entries_of(program(), isa::Transfer::elt);
  std::vector<Entry> out = entries_of(program(), isa::Transfer::rrn);
  ResultGroups groups{program(), out};
  bool every_pe_live = in.empty() || stores_to_bm(program());
  std::array<Counters, isa::kSections> section_lines = lines_of(program());
  std::vector<LongWord> record;                          // on its way to external memory
  std::array<std::vector<LongWord>, kBlocks> particles;  // on their way to the blocks
  std::uint64_t runs = 0;                                // starts of the loop
  Counters counted;                                      // without the counts that the session keeps
  FirstJunctionEvents junction_events;

  [[nodiscard]] const isa::Program& program() const { return lowered->program(); }

  void count_section(isa::Section section, std::uint64_t times) {
    const Counters& once = section_lines[static_cast<std::size_t>(section)];
    counted.lines += times * once.lines;
    counted.adder_lines += times * once.adder_lines;
    counted.multiplier_lines += times * once.multiplier_lines;
    counted.alu_lines += times * once.alu_lines;
    counted.bm_lines += times * once.bm_lines;
  }

  /// Counts a run of one chip.
  void count_run(std::uint64_t records_of_chip) {
    const std::uint64_t iterations = (records_of_chip + kBlocks - 1) / kBlocks;
    counted.runs += 1;
    counted.iterations += iterations;
    counted.em_words_read += records_of_chip * program().record_words;
    counted.idp_words += iterations * kBlocks * program().record_words;
    count_section(isa::Section::loop_initialization, 1);
    count_section(isa::Section::loop_body, iterations);
    count_section(isa::Section::loop_termination, 1);
  }

  /// Converts i-records to the words that Session::write_particles() takes; the last one is repeated to fill its PE.
  /// `targets` is the number of receivers for which the transfer is counted.
  void take_particles(std::span<const std::uint64_t> fields, unsigned count, std::size_t first_index, unsigned targets,
                      std::vector<LongWord>& words) {
    const unsigned padded = padded_to_pes(count);
    words.clear();
    words.reserve(std::size_t{padded} * in.size());
    ConversionEvents events;
    for (std::size_t field = 0; field < in.size(); ++field) {
      for (unsigned particle = 0; particle < count; ++particle) {
        words.push_back(to_machine(fields[particle * in.size() + field], in[field], first_index + particle, events));
      }
      words.resize(words.size() + padded - count, words.back());
    }
    for (unsigned target = 0; target < targets; ++target) counted.conversions += events;
    counted.host_bytes_in += targets * fields.size_bytes();
    counted.idp_words += std::uint64_t{targets} * kParticlesPerRun * in.size();  // a transfer always covers every PE
  }

  static unsigned padded_to_pes(unsigned count) {
    return (count + isa::kVectorElements - 1) / isa::kVectorElements * isa::kVectorElements;
  }

  /// Takes the results of a chip or a board, and counts them as sent to the host.
  [[nodiscard]] ResultGroups::Values received(std::span<const LongWord> words) {
    counted.host_bytes_out += kParticlesPerRun * out.size() * sizeof(std::uint64_t);
    return groups.values_of(words, counted.conversions);
  }

  /// The host's step at a chip or, at `junction` board, at a board's first chip.
  void add_on_host(Junction junction, unsigned chip, ResultGroups::Values& sums, const ResultGroups::Values& values) {
    groups.combine(sums, values, place_of(junction, chip), counted.fp, junction_events);
  }

  [[nodiscard]] JunctionEvent place_of(Junction junction, unsigned chip) const {
    JunctionEvent place;
    place.run = runs;
    place.junction = junction;
    place.chip = chip;
    return place;
  }

  /// The ring's step at `chip`: adds the chip's words to `sums`, in place, with one rounding each.
  void add_in_ring(unsigned chip, std::span<LongWord> sums, std::span<const LongWord> words) {
    JunctionEvent place = place_of(Junction::ring, chip);
    for (std::size_t n = 0; n < sums.size(); ++n) {
      const isa::Variable& variable = *out[n % out.size()].variable;
      if (!variable.reduction) continue;
      counted.ring_words += 1;
      place.variable = static_cast<std::size_t>(&variable - program().variables.data());
      place.result = n / out.size();
      sums[n] = reduce(*variable.reduction, sums[n], words[n], isa::info_of(*variable.conversion).width, place,
                       counted.fp, junction_events);
    }
  }
};

Boards::Boards(MachineDescription machine, unsigned boards, std::string_view engine, unsigned threads)
    : Boards(std::move(machine), boards, make_engine(engine), threads) {}

Boards::Boards(MachineDescription machine, unsigned boards, std::unique_ptr<Engine> engine, unsigned threads)
    : machine_(std::move(machine)), boards_(boards), engine_(std::move(engine)) {
  if (engine_ == nullptr) throw Error("engine = null is refused: it must be one that lowers and opens");
  if (boards < 1) throw Error("boards = 0 is refused: there must be at least one");
  if (threads < 1) throw Error("threads = 0 is refused: there must be at least one");
  pool_ = std::make_shared<ThreadPool>(threads);
}

Boards::~Boards() = default;
Boards::Boards(Boards&&) noexcept = default;
Boards& Boards::operator=(Boards&&) noexcept = default;

Boards::Loaded& Boards::loaded() {
  if (!loaded_) throw Error("no program is loaded");
  return *loaded_;
}

const Boards::Loaded& Boards::loaded() const {
  if (!loaded_) throw Error("no program is loaded");
  return *loaded_;
}

void Boards::require_records(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t most = machine_.em_words / std::max<std::uint64_t>(loaded().program().record_words, 1);
  require(first <= most, "first record", first, 0, most);
  require(count <= most - first, "records of a chip", count, 0, most - first);
}

void Boards::load(const isa::Program& program) {
  loaded_.reset();  // frees the old session's memory first
  auto lowered = engine_->lower(program);
  auto session = engine_->open(lowered, {chips(), machine_.em_words, pool_});
  loaded_ = std::make_unique<Loaded>(std::move(lowered), std::move(session));
  for (const isa::Parameter& parameter : program.parameters) set_parameter(parameter, parameter.default_value);
  loaded_->session->initialize();
  for (unsigned chip = 0; chip < chips(); ++chip) loaded_->count_section(isa::Section::initialization, 1);
}

void Boards::set_parameter(const isa::Parameter& parameter, double value) {
  Loaded& own = loaded();
  ConversionEvents events;
  const LongWord word = parameter_word(parameter, value, events);
  own.session->broadcast(parameter.address / 2u, {&word, 1});
  for (unsigned chip = 0; chip < chips(); ++chip) {
    own.counted.conversions += events;
    own.counted.host_bytes_in += sizeof(std::uint64_t);
    own.counted.idp_words += 1;  // one word to all BMs at once
  }
}

void Boards::write_record(std::uint64_t k, std::span<const std::uint64_t> fields) {
  write_chip_record(static_cast<unsigned>(k % chips()), k / chips(), fields, k);
}

void Boards::write_chip_record(unsigned chip, std::uint64_t index, std::span<const std::uint64_t> fields,
                               std::size_t name) {
  Loaded& own = loaded();
  require(chip < chips(), "chip", chip, 0, chips() - 1);
  if (fields.size() != own.records.size()) {
    throw Error(
        fmt::format("j-record {}: {} fields are refused: there must be {}", name, fields.size(), own.records.size()));
  }
  require_records(index, 1);
  own.record.clear();
  append_record(own.program(), own.records, fields, name, own.record, own.counted.conversions);
  own.session->write_memory(chip, index * own.record.size(), own.record);
  own.counted.host_bytes_in += fields.size_bytes();
  own.counted.em_words_written += own.record.size();
}

std::vector<std::uint64_t> Boards::run(std::span<const std::uint64_t> particles, unsigned count,
                                       std::size_t first_index, std::uint64_t records, Combination combination) {
  Loaded& own = loaded();
  require(count >= 1 && count <= kParticlesPerRun, "count", count, 1, kParticlesPerRun);
  if (particles.size() != count * own.in.size()) {
    throw Error(
        fmt::format("particles: {} fields are refused: there must be {}", particles.size(), count * own.in.size()));
  }
  require_records(0, records / chips() + (records % chips() == 0 ? 0 : 1));

  const unsigned padded = Loaded::padded_to_pes(count);
  std::vector<LongWord>& words = own.particles.front();
  own.take_particles(particles, count, first_index, chips(), words);
  std::vector<Piece> pieces;
  ++own.runs;
  for (unsigned chip = 0; chip < chips(); ++chip) {
    Piece& piece = pieces.emplace_back();
    piece.chip = chip;
    piece.records = (records + chips() - 1 - chip) / chips();
    piece.live_pes = own.every_pe_live ? kPesPerBlock : padded / isa::kVectorElements;
    piece.run = own.runs;
    own.count_run(piece.records);
    own.counted.odp_words += std::uint64_t{kParticlesPerRun} * own.out.size();
  }
  std::vector<LongWord> results(std::size_t{chips()} * count * own.out.size());
  const auto of_chip = [&](unsigned chip) {
    return std::span(results).subspan(chip * count * own.out.size(), count * own.out.size());
  };
  const Joined joined(*own.session);
  own.session->write_particles({0, chips()}, {0, kBlocks}, padded, words);
  Ticket ticket = own.session->run(pieces);
  for (unsigned chip = 0; chip < chips(); ++chip) ticket = own.session->collect(chip, count, of_chip(chip));
  own.session->wait(ticket);

  // First the chips of a board, then the boards: ranks with one board each can add in the same order.
  ResultGroups::Values sums;
  for (unsigned board = 0; board < boards_; ++board) {
    const unsigned first = board * machine_.chips;
    if (combination == Combination::ring) {
      for (unsigned n = 1; n < machine_.chips; ++n) own.add_in_ring(first + n, of_chip(first), of_chip(first + n));
    }
    ResultGroups::Values of_board = own.received(of_chip(first));
    for (unsigned n = 1; n < machine_.chips && combination == Combination::host; ++n) {
      own.add_on_host(Junction::host, first + n, of_board, own.received(of_chip(first + n)));
    }
    if (board == 0) {
      sums = std::move(of_board);
    } else {
      own.add_on_host(Junction::board, first, sums, of_board);
    }
  }
  return own.groups.fields_of(sums, own.counted.conversions);
}

void Boards::write_block_particles(unsigned chip, std::span<const std::uint64_t> particles) {
  Loaded& own = loaded();
  require(chip < chips(), "chip", chip, 0, chips() - 1);
  const std::size_t record = own.in.size();
  if (record == 0 ? !particles.empty() : particles.size() % record != 0) {
    throw Error(fmt::format("particles: {} fields are no whole number of records of {}", particles.size(), record));
  }
  const std::size_t share = record * kParticlesPerRun;
  require(particles.size() <= kBlocks * share, "particles", particles.size(), 0, kBlocks * share);
  const Joined joined(*own.session);
  for (unsigned block = 0; !particles.empty(); ++block) {
    const auto of_block = particles.first(std::min(share, particles.size()));
    const auto count = static_cast<unsigned>(of_block.size() / record);
    own.take_particles(of_block, count, block * kParticlesPerRun, 1, own.particles[block]);
    own.session->write_particles({chip, 1}, {block, 1}, Loaded::padded_to_pes(count), own.particles[block]);
    particles = particles.subspan(of_block.size());
  }
  own.session->wait(own.session->run({}));
}

std::vector<std::vector<std::uint64_t>> Boards::run_turns(std::span<const Ring> rings, const TurnRun& run) {
  Loaded& own = loaded();
  unsigned end = 0;  // end of the rings before
  for (const Ring& ring : rings) {
    require(ring.first_chip >= end && ring.first_chip < chips(), "ring.first_chip", ring.first_chip, end, chips() - 1);
    // A ring ends with its board; chips whose words nobody combines need none.
    const unsigned most = own.program().has_combined_results() ? machine_.chips - ring.first_chip % machine_.chips
                                                               : chips() - ring.first_chip;
    require(ring.chips >= 1 && ring.chips <= most, "ring.chips", ring.chips, 1, most);
    end = ring.first_chip + ring.chips;
  }
  require(run.live_blocks >= 1 && run.live_blocks <= kBlocks, "live_blocks", run.live_blocks, 1, kBlocks);
  require(run.live_pes <= kPesPerBlock, "live_pes", run.live_pes, 0, kPesPerBlock);
  const std::uint64_t most = machine_.em_words / kBlocks;
  require(run.turns <= most, "turns", run.turns, 0, most);
  require_records(run.first_record, run.turns * kBlocks);
  ++own.runs;
  for (const Ring& ring : rings) {
    for (unsigned n = 0; n < ring.chips; ++n) own.count_run(run.turns * kBlocks);
  }
  return TurnRunner(*own.session, *pool_, rings, run, own.runs, own.counted, own.junction_events).results();
}

Counters Boards::counters() const {
  const Loaded& own = loaded();
  Counters all = own.counted;
  for (unsigned chip = 0; chip < chips(); ++chip) {
    all.fp += own.session->events(chip);
    all.fp_lanes += own.session->fp_lanes(chip);
  }
  return all;
}

std::vector<PlacedEvent> Boards::first_events() const { return loaded().session->first_events(); }

void Boards::count(JunctionEvent event) {
  Loaded& own = loaded();
  event.run = own.runs;
  own.counted.fp += event.event;
  own.junction_events.add(event);
}

std::vector<JunctionEvent> Boards::first_junction_events() const {
  FirstJunctionEvents first = loaded().junction_events;
  for (const JunctionEvent& event : loaded().session->first_tree_events()) first.add(event);
  return {first.events().begin(), first.events().end()};
}

Inspector& Boards::inspect() { return *loaded().session; }

}  // namespace gdr::emulator
