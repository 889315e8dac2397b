#include "opencl_testing.h"

#include <random>

#include "gdr/base/error.h"
#include "gdr/emulator/conversion.h"
#include "gdr/emulator/thread_pool.h"

namespace gdr::tests {

using emulator::kBlocks;
using emulator::kPesPerBlock;
using emulator::OpenClDevice;
using emulator::Piece;
using emulator::Session;
using isa::LongWord;

std::vector<OpenClDevice> devices() {
  try {
    return emulator::opencl_devices();
  } catch (const Error&) {
    return {};
  }
}

Loaded::Loaded(std::string_view engine_name, const isa::Program& program, Data data, unsigned turns, unsigned live_pes,
               const Change& change) {
  const auto engine = emulator::make_engine(engine_name);
  const std::uint64_t records = std::uint64_t{turns} * kBlocks - 3;  // some blocks have none in the last turn
  std::mt19937_64 random(11);
  std::vector<LongWord> words(std::size_t{turns} * kBlocks * program.record_words);
  for (std::size_t record = 0; record < std::size_t{turns} * kBlocks; ++record) {
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::elt)) {
      for (unsigned n = 0; n < variable->elements; ++n) {
        const bool is_index = variable->name.starts_with("index");
        const LongWord word =
            word_of(*variable, is_index ? static_cast<double>(record) : value_of(data, random, n == 2));
        const unsigned address = variable->address + n * (variable->packed ? 1 : 2);
        LongWord& place = words[record * program.record_words + address / 2];
        place = address % 2 == 0 ? word : isa::join(place.upper(), word.upper());
      }
    }
  }
  std::vector<LongWord> particles;
  for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
    for (unsigned n = 0; n < variable->elements; ++n) {
      for (unsigned particle = 0; particle < live_pes * isa::kVectorElements; ++particle) {
        double value = value_of(data, random, n == 2);
        if (variable->name == "eps2") value *= value;
        if (variable->name.starts_with("index")) value = 1e6 + particle;
        particles.push_back(word_of(*variable, value));
      }
    }
  }
  if (change) change(words, particles);
  session = engine->open(engine->lower(program), {2, 2 * words.size(), std::make_shared<emulator::ThreadPool>(2)});
  session->initialize();
  for (const isa::Parameter& parameter : program.parameters) {
    const LongWord value = emulator::flt64to72(parameter.default_value).value;
    session->broadcast(parameter.address / 2, {&value, 1});
  }
  for (unsigned chip = 0; chip < 2; ++chip) {
    session->write_memory(chip, chip * words.size(), words);
    Piece& piece = pieces.emplace_back();
    piece.chip = chip;
    piece.address = chip * words.size();
    piece.records = records;
    piece.live_pes = live_pes;
  }
  session->write_particles({0, 2}, {0, kBlocks}, live_pes * isa::kVectorElements, particles);
  session->wait(session->run(pieces));
}

void expect_equal(const Session& expected, const Session& found, unsigned live_pes) {
  for (unsigned chip = 0; chip < expected.chips(); ++chip) {
    for (unsigned block = 0; block < kBlocks; ++block) {
      const emulator::BlockState a = expected.state(chip, block);
      const emulator::BlockState b = found.state(chip, block);
      EXPECT_EQ(a.bm, b.bm) << chip << ' ' << block;
      const auto live = [&](const std::vector<LongWord>& words) {
        return std::vector<LongWord>(
            words.begin(), words.begin() + static_cast<std::ptrdiff_t>(words.size() / kPesPerBlock * live_pes));
      };
      EXPECT_EQ(live(a.gpr), live(b.gpr)) << chip << ' ' << block;
      EXPECT_EQ(live(a.lm), live(b.lm)) << chip << ' ' << block;
      for (unsigned pe = 0; pe < live_pes; ++pe) EXPECT_EQ(a.registers[pe], b.registers[pe]) << chip << ' ' << block;
    }
    EXPECT_EQ(expected.events(chip), found.events(chip));
  }
  EXPECT_EQ(expected.first_events(), found.first_events());
}

}  // namespace gdr::tests
