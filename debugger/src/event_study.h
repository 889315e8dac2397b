// Which floating-point events of a block had values that reached a result. A compiled function computes both sides of
// its conditions, so events happen whose values no result takes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gdr/emulator/block_stepper.h"

namespace gdr::debugger {

/// Follows the values of events through the words of one block, line by line. The events of one element in one
/// iteration are one group: it is taken as a whole if a word that depends on one of its values is written to a result
/// or to broadcast memory. If two groups meet in a word, the older one counts as taken, so what is called untaken is
/// untaken.
class EventStudy {
 public:
  explicit EventStudy(const isa::Program& program);

  /// Takes the line that the block has just executed.
  void follow(const emulator::NextLine& line, const emulator::BlockStepper& block);

  /// Events of the groups that were not taken so far, and the first of the others, in order.
  [[nodiscard]] emulator::FpEvents untaken() const;
  void add_taken(emulator::FirstEvents& first) const;

 private:
  using Group = std::uint32_t;  // index into groups_; 0: none
  struct Events {
    emulator::FpEvents counts;
    std::vector<emulator::PlacedEvent> first;
    bool taken = false;
  };
  struct Line {
    std::vector<isa::Access> accesses;
    unsigned elements = 0;
  };
  /// The groups that the words of a PE depend on.
  struct Pe {
    std::array<Group, isa::kVectorElements> t{};
    std::array<std::array<Group, isa::kVectorElements>, isa::kFlags + 1> flags{};
    std::array<Group, isa::kGprShortWords> gpr{};
    std::array<Group, isa::kLmShortWords> lm{};
    bool depends = false;                           // some word may
    std::array<Group, isa::kVectorElements> own{};  // of this iteration
  };
  /// What the last line wrote of an element, and which of its units had events.
  struct Done {
    bool t = false;
    bool gpr = false;
    bool lm = false;
    bool bm = false;
    std::array<bool, isa::kFlags + 1> flags{};
    std::array<bool, isa::kUnits + 1> events{};
  };
  using DoneOfPe = std::array<Done, isa::kVectorElements>;

  void begin_iteration(const emulator::NextLine& line);
  void follow(const Line& line, Pe& pe, const DoneOfPe& done);
  [[nodiscard]] Group joined(Group a, Group b);
  [[nodiscard]] Group read(const Pe& pe, const isa::Access& access, unsigned element);
  void write(Pe& pe, const isa::Access& access, unsigned element, Group value, Group gate, const Done& done);
  [[nodiscard]] bool is_result(const isa::Access& access, unsigned element) const;
  void take(Group group);

  std::array<std::vector<Line>, isa::kSections> lines_;
  std::vector<bool> result_gpr_ = std::vector<bool>(isa::kGprShortWords);
  std::vector<bool> result_lm_ = std::vector<bool>(isa::kLmShortWords);
  std::vector<Events> groups_{Events{}};
  std::vector<Pe> pes_ = std::vector<Pe>(isa::kPesPerBlock);
  isa::Section section_ = isa::Section::initialization;
  std::uint64_t iteration_ = 0;
};

}  // namespace gdr::debugger
