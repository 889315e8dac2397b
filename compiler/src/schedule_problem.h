// What the schedules of one section have in common, and what distinguishes one try from another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "microcode.h"
#include "schedule.h"

namespace gdr::compiler {

inline constexpr int kNone = -1;
inline constexpr unsigned kForward = 1;   // lines until a value can be read through T
inline constexpr unsigned kRegister = 2;  // and from elsewhere

/// What the schedules of one section have in common.
class Problem {
 public:
  Problem(const Microcode& code_in, const Operations& section_in, const ScheduleOptions& options_in)
      : code(code_in), section(section_in), options(options_in) {
    const std::size_t size = section.size();
    readers.resize(size);
    flag_readers.assign(size, 0);
    flag_root.resize(size);
    needs.resize(size);
    for (int n = 0; n < count(); ++n) {
      const Operation& operation = at(n);
      flag_root[static_cast<std::size_t>(n)] = n;
      for (const Operand& operand : operation.operands) {
        if (operand.kind == Operand::Kind::value) {
          readers[static_cast<std::size_t>(operand.index)].push_back(n);
          needs[static_cast<std::size_t>(n)].push_back({operand.index, operand.component >= 0 ? kRegister : kForward});
        }
      }
      if (operation.into >= 0) needs[static_cast<std::size_t>(n)].push_back({operation.into, 1});
      if (operation.predicate >= 0) needs[static_cast<std::size_t>(n)].push_back({operation.predicate, kRegister});
      if (operation.flag_into >= 0) needs[static_cast<std::size_t>(n)].push_back({operation.flag_into, 1});
      if (operation.after >= 0) needs[static_cast<std::size_t>(n)].push_back({operation.after, kRegister});
    }
    old_readers();
    roots();
    heights();
    beside_variables();
  }

  struct Need {
    int operation;
    unsigned lines;  // from its line to the one that needs it, at least
  };

  [[nodiscard]] int count() const { return static_cast<int>(section.size()); }
  [[nodiscard]] const Operation& at(int n) const { return section[static_cast<std::size_t>(n)]; }
  [[nodiscard]] static unsigned length(const Operation& operation) { return operation.op == isa::Op::FMULL ? 2 : 1; }

  const Microcode& code;
  const Operations& section;
  const ScheduleOptions& options;
  std::vector<std::vector<int>> readers;
  std::vector<std::vector<Need>> needs;
  std::vector<int> flag_readers;  // of the flag that an operation's root sets: operations that wait for it
  std::vector<int> flag_root;
  std::vector<int> height;
  std::vector<char> not_local;  // values whose readers need local memory's port for a variable
  bool cyclic = false;

 private:
  /// A variable that is written is read before by those that mean its old word.
  void old_readers() {
    for (int n = 0; n < count(); ++n) {
      if (at(n).variable < 0) continue;
      for (int reader = 0; reader < count(); ++reader) {
        if (reader == n || at(reader).after >= 0) continue;
        for (const Operand& operand : at(reader).operands) {
          if (operand.kind == Operand::Kind::variable && operand.index == at(n).variable) {
            needs[static_cast<std::size_t>(n)].push_back({reader, 0});
          }
        }
      }
    }
    // Whoever reads the base of a merge beside the one that overwrites it does so before.
    for (int n = 0; n < count(); ++n) {
      if (at(n).into < 0) continue;
      for (const int reader : readers[static_cast<std::size_t>(at(n).into)]) {
        if (reader != n) needs[static_cast<std::size_t>(n)].push_back({reader, 0});
      }
    }
  }

  void beside_variables() {
    not_local.assign(section.size(), 0);
    for (int n = 0; n < count(); ++n) {
      bool local = false;
      for (const Operand& operand : at(n).operands) {
        local = local || (operand.kind == Operand::Kind::variable &&
                          code.variables[static_cast<std::size_t>(operand.index)].home == Variable::Home::local);
      }
      if (!local) continue;
      for (const Operand& operand : at(n).operands) {
        if (operand.kind == Operand::Kind::value) not_local[static_cast<std::size_t>(operand.index)] = 1;
      }
    }
  }

  void roots() {
    for (int n = 0; n < count(); ++n) {
      int root = n;
      for (int steps = 0; at(root).flag_into >= 0 && steps < count(); ++steps) root = at(root).flag_into;
      flag_root[static_cast<std::size_t>(n)] = root;
      if (root != n) ++flag_readers[static_cast<std::size_t>(root)];
    }
    for (int n = 0; n < count(); ++n) {
      if (at(n).predicate >= 0) {
        ++flag_readers[static_cast<std::size_t>(flag_root[static_cast<std::size_t>(at(n).predicate)])];
      }
    }
  }

  void heights() {
    height.assign(section.size(), 0);
    bool changed = true;
    for (int round = 0; changed && round <= count(); ++round) {
      changed = false;
      for (int n = count() - 1; n >= 0; --n) {
        int& own = height[static_cast<std::size_t>(n)];
        own = std::max(own, static_cast<int>(length(at(n))));
        for (const Need& need : needs[static_cast<std::size_t>(n)]) {
          const Operation& before = at(need.operation);
          const int from = own + static_cast<int>(need.lines) + static_cast<int>(length(before)) - 1;
          int& other = height[static_cast<std::size_t>(need.operation)];
          if (other < from) other = from, changed = true;
        }
      }
    }
    cyclic = changed;
  }
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64 (Steele, Lea, Flood 2014)
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  int below(int limit) { return static_cast<int>(next() % static_cast<std::uint64_t>(limit)); }

 private:
  std::uint64_t state_;
};

/// What distinguishes one try from another.
struct Genes {
  std::vector<int> priority;     // of operations
  std::vector<char> preference;  // of operands' places: T first, register first, local memory first
  bool careful = false;          // every value gets a register, or a word of local memory, at once
  bool flags_in_order = false;   // flags are taken in the order of the source, which needs few at once
};

}  // namespace gdr::compiler
