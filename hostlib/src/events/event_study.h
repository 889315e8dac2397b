// Which floating-point events of PEs had values that reached a result. A compiled function computes both sides of its
// conditions, and blocks without a record compute on zeros, so events happen whose values no result takes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gdr/emulator/block_stepper.h"
#include "gdr/isa/word.h"
#include "kernel_words.h"

namespace gdr::hostlib {

/// Follows the values of events through the words of some PEs of a block, line by line. The events of one element in
/// one iteration are one group: it is taken as a whole if a word that depends on one of its values is written to a
/// result or to broadcast memory. If two groups meet in a word, the older one counts as taken, so what is called
/// untaken is untaken. Words depend bit by bit, as in Memcheck [Seward and Nethercote 2005]: `false and x` depends on
/// no x, and a write that leaves a word as it is on no condition.
class EventStudy {
 public:
  /// True if the host takes the results of an element of a PE, by the PE's number in the block stepper.
  using IsCollected = std::function<bool(unsigned pe, unsigned element)>;
  /// `words` must outlive the study.
  EventStudy(const KernelWords& words, unsigned pes, IsCollected is_collected);

  /// Call it before the block executes the line.
  void look_at(const emulator::NextLine& line, const emulator::BlockStepper& block);
  /// Takes the line that the block has just executed. True if it had events.
  bool follow(const emulator::NextLine& line, const emulator::BlockStepper& block);
  /// Forgets what depends on events in words that nothing reads from here on. True if nothing is left.
  bool forget_all_but(const PeWordSet& live);
  /// Whoever reads such words later is not followed: the groups on which they depend count as taken.
  void take_the_rest();

  /// Events of the groups that were not taken so far, those of all groups, and the first of the taken ones, in order.
  [[nodiscard]] emulator::FpEvents untaken() const;
  [[nodiscard]] emulator::FpEvents all() const;
  void add_taken(emulator::FirstEvents& first) const;

 private:
  using Group = std::uint32_t;  // index into groups_; 0: none
  struct Events {
    emulator::FpEvents counts;
    std::vector<emulator::PlacedEvent> first;
    bool taken = false;
  };
  /// What a word depends on. A short word has the upper half, a flag the top bit.
  struct Dependence {
    Group group = 0;
    isa::uint128 bits = 0;  // those that may differ if the group's values did; 0 if there is no group
  };
  struct Pe {
    std::array<Dependence, isa::kVectorElements> t{};
    std::array<std::array<Dependence, isa::kVectorElements>, isa::kFlags + 1> flags{};
    std::array<Dependence, isa::kGprShortWords> gpr{};
    std::array<Dependence, isa::kLmShortWords> lm{};
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

  /// A write as it will be if no unit of the line has an event.
  struct Write {
    isa::Access to;
    unsigned element = 0;
    isa::Unit unit = isa::Unit::none;
    Dependence value;
    Group gate = 0;           // on which it depends whether the word is written
    isa::uint128 differ = 0;  // bits in which the word before and the result differ, where there is a gate
    Dependence before;
  };
  class Reader;

  void begin_iteration(const emulator::NextLine& line);
  [[nodiscard]] std::vector<Write> writes_of(unsigned pe, const emulator::NextLine& line,
                                             const emulator::BlockStepper& block);
  void apply(const Write& write, unsigned pe, const Done& done);
  void store(Pe& pe, const isa::Access& access, unsigned element, const Dependence& word);
  [[nodiscard]] Group joined(Group a, Group b);
  [[nodiscard]] Dependence joined(const Dependence& a, const Dependence& b);
  [[nodiscard]] Dependence read(const Pe& pe, const isa::Access& access, unsigned element);
  void take(Group group);

  const KernelWords& words_;
  IsCollected is_collected_;
  std::vector<Events> groups_{Events{}};
  std::vector<Pe> pes_;
  std::vector<DoneOfPe> done_;
  std::vector<std::vector<Write>> writes_;  // of the PEs that depended on something before the line
  isa::Section section_ = isa::Section::initialization;
  std::uint64_t iteration_ = 0;
};

}  // namespace gdr::hostlib
