// Names of sections and the questions a program answers about its variables.
#include "gdr/isa/program.h"

namespace gdr::isa {
namespace {

struct SectionNames {
  std::string_view name;
  std::string_view key;
};
constexpr std::array<SectionNames, kSections> kSectionNames{{{"initialization", "initialization"},
                                                             {"loop initialization", "loop_initialization"},
                                                             {"loop body", "loop_body"},
                                                             {"loop termination", "loop_termination"}}};

}  // namespace

std::string_view name_of(Section section) { return kSectionNames[static_cast<std::size_t>(section)].name; }
std::string_view name_of(MoveKind kind) { return kind == MoveKind::transfer ? "transfer" : "collect"; }

unsigned Program::address_of(const Move& move) const {
  return variables[move.variable].address + 2u * kVectorElements * move.first;
}
unsigned Program::words_of(const Move& move) const {
  return move.kind == MoveKind::collect ? kVectorElements * unsigned{move.entries} : 0;
}

std::string_view key_of(Section section) { return kSectionNames[static_cast<std::size_t>(section)].key; }

std::vector<const Variable*> Program::variables_by(Transfer transfer) const {
  std::vector<const Variable*> chosen;
  for (const Variable& variable : variables) {
    if (variable.transfer == transfer) chosen.push_back(&variable);
  }
  return chosen;
}

std::size_t Program::record_fields(Transfer transfer) const {
  std::size_t fields = 0;
  for (const Variable* variable : variables_by(transfer)) fields += variable->elements;
  return fields;
}

}  // namespace gdr::isa
