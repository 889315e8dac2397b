#include "gdr/hostlib/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

class RecordedProgram final : public emulator::Lowered {
 public:
  explicit RecordedProgram(isa::Program program) : program_(std::move(program)) {}
  [[nodiscard]] const isa::Program& program() const override { return program_; }

 private:
  isa::Program program_;
};

class RecordingSession final : public emulator::Session {
 public:
  RecordingSession(std::shared_ptr<const emulator::Lowered> program, const emulator::SessionOptions& options,
                   Recording& into)
      : program_(std::move(program)), memory_words_(options.memory_words), into_(into) {
    into_.program = program_->program();
    into_.chips = options.chips;
    into_.commands.clear();
    into_.memory.assign(options.chips, {});
  }

  [[nodiscard]] const isa::Program& program() const override { return program_->program(); }
  [[nodiscard]] unsigned chips() const override { return into_.chips; }

  void write_memory(unsigned chip, std::uint64_t address, std::span<const isa::LongWord> words) override {
    std::vector<isa::LongWord>& memory = memory_of(chip);
    if (address > memory_words_ || words.size() > memory_words_ - address) {
      throw Error(fmt::format("external memory holds {} long words per chip; {} words from word {} on do not fit",
                              memory_words_, words.size(), address));
    }
    memory.resize(std::max(memory.size(), static_cast<std::size_t>(address) + words.size()));
    std::copy(words.begin(), words.end(), memory.begin() + static_cast<std::ptrdiff_t>(address));
  }
  [[nodiscard]] std::vector<isa::LongWord> read_memory(unsigned chip, std::uint64_t address,
                                                       std::uint64_t count) const override {
    const std::vector<isa::LongWord>& memory = into_.memory.at(chip);
    std::vector<isa::LongWord> words(count);
    for (std::uint64_t n = 0; n < count && address + n < memory.size(); ++n) words[n] = memory[address + n];
    return words;
  }
  void broadcast(unsigned address, std::span<const isa::LongWord> words) override {
    into_.commands.emplace_back(BroadcastCommand{address, {words.begin(), words.end()}});
  }
  void initialize() override { into_.commands.emplace_back(InitializeCommand{}); }
  void write_particles(emulator::ChipRange chips, emulator::BlockRange blocks, unsigned particles,
                       std::span<const isa::LongWord> words) override {
    into_.commands.emplace_back(ParticlesCommand{chips, blocks, particles, {words.begin(), words.end()}});
  }
  emulator::Ticket run(std::span<const emulator::Piece> pieces) override {
    for (const emulator::Piece& piece : pieces) {
      // Records that were never written are zero.
      std::vector<isa::LongWord>& memory = memory_of(piece.chip);
      memory.resize(std::max<std::size_t>(memory.size(), piece.address + piece.records * program().record_words));
      into_.commands.emplace_back(piece);
    }
    return {++tickets_};
  }
  emulator::Ticket collect(unsigned, unsigned, std::span<isa::LongWord> into) override {
    std::ranges::fill(into, isa::LongWord{});
    return {++tickets_};
  }
  void wait(emulator::Ticket) override {}

  [[nodiscard]] emulator::FpEvents events(unsigned) const override { return {}; }
  [[nodiscard]] std::vector<emulator::PlacedEvent> first_events() const override { return {}; }
  [[nodiscard]] emulator::FpLanes fp_lanes(unsigned) const override { return {}; }

  /// What loading the program leaves in every chip, until the host writes or runs anything.
  [[nodiscard]] std::vector<isa::LongWord> read_pe(unsigned, unsigned block, unsigned pe,
                                                   const emulator::PeWords& where) const override {
    if (!fresh_) fresh_ = fresh_session();
    return fresh_->read_pe(0, block, pe, where);
  }
  [[nodiscard]] emulator::PeRegisters registers(unsigned, unsigned, unsigned) const override { refuse(); }
  [[nodiscard]] std::vector<isa::LongWord> read_bm(unsigned, unsigned, unsigned, unsigned) const override { refuse(); }
  void set_breakpoints(std::vector<emulator::Breakpoint>, std::function<void(const emulator::Stop&)>) override {
    refuse();
  }
  [[nodiscard]] emulator::BlockState state(unsigned, unsigned) const override { refuse(); }
  void set_state(unsigned, unsigned, const emulator::BlockState&) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw Error("a recording has no state: its blocks are executed one by one"); }

  [[nodiscard]] std::unique_ptr<emulator::Session> fresh_session() const {
    const std::unique_ptr<emulator::Engine> engine = emulator::make_engine(emulator::Engine::reference);
    std::unique_ptr<emulator::Session> session = engine->open(engine->lower(program()), {});
    const isa::Visitor again{
        [&](const BroadcastCommand& command) { session->broadcast(command.address, command.words); },
        [&](const InitializeCommand&) { session->initialize(); }, [](const ParticlesCommand&) { refuse(); },
        [](const emulator::Piece&) { refuse(); }};
    for (const HostCommand& command : into_.commands) std::visit(again, command);
    return session;
  }

  [[nodiscard]] std::vector<isa::LongWord>& memory_of(unsigned chip) {
    if (chip >= into_.memory.size()) {
      throw Error(fmt::format("chip = {} is refused: it must be 0 to {}", chip, into_.memory.size() - 1));
    }
    return into_.memory[chip];
  }

  std::shared_ptr<const emulator::Lowered> program_;
  std::uint64_t memory_words_;
  Recording& into_;
  std::uint64_t tickets_ = 0;
  mutable std::unique_ptr<emulator::Session> fresh_;  // one chip
};

class Recorder final : public emulator::Engine {
 public:
  explicit Recorder(Recording& into) : into_(into) {}
  [[nodiscard]] std::shared_ptr<const emulator::Lowered> lower(const isa::Program& program) const override {
    // Programs that no run could execute are rejected here by the engine that executes them later.
    static_cast<void>(emulator::make_engine(emulator::Engine::reference)->lower(program));
    return std::make_shared<RecordedProgram>(program);
  }
  [[nodiscard]] std::unique_ptr<emulator::Session> open(std::shared_ptr<const emulator::Lowered> program,
                                                        const emulator::SessionOptions& options) const override {
    return std::make_unique<RecordingSession>(std::move(program), options, into_);
  }

 private:
  Recording& into_;
};

}  // namespace

std::vector<ParticleField> fields_of(const isa::Program& program, const ParticlesCommand& command) {
  std::vector<ParticleField> fields;
  for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
    const unsigned entry_words = isa::kVectorElements * isa::short_words(variable->width);
    for (unsigned entry = 0; entry < variable->elements; ++entry) {
      fields.push_back({{variable->memory, static_cast<std::uint16_t>(variable->address + entry * entry_words),
                         variable->width, isa::kVectorElements},
                        std::span(command.words).subspan(fields.size() * command.particles, command.particles)});
    }
  }
  return fields;
}

std::unique_ptr<emulator::Engine> make_recorder(Recording& into) { return std::make_unique<Recorder>(into); }

}  // namespace gdr::hostlib
