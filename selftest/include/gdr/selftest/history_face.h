// Faces: the interfaces through which histories ask chips for work. Each is an adapter of one interface, so that one
// driver asks all of them, and compares an engine with another one through any of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gdr/selftest/comparison.h"
#include "gdr/selftest/history_programs.h"

namespace gdr::selftest {

/// A run as a face is asked for it. Blocks are divided into `parts`, iterations into pieces.
struct RunAsked {
  emulator::ChipRange chips;
  emulator::BlockRange blocks;
  unsigned first_record = 0;  // in external memory
  unsigned records = 0;
  unsigned live_pes = 0;
  unsigned piece = 0;  // iterations; 0: one piece
  unsigned parts = 1;
  bool begins = true;
  bool ends = true;
  std::uint64_t run = 1;
  std::uint64_t first_iteration = 0;
};

/// Chips with a program, external memory of kHistoryRecords j-records for each chip, and nothing undefined: the driver
/// asks for what it knows to be defined, within the limits of the program. Errors of the engine pass through.
class Face {
 public:
  virtual ~Face() = default;

  /// Loads the program with this index in the list that the face was made with. All state is zero, events too.
  virtual void load(std::size_t program) = 0;
  /// A face of its own with the same programs and threads, on which nothing is loaded.
  [[nodiscard]] virtual std::unique_ptr<Face> another() const = 0;
  /// A copy with the same state; null if this interface has none.
  [[nodiscard]] virtual std::unique_ptr<Face> clone() const { return nullptr; }
  /// False if this interface has no such call.
  virtual bool patch() { return false; }

  virtual void initialize(emulator::ChipRange chips, emulator::BlockRange blocks) = 0;
  /// `words` has shape [variable][PE][word] for the variables of kind hlt. A face that writes from PE 0 on alone is
  /// given `first_pe` 0.
  [[nodiscard]] virtual bool writes_from_any_pe() const = 0;
  virtual void write_particles(emulator::ChipRange chips, emulator::BlockRange blocks, unsigned first_pe, unsigned pes,
                               const std::vector<std::vector<LongWord>>& words) = 0;
  virtual void write_records(emulator::ChipRange chips, unsigned first, std::span<const LongWord> words) = 0;
  virtual void write_pe(emulator::ChipRange chips, emulator::BlockRange blocks, unsigned pe,
                        const emulator::PeWords& where, LongWord word) = 0;
  /// A face that writes to all broadcast memories at once does so whatever the range is.
  [[nodiscard]] virtual bool writes_bm_of_one_block() const = 0;
  virtual void write_bm(emulator::ChipRange chips, emulator::BlockRange blocks, unsigned address, LongWord word) = 0;
  virtual void write_registers(emulator::ChipRange chips, unsigned block, unsigned pe,
                               const emulator::PeRegisters& registers) = 0;

  /// Returns the words that `collect` lines bring out, if the program has any.
  virtual std::vector<LongWord> run(const RunAsked& run) = 0;
  /// The first `results` results of each result variable, or of one of them alone.
  [[nodiscard]] virtual std::vector<LongWord> collect(unsigned chip, unsigned results, std::size_t variable) = 0;
  [[nodiscard]] virtual std::vector<LongWord> read_pe(unsigned chip, unsigned block, unsigned pe,
                                                      const emulator::PeWords& where) = 0;
  [[nodiscard]] virtual std::vector<LongWord> read_bm(unsigned chip, unsigned block, unsigned address,
                                                      unsigned count) = 0;
  [[nodiscard]] virtual emulator::BlockState state(unsigned chip, unsigned block) = 0;
  [[nodiscard]] virtual std::vector<Outcome::Events> events() = 0;

  /// Makes call number `which` (any number) with an argument outside its range. True if it was refused as documented.
  virtual bool refuses(unsigned which) = 0;
  /// Sets a breakpoint at this line (any number) of the loop body, or ends breakpoints; nothing happens if the engine
  /// cannot stop.
  virtual void stop_at(unsigned /*line*/) {}
};

/// An engine as histories make it: chips, sessions, or both.
struct HistoryEngine {
  std::function<std::unique_ptr<emulator::Chip>()> chip = {};
  std::function<std::unique_ptr<emulator::Engine>()> engine = {};
};

using HistoryPrograms = std::vector<std::shared_ptr<const HistoryProgram>>;

/// One chip, asked directly, with its blocks divided among `threads`. Programs are lowered anew for each call.
[[nodiscard]] std::unique_ptr<Face> chip_face(const HistoryEngine& engine, const HistoryPrograms& programs,
                                              unsigned threads);
/// A session with `chips` chips. Its work goes on in the background until somebody looks.
[[nodiscard]] std::unique_ptr<Face> session_face(const HistoryEngine& engine, const HistoryPrograms& programs,
                                                 unsigned chips, unsigned threads);
/// What such a session should give, on chips that are asked directly.
[[nodiscard]] std::unique_ptr<Face> session_witness(const HistoryEngine& engine, const HistoryPrograms& programs,
                                                    unsigned chips);

}  // namespace gdr::selftest
