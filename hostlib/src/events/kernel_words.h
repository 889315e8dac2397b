// What the lines of a kernel do with the words of a PE: which words later iterations and runs read, and which hold
// results.
#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "gdr/isa/effects.h"
#include "gdr/isa/unit_work.h"

namespace gdr::hostlib {

/// A set of words of a PE.
struct PeWordSet {
  std::bitset<isa::kVectorElements> t;
  std::array<std::bitset<isa::kVectorElements>, isa::kFlags + 1> flags;
  std::bitset<isa::kGprShortWords> gpr;
  std::bitset<isa::kLmShortWords> lm;

  [[nodiscard]] bool has_registers() const;  // T or flags
  /// True if the set has a word of this access; of another storage than a PE's it has none.
  [[nodiscard]] bool meets(const isa::Access& access, unsigned element) const;
  void add(const isa::Access& access, unsigned element);
  friend bool operator==(const PeWordSet&, const PeWordSet&) = default;
};

class KernelWords {
 public:
  explicit KernelWords(const isa::Program& program);

  struct Line {
    std::vector<isa::Access> accesses;  // reads first
    unsigned elements = 0;
    isa::LineWork work;
  };
  [[nodiscard]] const Line& line(isa::Section section, std::size_t number) const {
    return lines_[static_cast<std::size_t>(section)][number];
  }
  [[nodiscard]] std::size_t lines_of(isa::Section section) const {
    return lines_[static_cast<std::size_t>(section)].size();
  }
  /// Words of the kernel's results.
  [[nodiscard]] const PeWordSet& results() const { return results_; }
  /// Words whose value at the begin of a section of the loop may be read: all others are written first.
  [[nodiscard]] const PeWordSet& live_in_loop() const { return live_in_loop_; }
  /// Words whose value at the begin of a run may be read.
  [[nodiscard]] const PeWordSet& live_in_run() const { return live_in_run_; }
  /// PEs are alike: no line asks for the number of its PE, works in one PE only, or writes to broadcast memory. A PE
  /// then does the same in the place of another one.
  [[nodiscard]] bool pes_alike() const { return pes_alike_; }
  /// No run reads what an earlier run has left in PEs or broadcast memory.
  [[nodiscard]] bool runs_apart() const { return runs_apart_; }
  /// At the edge between two iterations, or that to loop termination, no line reads what the line before it writes.
  [[nodiscard]] bool quiet_edge() const { return quiet_edge_; }

 private:
  [[nodiscard]] PeWordSet read_in(isa::Section section, PeWordSet written) const;
  [[nodiscard]] PeWordSet written_in(isa::Section section) const;
  void find_runs_apart(const isa::Program& program);
  void find_quiet_edge();

  std::array<std::vector<Line>, isa::kSections> lines_;
  std::array<std::vector<bool>, isa::kSections> masked_;
  PeWordSet results_;
  PeWordSet live_in_loop_;
  PeWordSet live_in_run_;
  bool pes_alike_ = true;
  bool stores_ = false;  // to broadcast memory
  bool runs_apart_ = true;
  bool quiet_edge_ = true;
};

}  // namespace gdr::hostlib
