// Homes of values in schedules with Genes::homes. Each value that the next line does not take in T gets one as soon as
// that line is filled, and holds it until its last reader. Registers are few: if a value needs some, and another is
// needed later, the other one moves to local memory. It must have been written there in its line, so this is possible
// where the port of that line is free. [Belady 1966: of pages, the one that is needed last leaves]
#include <algorithm>
#include <array>
#include <limits>

#include "placement.h"

namespace gdr::assembler {

/// The last value that was written to the place so far.
std::size_t Placement::top_of(std::size_t root) const {
  std::size_t top = root;
  while (over_[top] >= 0 && values_[static_cast<std::size_t>(over_[top])].line >= 0) {
    top = static_cast<std::size_t>(over_[top]);
  }
  return top;
}

/// The priority of the most urgent operation that still needs the place.
int Placement::urgency_of(std::size_t root) const {
  int urgency = std::numeric_limits<int>::min();
  const auto note = [&](std::size_t operation) {
    if (operations_[operation].line < 0) urgency = std::max(urgency, genes_->priorities[bundle_of_[operation]]);
  };
  for (int value = static_cast<int>(root); value >= 0; value = over_[static_cast<std::size_t>(value)]) {
    note(graph_.values[static_cast<std::size_t>(value)].operation);
    for (const std::size_t reader : graph_.values[static_cast<std::size_t>(value)].readers) note(reader);
  }
  return urgency;
}

/// Short words of registers that values hold after the line.
int Placement::words_held(std::size_t line) const {
  int words = 0;
  for (const std::size_t root : held_) {
    const bool needed = has_home(root, Way::gpr) && uses_left_[root] > 0;
    if (needed || values_[root].gpr_until > static_cast<int>(line)) words += words_of(root);
  }
  return words;
}

/// True if the place may be in local memory from now on: no operation would read two words there.
bool Placement::may_move_to_lm(std::size_t root) const {
  if (!graph_.values_in_lm || lm_held_ + lm_copies_ + words_of(root) > static_cast<int>(lm_free_)) return false;
  for (int at = static_cast<int>(root); at >= 0; at = over_[static_cast<std::size_t>(at)]) {
    const auto value = static_cast<std::size_t>(at);
    if (register_readers_left_[value] > 0 || meets_another_in_lm(value)) return false;
    if (values_[value].line >= 0 && values_[value].lm == 0 && lines_[line_of(value)].lm_write >= 0) return false;
  }
  return true;
}

/// True if the value can give its registers away, so that another may have them from this line on.
bool Placement::may_leave(std::size_t root, std::size_t line) const {
  return has_home(root, Way::gpr) && uses_left_[root] > 0 && values_[root].gpr_until <= static_cast<int>(line) &&
         may_move_to_lm(root);
}

/// True if registers are free after the line for another value, or can be made free.
bool Placement::has_words(std::size_t line) const {
  constexpr int kWords = static_cast<int>(isa::kVectorElements * isa::short_words(isa::Width::long_word));
  int more = words_held(line) + gpr_copies_ + kWords - static_cast<int>(gpr_free_);
  // Lines before this one get their registers first.
  for (std::size_t before = now_ == 0 ? 0 : now_ - 1; before < line; ++before) {
    const Homeless homeless = homeless_of(before);
    if (homeless.all > 1 || homeless.for_registers > 0) more += kWords;
  }
  for (std::size_t at = 0; more > 0 && at < held_.size(); ++at) {
    if (may_leave(held_[at], line)) more -= words_of(held_[at]);
  }
  return more <= 0;
}

/// A value that overwrites another one stands where that one does.
bool Placement::stand_with_base(std::size_t value) {
  if (graph_.values[value].base < 0) return true;
  note_use(value);
  const int home = homes_[root_[value]];
  return home == 0 || stand(value, has_home(value, Way::gpr));
}

void Placement::note_use(std::size_t value) {
  const std::size_t root = root_[value];
  set(uses_left_[root], uses_left_[root] - 1);
  if (uses_left_[root] == 0 && has_home(root, Way::lm)) set(lm_held_, lm_held_ - words_of(root));
}

/// Gives homes to the values of a line that are needed after the next one.
bool Placement::give_homes(std::size_t line) {
  journal_.clear();
  std::erase_if(held_, [&](std::size_t root) {
    return values_[root].gpr_until <= static_cast<int>(line) && (uses_left_[root] == 0 || !has_home(root, Way::gpr));
  });
  std::array<std::size_t, 2> roots{};
  std::size_t count = 0;
  for (const int result : lines_[line].results) {
    if (result < 0 || !is_homeless(static_cast<std::size_t>(result))) continue;
    const std::size_t root = root_[static_cast<std::size_t>(result)];
    if (homes_[root] != 0) continue;
    if (count == roots.size()) return false;
    roots[count++] = root;
  }
  const auto wants_lm = [&](std::size_t root) {
    return genes_->preferences[root] == Preference::lm_first || genes_->preferences[root] == Preference::t_then_lm;
  };
  const auto is_before = [&](std::size_t a, std::size_t b) {
    if (wants_lm(a) != wants_lm(b)) return wants_lm(b);
    return urgency_of(a) > urgency_of(b);
  };
  if (count == 2 && is_before(roots[1], roots[0])) std::swap(roots[0], roots[1]);
  const auto give = [&](std::size_t root, Way way, bool at_any_cost) {
    return give_home(root, line, way, at_any_cost);
  };
  if (count == 1) {
    const std::size_t root = roots[0];
    const bool given = wants_lm(root)
                           ? give(root, Way::lm, false) || give(root, Way::gpr, true)
                           : give(root, Way::gpr, false) || give(root, Way::lm, false) || give(root, Way::gpr, true);
    if (!given) return false;
  }
  if (count == 2) {
    const auto both = [&](std::size_t in_gpr, std::size_t in_lm) {
      const std::size_t mark = journal_.mark();
      if (give(in_lm, Way::lm, false) && give(in_gpr, Way::gpr, true)) return true;
      journal_.undo(mark);
      return false;
    };
    if (!both(roots[0], roots[1]) && !both(roots[1], roots[0])) return false;
  }
  gpr_most_ = std::max(gpr_most_, words_held(line));
  return true;
}

bool Placement::give_home(std::size_t root, std::size_t line, Way way, bool at_any_cost) {
  const std::size_t mark = journal_.mark();
  const bool gpr = way == Way::gpr;
  if (gpr) {
    const int urgency = at_any_cost ? std::numeric_limits<int>::max() : urgency_of(root);
    if (lines_[line].gpr_write >= 0 || !empty_registers(line, words_of(root), urgency)) return false;
  } else {
    if (!may_move_to_lm(root)) return false;
    set(lm_held_, lm_held_ + words_of(root));
  }
  if (!stand(top_of(root), gpr)) {
    journal_.undo(mark);
    return false;
  }
  set(homes_[root], static_cast<int>(way));
  if (gpr) held_.push_back(root);
  return true;
}

/// Moves values that are needed later than others, and less urgently than stated, from registers to local memory.
bool Placement::empty_registers(std::size_t line, int words, int urgency) {
  while (words_held(line) + gpr_copies_ + words > static_cast<int>(gpr_free_)) {
    int least = urgency;
    int leaves = kNone;
    for (const std::size_t root : held_) {
      if (!may_leave(root, line)) continue;
      const int its = urgency_of(root);
      if (its >= least) continue;
      least = its;
      leaves = static_cast<int>(root);
    }
    if (leaves < 0) return false;
    const auto root = static_cast<std::size_t>(leaves);
    if (!stand(top_of(root), false)) return false;
    set(homes_[root], static_cast<int>(Way::lm));
    set(lm_held_, lm_held_ + words_of(root));
  }
  return true;
}

}  // namespace gdr::assembler
