// Compares engines on the same input: everything that a host can see must be equal, including faults.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gdr/emulator/session.h"
#include "gdr/selftest/input.h"

namespace gdr::selftest {

/// What a host sees after an input has run, on all blocks or on one range of them.
struct Outcome {
  struct Block {
    unsigned chip = 0;
    unsigned number = 0;
    unsigned live_pes = 0;       // the words of other PEs are undefined
    emulator::BlockState state;  // at least for the live PEs
  };
  struct Events {
    std::string of;  // "chip 0, block 3"
    emulator::FpEvents counted;
    std::vector<emulator::PlacedEvent> first;
  };
  std::optional<emulator::Fault> fault;
  std::vector<Block> blocks;  // after a fault, this and all that follows is empty
  std::vector<Events> events;
  std::vector<LongWord> results;  // long words that left the chips, in order
};

/// Where two outcomes differ.
struct Difference {
  std::string place;  // "chip 0, block 3, PE 4, $lr12"
  std::string expected;
  std::string found;
};
[[nodiscard]] std::string text_of(const Difference& difference);
/// The first difference; nothing if the outcomes are equal.
[[nodiscard]] std::optional<Difference> difference(const std::vector<Outcome>& expected,
                                                   const std::vector<Outcome>& found);

/// An engine that can run inputs.
class Subject {
 public:
  virtual ~Subject() = default;
  /// Runs an input. Throws gdr::Error for an error that is not due to the input, such as a difference that lockstep
  /// finds.
  [[nodiscard]] virtual std::vector<Outcome> run(const Input& input, const InputData& data) = 0;
};

/// A chip that is driven block by block. It shows the events of each block and the words that each block collects.
/// There is one outcome for each range. If the input has several chips, only the first is run.
[[nodiscard]] std::unique_ptr<Subject> chip_subject(std::unique_ptr<emulator::Chip> chip);
/// A session for each input with all its chips, on `threads`. There is one outcome; it has what the reduction tree
/// makes of the words that the blocks collect.
[[nodiscard]] std::unique_ptr<Subject> session_subject(std::unique_ptr<emulator::Engine> engine,
                                                       std::shared_ptr<emulator::ThreadPool> threads);

/// An engine to be compared with the expected one.
struct Candidate {
  std::string name;
  std::unique_ptr<Subject> subject;
  std::function<bool(std::uint64_t seed)> takes_part = {};  // whether it runs the input of a seed; empty: it runs all
};

/// An engine whose outcome differs from the expected one.
struct Finding {
  std::string engine;
  Difference difference;
  Input input;  // the smallest part of the input that was found to show the difference
};

/// Compares other engines with one that is taken to be right.
class Comparison {
 public:
  Comparison(std::unique_ptr<Subject> expected, std::vector<Candidate> others);

  /// Runs the input on all engines and compares words of live PEs, T, flags, BM, results, events and faults with their
  /// places. Returns the first engine that differs.
  [[nodiscard]] std::optional<Finding> run(const Input& input);
  /// Excludes an engine from later comparisons.
  void leave_out(const std::string& engine);
  [[nodiscard]] bool has_candidates() const { return !others_.empty(); }

 private:
  [[nodiscard]] std::optional<Finding> check(const Input& input);
  [[nodiscard]] Finding shrunk(Finding finding);

  std::unique_ptr<Subject> expected_;
  std::vector<Candidate> others_;
};

}  // namespace gdr::selftest
