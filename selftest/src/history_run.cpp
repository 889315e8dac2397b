#include "gdr/selftest/history_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "history_data.h"
#include "history_model.h"

namespace gdr::selftest {
namespace {

using emulator::BlockRange;
using emulator::ChipRange;
using emulator::kBlocks;
using emulator::kPesPerBlock;
using emulator::PeWords;
using isa::Width;

/// Two faces that are asked the same, and what is known of their state.
struct Place {
  std::unique_ptr<Face> expected;
  std::unique_ptr<Face> found;
  HistoryModel model;
  std::size_t number = 0;  // of the program
  std::uint64_t runs = 0;
  std::uint64_t open_iterations = 0;  // of the run that goes on

  struct Last {  // the last run, as long as nobody has looked
    ChipRange chips;
    BlockRange blocks;
    unsigned live = 0;
    unsigned records = 0;
  };
  std::optional<Last> last;
  std::optional<Ask> before;  // the command before
  bool is_usable = false;     // a program is loaded, and its initialization had no fault

  /// The same with copies of the faces.
  [[nodiscard]] Place with(std::unique_ptr<Face> of_expected, std::unique_ptr<Face> of_found) const {
    Place copy;
    copy.expected = std::move(of_expected);
    copy.found = std::move(of_found);
    copy.model = model;
    copy.number = number;
    copy.runs = runs;
    copy.open_iterations = open_iterations;
    copy.last = last;
    copy.before = before;
    copy.is_usable = is_usable;
    return copy;
  }
};

LongWord default_of(const isa::Parameter& parameter) {
  const LongWord word = word_of_value(parameter.conversion, parameter.default_value);
  return parameter.address % 2 == 0 ? word : isa::join({}, word.upper());
}

class HistoryRun {
 public:
  HistoryRun(const History& history, const HistoryPair& engines, HistoryCounts& counts)
      : history_(history), counts_(counts) {
    for (const std::string& name : history.programs) programs_.push_back(history_program(name));
    const unsigned chips = history.face == FaceKind::chip ? 1 : history.chips;
    const HistoryModel model(programs_.front(), chips);
    for (Place& place : places_) place.model = model;
    if (history.face == FaceKind::chip) {
      places_[0].expected = chip_face(engines.expected, programs_, 1);
      places_[0].found = chip_face(engines.found, programs_, history.threads);
    } else {
      places_[0].expected = session_witness(engines.expected, programs_, history.chips);
      places_[0].found = session_face(engines.found, programs_, history.chips, history.threads);
    }
    places_[1].expected = places_[0].expected->another();
    places_[1].found = places_[0].found->another();
    load(0);
  }

  std::optional<HistoryDifference> run() {
    for (std::size_t n = 0; n < history_.commands.size(); ++n) {
      const Command& command = history_.commands[n];
      try {
        ask(command);
      } catch (const Differs& differs) {
        return HistoryDifference{n, differs.difference};
      }
      if (!skipped_) {
        ++counts_.asked[static_cast<std::size_t>(command.what)];
        here().before = command.what;
      }
      skipped_ = false;
    }
    return std::nullopt;
  }

 private:
  struct Differs {
    Difference difference;
  };
  /// What a call on one of the faces ended with.
  struct Ended {
    std::vector<LongWord> words;
    std::optional<emulator::Fault> fault;
    std::string error;
  };

  [[nodiscard]] Place& here() { return places_[here_]; }
  [[nodiscard]] const HistoryProgram& program() { return here().model.program(); }

  template <class Call>
  void both(Call call) {
    call(*here().expected);
    answered([&] { call(*here().found); });
  }

  /// Errors of the engine that is tested, where the other one has none.
  template <class Call>
  void answered(Call call) {
    try {
      call();
    } catch (const Error& error) {
      throw Differs{{"the command's end", "no error", error.what()}};
    }
  }

  template <class Call>
  static Ended ended(Face& face, Call call) {
    Ended ended;
    try {
      ended.words = call(face);
    } catch (const emulator::Fault& fault) {
      ended.fault = fault;
      ended.error = fault.what();
    } catch (const Error& error) {
      ended.error = error.what();
    }
    return ended;
  }

  /// Calls both, and compares words and faults. False if both refused.
  template <class Call>
  bool same(const std::string& what, Call call) {
    const Ended expected = ended(*here().expected, call);
    const Ended found = ended(*here().found, call);
    if (expected.error.empty() && !found.error.empty()) throw Differs{{what, "no error", found.error}};
    if (!expected.error.empty() && !expected.fault) throw Error(what + ": the reference engine: " + expected.error);
    if (expected.fault && !found.fault && !found.error.empty()) throw Differs{{what, expected.error, found.error}};
    Outcome of_expected;
    Outcome of_found;
    of_expected.fault = expected.fault;
    of_found.fault = found.fault;
    of_expected.results = expected.words;
    of_found.results = found.words;
    counts_.words += expected.words.size();
    compare(of_expected, of_found, what);
    return !expected.fault;
  }

  static void compare(const Outcome& expected, const Outcome& found, const std::string& what) {
    if (auto differs = difference({expected}, {found})) {
      if (!what.empty()) differs->place = what + ": " + differs->place;
      throw Differs{*std::move(differs)};
    }
  }

  [[nodiscard]] ChipRange chips_of(const Command& command) {
    const unsigned chips = here().model.chips();
    const unsigned first = command.chips.first % chips;
    return {first, std::min(command.chips.count, chips - first)};
  }

  void ask(const Command& command) {
    if (!here().is_usable && command.what != Ask::load && command.what != Ask::other) return skip();
    const ChipRange chips = chips_of(command);
    HistoryData data(program(), command.seed, command.wild);
    switch (command.what) {
      case Ask::particles:
        return write_particles(command, chips, data);
      case Ask::records:
        return write_records(chips, command.at, command.count, data);
      case Ask::word:
        return write_word(command, chips, data);
      case Ask::parameter:
        return write_parameter(command, chips, data);
      case Ask::registers: {
        const emulator::PeRegisters registers = data.registers();
        return both([&](Face& face) { face.write_registers(chips, command.blocks.first, command.pe, registers); });
      }
      case Ask::initialize:
        return initialize(chips, command.blocks);
      case Ask::run:
        return run(command, chips, data);
      case Ask::collect:
        return collect(command, chips.first);
      case Ask::read:
        return read(command, chips.first, data);
      case Ask::look:
        return look(chips, command.blocks);
      case Ask::events:
        return compare_events();
      case Ask::clone:
        return clone(command);
      case Ask::patch:
        return both([&](Face& face) { skipped_ = !face.patch(); });
      case Ask::load:
        return load(command.count % programs_.size());
      case Ask::other:
        here_ = 1 - here_;
        if (!here().is_usable) load(command.count % programs_.size());
        return;
      case Ask::refused:
        return refuse(command);
      case Ask::stops:
        return both([&](Face& face) { face.stop_at(command.count); });
    }
  }

  void load(std::size_t number) {
    Place& place = here();
    place.number = number;
    place.model = HistoryModel(programs_[number], place.model.chips());
    place.runs = 0;
    place.open_iterations = 0;
    place.last.reset();
    const ChipRange all{0, place.model.chips()};
    both([&](Face& face) {
      face.load(number);
      for (const isa::Parameter& parameter : program().program.parameters) {
        face.write_bm(all, {0, kBlocks}, parameter.address / 2U, default_of(parameter));
      }
    });
    place.is_usable = true;
    if (has_fault("initialization", [&](Face& face) { face.initialize(all, {0, kBlocks}); })) place.is_usable = false;
  }

  /// After a fault the state is undefined, so the history goes on with the program loaded anew.
  template <class Call>
  void run_code(const std::string& what, Call call) {
    if (!has_fault(what, call)) return;
    ++counts_.faults;
    load(here().number);
  }

  template <class Call>
  bool has_fault(const std::string& what, Call call) {
    return !same(what, [&](Face& face) {
      call(face);
      return std::vector<LongWord>{};
    });
  }

  void initialize(ChipRange chips, BlockRange blocks) {
    // Initialization runs on all PEs.
    if (!program().initializes_anew && !here().model.is_whole()) return skip();
    run_code("initialization", [&](Face& face) { face.initialize(chips, blocks); });
  }

  void write_particles(const Command& command, ChipRange chips, HistoryData& data) {
    const bool anywhere = here().expected->writes_from_any_pe();
    const unsigned first = anywhere ? command.pe : 0;
    const unsigned pes = std::min(std::max(command.pes, 1U), kPesPerBlock - first);
    std::vector<std::vector<LongWord>> words;
    for (const isa::Variable* variable : program().program.variables_by(isa::Transfer::hlt)) {
      words.push_back(data.particles(*variable, pes));
    }
    both([&](Face& face) { face.write_particles(chips, command.blocks, first, pes, words); });
  }

  void write_records(ChipRange chips, unsigned at, unsigned count, HistoryData& data) {
    count = std::min(count, kHistoryRecords - at);
    if (count == 0 || program().program.record_words == 0) return;
    const std::vector<LongWord> words = data.records(at, count);
    both([&](Face& face) { face.write_records(chips, at, words); });
  }

  /// One word, or half of one, of i-data or of a result.
  void write_word(const Command& command, ChipRange chips, HistoryData& data) {
    const auto variables =
        program().program.variables_by(command.count % 2 == 0 ? isa::Transfer::hlt : isa::Transfer::rrn);
    if (variables.empty() || variables.front()->memory == isa::Memory::bm) return skip();
    const isa::Variable& variable = *variables[command.seed % variables.size()];
    const bool is_short = command.count % 4 >= 2;
    PeWords where{variable.memory, variable.address, is_short ? Width::short_word : variable.width, 1};
    const unsigned step = where.width == Width::long_word ? 2 : 1;
    where.address = static_cast<std::uint16_t>(where.address + data.below(2) * step);
    LongWord word = data.word(variable.name, variable.conversion.value_or(isa::Conversion::FLT64TO72), 1);
    if (where.width == Width::short_word) word = isa::widen(word.upper());
    both([&](Face& face) { face.write_pe(chips, command.blocks, command.pe, where, word); });
  }

  void write_parameter(const Command& command, ChipRange chips, HistoryData& data) {
    constexpr std::array<double, 4> kValues{1, 2, 0.75, 1};
    const auto& parameters = program().program.parameters;
    unsigned address = static_cast<unsigned>(data.below(isa::kBmShortWords / 2));
    if (!parameters.empty() && command.count % 8 != 0) {
      address = parameters[command.count % parameters.size()].address / 2U;
    }
    const LongWord word = word_of_value(isa::Conversion::FLT64TO72, kValues[command.count % kValues.size()]);
    both([&](Face& face) { face.write_bm(chips, command.blocks, address, word); });
  }

  void run(const Command& command, ChipRange chips, HistoryData& data) {
    Place& place = here();
    RunAsked asked;
    asked.chips = chips;
    asked.blocks = command.blocks;
    asked.parts = command.parts;
    asked.piece = command.piece - command.piece % 2;
    asked.ends = !command.goes_on;
    asked.begins = !command.continues;
    asked.first_record = std::min(command.at, kHistoryRecords - 1);
    asked.records = std::min({command.count, kHistoryRecords - asked.first_record, program().most_records});
    // Pieces before the last one have an even number of iterations.
    if (!asked.ends) asked.records -= asked.records % (2 * kBlocks);
    asked.live_pes = place.model.live_pes(chips, command.blocks, command.pes, asked.begins);
    if (asked.live_pes < program().least_live && program().least_live > 1) {
      asked.live_pes = place.model.live_pes(chips, command.blocks, kPesPerBlock, asked.begins);
      if (asked.live_pes < program().least_live) return skip();
    }
    if (!command.again) write_records(chips, asked.first_record, asked.records, data);
    if (asked.begins) {
      ++place.runs;
      place.open_iterations = 0;
    }
    asked.run = std::max<std::uint64_t>(place.runs, 1);
    asked.first_iteration = place.open_iterations;
    place.open_iterations = asked.ends ? 0 : place.open_iterations + asked.records / kBlocks;
    count_run(asked);
    if (!same("the run", [&](Face& face) { return face.run(asked); })) {
      ++counts_.faults;
      return load(place.number);
    }
    place.model.ran(chips, command.blocks, asked.live_pes, asked.ends);
    place.last = Place::Last{chips, command.blocks, asked.live_pes, asked.records};
  }

  void count_run(const RunAsked& asked) {
    const Place& place = here();
    counts_.pieces += asked.piece > 0 && asked.records > asked.piece * kBlocks ? 1 : 0;
    counts_.parts += asked.parts > 1 ? 1 : 0;
    counts_.growing_runs += place.model.grows(asked.chips, asked.blocks, asked.live_pes) ? 1 : 0;
    if (!place.last) return;
    const bool alike = place.last->blocks.first == asked.blocks.first &&
                       place.last->blocks.count == asked.blocks.count && place.last->live == asked.live_pes;
    const bool same_end = place.last->records % kBlocks == asked.records % kBlocks;
    if (alike && same_end) ++counts_.same_runs;
    if (!alike || !same_end) ++counts_.crossing_runs;
    if (asked.records < kBlocks && place.last->records >= kBlocks) ++counts_.shorter_runs;
  }

  void collect(const Command& command, unsigned chip) {
    const unsigned most = here().model.results(chip) * isa::kVectorElements;
    if (most == 0 || program().program.is_type2() || program().program.variables_by(isa::Transfer::rrn).empty()) {
      return skip();
    }
    if (here().before == Ask::run) ++counts_.collects_after_runs;
    const unsigned results = 1 + command.count % most;
    same("results", [&](Face& face) { return face.collect(chip, results, command.seed); });
  }

  void read(const Command& command, unsigned chip, HistoryData& data) {
    const unsigned block = command.blocks.first;
    const auto& variables = program().program.variables;
    const isa::Variable& variable = variables[data.below(variables.size())];
    if (variable.memory != isa::Memory::bm) {
      const PeWords where = words_of(variable);
      if (here().model.is_defined(chip, block, command.pe, where)) {
        same(fmt::format("{} of chip {}, block {}, PE {}", variable.name, chip, block, command.pe),
             [&](Face& face) { return face.read_pe(chip, block, command.pe, where); });
      }
    }
    const auto address = static_cast<unsigned>(data.below(isa::kBmShortWords / 2));
    const auto count = static_cast<unsigned>(1 + data.below(isa::kBmShortWords / 2 - address));
    same(fmt::format("bm from {} of chip {}, block {}", address, chip, block),
         [&](Face& face) { return face.read_bm(chip, block, address, count); });
  }

  void look(ChipRange chips, BlockRange blocks) {
    if (here().before == Ask::run) ++counts_.looks_after_runs;
    for (unsigned chip = chips.first; chip < chips.first + chips.count; ++chip) {
      for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) {
        Outcome expected;
        Outcome found;
        expected.blocks.push_back(seen(*here().expected, chip, block));
        answered([&] { found.blocks.push_back(seen(*here().found, chip, block)); });
        counts_.words += expected.blocks.front().state.lm.size();
        compare(expected, found, "");
      }
    }
    here().last.reset();
  }

  [[nodiscard]] Outcome::Block seen(Face& face, unsigned chip, unsigned block) {
    Outcome::Block seen{chip, block, kPesPerBlock, face.state(chip, block)};
    here().model.clear_undefined(chip, block, seen.state);
    return seen;
  }

  void compare_events() {
    Outcome expected;
    Outcome found;
    expected.events = here().expected->events();
    answered([&] { found.events = here().found->events(); });
    compare(expected, found, "");
  }

  /// The copy is compared and dropped, takes the place of the original, or goes to the other place.
  void clone(const Command& command) {
    std::unique_ptr<Face> expected = here().expected->clone();
    std::unique_ptr<Face> found;
    answered([&] { found = here().found->clone(); });
    if (!expected || !found) return skip();
    const unsigned fate = command.count % 3;
    Place copy = here().with(std::move(expected), std::move(found));
    if (fate == 0) {
      std::swap(copy, here());
      look({0, here().model.chips()}, command.blocks);
      std::swap(copy, here());
    } else {
      places_[fate == 1 ? here_ : 1 - here_] = std::move(copy);
    }
  }

  void refuse(const Command& command) {
    const bool expected = here().expected->refuses(command.count);
    const bool found = here().found->refuses(command.count);
    if (expected != found) {
      const auto text = [](bool refused) { return refused ? "refused" : "accepted"; };
      throw Differs{{fmt::format("wrong argument {}", command.count), text(expected), text(found)}};
    }
  }

  void skip() { skipped_ = true; }

  const History& history_;
  HistoryCounts& counts_;
  HistoryPrograms programs_;
  std::array<Place, 2> places_;
  std::size_t here_ = 0;
  bool skipped_ = false;
};

}  // namespace

HistoryCounts& HistoryCounts::operator+=(const HistoryCounts& other) {
  for (std::size_t n = 0; n < asked.size(); ++n) asked[n] += other.asked[n];
  for (const auto member :
       {&HistoryCounts::same_runs, &HistoryCounts::shorter_runs, &HistoryCounts::crossing_runs, &HistoryCounts::pieces,
        &HistoryCounts::parts, &HistoryCounts::growing_runs, &HistoryCounts::collects_after_runs,
        &HistoryCounts::looks_after_runs, &HistoryCounts::faults, &HistoryCounts::words}) {
    this->*member += other.*member;
  }
  return *this;
}

std::string text_of(const HistoryCounts& counts) {
  std::string text;
  for (std::size_t n = 0; n < kAsks; ++n) text += fmt::format("{} {}, ", name_of(static_cast<Ask>(n)), counts.asked[n]);
  return text + fmt::format(
                    "same runs {}, crossing {}, shorter {}, growing {}, in pieces {}, in parts {}, collects after runs "
                    "{}, looks after runs {}, faults {}, words {}",
                    counts.same_runs, counts.crossing_runs, counts.shorter_runs, counts.growing_runs, counts.pieces,
                    counts.parts, counts.collects_after_runs, counts.looks_after_runs, counts.faults, counts.words);
}

std::optional<HistoryDifference> run_history(const History& history, const HistoryPair& engines,
                                             HistoryCounts& counts) {
  return HistoryRun(history, engines, counts).run();
}

}  // namespace gdr::selftest
