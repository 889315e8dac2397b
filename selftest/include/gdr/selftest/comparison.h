// Engines side by side on one input: everything a host can see must be equal, faults included.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gdr/emulator/session.h"
#include "gdr/selftest/input.h"

namespace gdr::selftest {

/// What a host sees of an input, or of one range of its blocks.
struct Outcome {
  struct Block {
    unsigned chip = 0;
    unsigned number = 0;
    unsigned live_pes = 0;       // the words of others are undefined
    emulator::BlockState state;  // of live PEs at least
  };
  struct Events {
    std::string of;  // "chip 0, block 3"
    emulator::FpEvents counted;
    std::vector<emulator::PlacedEvent> first;
  };
  std::optional<emulator::Fault> fault;
  std::vector<Block> blocks;  // nothing from here on after a fault
  std::vector<Events> events;
  std::vector<LongWord> results;  // that left the chips, in order
};

/// Where two outcomes differ.
struct Difference {
  std::string place;  // "chip 0, block 3, PE 4, $lr12"
  std::string expected;
  std::string found;
};
[[nodiscard]] std::string text_of(const Difference& difference);
/// The first difference, if there is one.
[[nodiscard]] std::optional<Difference> difference(const std::vector<Outcome>& expected,
                                                   const std::vector<Outcome>& found);

/// An engine at work on inputs.
class Subject {
 public:
  virtual ~Subject() = default;
  /// Throws gdr::Error for what the input cannot be blamed for, such as a difference that lockstep finds.
  [[nodiscard]] virtual std::vector<Outcome> run(const Input& input, const InputData& data) = 0;
};

/// A chip driven block by block, which shows the events of each block and the words that each block collects: an
/// outcome for each range. Of an input with several chips it runs the first.
[[nodiscard]] std::unique_ptr<Subject> chip_subject(std::unique_ptr<emulator::Chip> chip);
/// A session for each input, with all chips of it, on `threads`: one outcome, with what the reduction tree makes of the
/// words that the blocks collect.
[[nodiscard]] std::unique_ptr<Subject> session_subject(std::unique_ptr<emulator::Engine> engine,
                                                       std::shared_ptr<emulator::ThreadPool> threads);

/// An engine that is compared with another one.
struct Candidate {
  std::string name;
  std::unique_ptr<Subject> subject;
  std::function<bool(std::uint64_t seed)> takes_part = {};  // in inputs of which seeds; empty: all
};

/// An engine whose outcome differs.
struct Finding {
  std::string engine;
  Difference difference;
  Input input;  // the smallest part found of the input that still shows it
};

/// One engine, which is right, and others that must do the same.
class Comparison {
 public:
  Comparison(std::unique_ptr<Subject> expected, std::vector<Candidate> others);

  /// Runs the input on all of them and compares: words of live PEs, T, flags, BM, results, events and faults with their
  /// places. Returns the first engine that differs.
  [[nodiscard]] std::optional<Finding> run(const Input& input);
  /// Leaves an engine out from now on.
  void leave_out(const std::string& engine);
  [[nodiscard]] bool has_candidates() const { return !others_.empty(); }

 private:
  [[nodiscard]] std::optional<Finding> check(const Input& input);
  [[nodiscard]] Finding shrunk(Finding finding);

  std::unique_ptr<Subject> expected_;
  std::vector<Candidate> others_;
};

}  // namespace gdr::selftest
