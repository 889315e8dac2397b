// Registers an engine, and runs a kernel on one of its chips: loads words, starts a piece of work, collects results.
#include <gdr/emulator/conversion.h>
#include <gdr/emulator/session.h>
#include <gdr/hostlib/kernel_program.h>

#include <cstdio>
#include <memory>
#include <vector>

using namespace gdr::emulator;

int main() {
  register_engine("my-engine", [] { return make_chip_engine([] { return make_reference_chip(); }); });
  const std::unique_ptr<Engine> engine = make_engine("my-engine");
  const std::shared_ptr<const Lowered> lowered = engine->lower(gdr::hostlib::kernel_program("tutorial"));
  const std::unique_ptr<Session> session = engine->open(lowered, {.chips = 1, .memory_words = 1024});
  session->initialize();

  // 20 j-records of two long words: xj, and mj in the upper half of a word. Each of 16 blocks gets every 16th record.
  constexpr unsigned kRecords = 20, kParticles = 4;
  std::vector<LongWord> records;
  for (unsigned j = 0; j < kRecords; ++j) {
    records.push_back(flt64to72(j).value);
    records.push_back(widen(flt64to36(0.5).value));
  }
  session->write_memory(0, 0, records);
  std::vector<LongWord> xi;
  for (unsigned i = 0; i < kParticles; ++i) xi.push_back(flt64to72(i).value);
  session->write_particles({0, 1}, {0, kBlocks}, kParticles, xi);

  const Piece piece{.chip = 0, .blocks = {0, kBlocks}, .address = 0, .records = kRecords, .live_pes = 1};
  session->run({&piece, 1});  // in the background
  std::vector<LongWord> sums(kParticles);
  session->wait(session->collect(0, kParticles, sums));
  for (unsigned i = 0; i < kParticles; ++i) {
    std::printf("particle %u: %g\n", i, flt72to64(sums[i]).value);
  }
}
