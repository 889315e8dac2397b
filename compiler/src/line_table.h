// Ports and units of a section's lines, as one schedule takes them, with a way back to before an operation.
#pragma once

#include <array>
#include <vector>

#include "gdr/isa/isa.h"

namespace gdr::compiler {

/// -1 stands for nothing; other numbers are keys of what takes a port.
struct LineState {
  std::array<int, isa::kUnits + 1> unit;
  std::array<int, isa::kGprReadPorts> gpr_read;
  int local_read;
  int broadcast_read;
  int immediate;
  int gpr_write;
  int local_write;
  int t_held;    // the value that T must have when the line begins
  int pressure;  // short words of registers in use
};

/// Changes since the last commit() can be taken back.
class Journal {
 public:
  void set(int& place, int value) {
    changes_.push_back({&place, place});
    place = value;
  }
  void commit() { changes_.clear(); }
  void roll_back() {
    while (!changes_.empty()) {
      *changes_.back().place = changes_.back().before;
      changes_.pop_back();
    }
  }
  [[nodiscard]] std::size_t mark() const { return changes_.size(); }
  void roll_back_to(std::size_t mark) {
    while (changes_.size() > mark) {
      *changes_.back().place = changes_.back().before;
      changes_.pop_back();
    }
  }

 private:
  struct Change {
    int* place;
    int before;
  };
  std::vector<Change> changes_;
};

}  // namespace gdr::compiler
