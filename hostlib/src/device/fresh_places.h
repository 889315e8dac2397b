// The i-data of places that a run gives no i-record.
#pragma once

#include <vector>

#include "gdr/emulator/session.h"
#include "gdr/isa/program.h"

namespace gdr::hostlib {

/// The i-data of all places as loading a program left them. A place is an element of a PE. Earlier runs wrote i-records
/// to places, and the program itself may have changed its i-data there: before a run, every place that gets no
/// i-record is given what it had when the device was fresh, so that a result never depends on i-records of earlier
/// runs. The host's zeros of load() are neither counted nor timed, and so are these words.
class FreshPlaces {
 public:
  FreshPlaces() = default;
  /// Of the program that the session has just loaded, before its first run.
  FreshPlaces(const isa::Program& program, const emulator::Session& session);

  /// Before a run of Type I of `count` i-records, at most 128: all blocks get the same.
  void before_run(emulator::Session& session, std::size_t count);
  /// Before a run of Type II of `count` i-records, dealt out to all blocks of all chips in turn.
  void before_turns(emulator::Session& session, std::size_t count);

 private:
  /// The words of a block, shape [field][place].
  [[nodiscard]] const std::vector<isa::LongWord>& of_block(unsigned block) const {
    return blocks_.size() == 1 ? blocks_.front() : blocks_[block];
  }
  /// True from the second run on, if there are i-data at all.
  [[nodiscard]] bool are_used();

  std::vector<std::vector<isa::LongWord>> blocks_;  // one for all if no section `initialization` may set i-data
  bool every_place_counts_ = false;                 // of Type I: PEs without i-records may reach others through BM
  bool used_ = false;
};

}  // namespace gdr::hostlib
