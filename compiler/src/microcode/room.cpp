// Whether the data that a function declares fits into the machine, told in the words of the function.
#include <fmt/format.h>

#include "microcode.h"

namespace gdr::compiler {
namespace {

/// Words of the broadcast memory that j-data and parameters have, each of which takes one.
constexpr unsigned kBroadcastWords = isa::kBmShortWords / 2 - isa::kTransferWindowWords;

const Field& field_of(const PairFunction& function, const Variable& variable) {
  return function.records[static_cast<std::size_t>(variable.record)][variable.field];
}

unsigned short_words_of(const Variable& variable) { return isa::short_words(variable.width) * isa::kVectorElements; }

class Room {
 public:
  Room(const Microcode& code, const PairFunction& function, std::vector<Message>& errors)
      : code_(code), function_(function), errors_(errors) {}

  void local() {
    unsigned taken = code_.experiment ? kFormShortWords : 0;
    const Variable* outside = nullptr;
    for (const Variable& variable : code_.variables) {
      if (variable.home != Variable::Home::local || variable.own) continue;
      taken += short_words_of(variable);
      if (taken > isa::kLmShortWords && outside == nullptr) outside = &variable;
    }
    if (outside == nullptr) return;
    refuse(
        *outside,
        fmt::format("{} take {} short words of the local memory of a PE, {} more than the {} it has: a double or "
                    "long takes 8 of them, two for each of 4 {}, every other member 4",
                    code_.experiment ? "start, state and results" : "i-data and results", taken,
                    taken - isa::kLmShortWords, isa::kLmShortWords, code_.experiment ? "experiments" : "i-particles"));
  }

  void broadcast() {
    unsigned of_j = 0;
    unsigned parameters = 0;
    for (const Variable& variable : code_.variables) {
      of_j += variable.record == Record::j ? 1 : 0;
      parameters += variable.record == Record::parameter ? 1 : 0;
    }
    const unsigned taken = 2 * of_j + parameters;
    if (taken <= kBroadcastWords) return;
    unsigned before = of_j <= kBroadcastWords / 2 ? 2 * of_j : 0;
    for (const Variable& variable : code_.variables) {
      if (variable.record != (of_j <= kBroadcastWords / 2 ? Record::parameter : Record::j)) continue;
      before += variable.record == Record::j ? 2 : 1;
      if (before <= kBroadcastWords) continue;
      const char* what = code_.experiment ? "parameters" : "two j-particles and the parameters";
      return refuse(variable, fmt::format("{} take {} words of the broadcast memory of a block, {} more than the {} "
                                          "that it has for them",
                                          what, taken, taken - kBroadcastWords, kBroadcastWords));
    }
  }

 private:
  void refuse(const Variable& variable, const std::string& why) {
    const Field& field = field_of(function_, variable);
    const Place& place = field.place.line > 0 ? field.place : function_.place;
    errors_.push_back({place, fmt::format("member '{}' does not fit: {}", field.name, why)});
  }

  const Microcode& code_;
  const PairFunction& function_;
  std::vector<Message>& errors_;
};

}  // namespace

void check_room(const Microcode& code, const PairFunction& function, std::vector<Message>& errors) {
  Room room(code, function, errors);
  room.local();
  room.broadcast();
}

unsigned local_words_left(const Microcode& code) {
  unsigned taken = code.experiment ? kFormShortWords : 0;
  for (const Variable& variable : code.variables) {
    if (variable.home != Variable::Home::local) continue;
    taken += isa::short_words(variable.width) * (variable.scalar ? 1 : isa::kVectorElements);
  }
  return isa::kLmShortWords - std::min<unsigned>(taken, isa::kLmShortWords);
}

}  // namespace gdr::compiler
