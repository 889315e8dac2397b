// Prints a scheduled kernel as readable assembly source.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/isa/program.h"
#include "microcode/microcode.h"
#include "schedule.h"

namespace gdr::compiler {

struct Scheduled {
  const PairFunction& function;
  const Microcode& code;
  const Schedule& initialization;
  const Schedule& body;
  const Schedule& termination;
  std::array<Place, isa::kSections> functions;  // of which the sections are made; lines without a statement stand there
};

/// A place of operations of one line, the units that work on them, and the variables whose values they compute.
struct PlaceOfLine {
  Place place;
  isa::UnitBits units = 0;
  std::vector<assembler::WrittenValue> values{};
};

/// The whole source, and the places of the operations of its lines of code.
struct PrintedKernel {
  std::string text;
  // By the line's number, from 1: each line of the user's files once for each call of its function.
  std::map<unsigned, std::vector<PlaceOfLine>> places;
  std::vector<Message> unused;  // what is said of members and results that the function does not use
};

/// `head` is the first comment, a line without `#`.
[[nodiscard]] PrintedKernel source_of(const Scheduled& kernel, const std::string& head);

}  // namespace gdr::compiler
