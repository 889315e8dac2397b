// The order of the section is legal by itself: each operation could have lines of its own. So an operation may move
// before others as long as each place keeps the order of its writers and readers. T holds a value for the next line,
// where that is free.
#include "lean_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "rewriting.h"

namespace gdr::compiler {
namespace {

using isa::Op;
using isa::Unit;

constexpr int kNothing = -1;
constexpr int kRegisterLines = 2;  // from the line of a write to the first that reads it from its place
constexpr int kKeysOfValue = 8;    // one for the whole value and one for each component

struct Line {
  unsigned units = 0;
  std::array<int, isa::kGprReadPorts> gpr_read;
  int lm_read = kNothing;
  int broadcast = kNothing;
  int immediate = kNothing;
  int t_write = kNothing;  // the value
  bool t_kept = false;     // the next line reads in T what this one does
  bool gpr_write = false;
  bool lm_write = false;
  Line() { gpr_read.fill(kNothing); }
};

class Lines {
 public:
  Lines(const Microcode& code, const PlacedSection& placed, const ScheduleOptions& options)
      : code_(code),
        placed_(placed),
        section_(placed.section),
        options_(options),
        graph_(dependences(code, placed.section, options)),
        line_(section_.size(), kNothing),
        overwritten_(section_.size(), false),
        sources_(section_.size()) {
    for (const Operation& operation : section_) {
      if (operation.into >= 0) overwritten_[as_index(operation.into)] = true;
    }
  }

  std::optional<Schedule> run() {
    if (!number_flags()) return std::nullopt;
    keep_places_in_order();
    const auto ways = graph_.ways();
    if (!ways) return std::nullopt;
    fill(*ways);
    return schedule();
  }

 private:
  [[nodiscard]] int lines_of(std::size_t n) const { return section_[n].op == Op::FMULL ? 2 : 1; }

  /// `after` writes at the earliest `lines` lines after `before` reads or writes.
  void order(std::size_t before, std::size_t after, int lines) {
    if (before != after) graph_.edges[before].push_back({after, lines + lines_of(before) - lines_of(after)});
  }

  bool number_flags() {
    struct Flag {
      std::size_t until = 0;
      std::vector<std::size_t> users;  // and what sets it
    };
    const std::vector<int> flags = flags_of(section_);
    std::vector<std::size_t> until(section_.size(), 0);
    for (std::size_t n = 0; n < section_.size(); ++n) {
      if (section_[n].predicate >= 0) until[as_index(flags[as_index(section_[n].predicate)])] = n;
      if (section_[n].flag_into >= 0) until[as_index(flags[n])] = n;
    }
    std::array<Flag, isa::kFlags + 1> numbered;
    numbers_.assign(section_.size(), 0);
    std::vector<unsigned> number_of(section_.size(), 0);  // by index of the flag
    for (std::size_t n = 0; n < section_.size(); ++n) {
      const Operation& operation = section_[n];
      if (operation.predicate >= 0)
        numbered[number_of[as_index(flags[as_index(operation.predicate)])]].users.push_back(n);
      if (operation.goes_on) numbers_[n] = isa::kExperimentFlag;
      if (!operation.condition || operation.goes_on) continue;
      unsigned& number = number_of[as_index(flags[n])];
      if (operation.flag_into < 0) {
        const auto free = std::find_if(numbered.begin() + options_.first_flag(), numbered.end(),
                                       [&](const Flag& flag) { return flag.until <= n; });
        if (free == numbered.end()) return false;
        number = static_cast<unsigned>(free - numbered.begin());
        for (const std::size_t user : free->users) order(user, n, section_[user].condition ? 1 : 0);
        *free = {std::max(until[as_index(flags[n])], n), {}};
      }
      numbered[number].users.push_back(n);
      numbers_[n] = number;
    }
    return true;
  }

  /// A place gets its next value when the one before has been read for the last time.
  void keep_places_in_order() {
    struct Holder {
      int root = kNothing;
      std::vector<std::size_t> users;
    };
    std::vector<std::size_t> root;
    std::vector<std::vector<std::size_t>> users(section_.size());
    for (std::size_t n = 0; n < section_.size(); ++n) {
      root.push_back(section_[n].into >= 0 ? root[as_index(section_[n].into)] : n);
      users[root[n]].push_back(n);
      for (const Operand& operand : section_[n].operands) {
        if (operand.kind == Operand::Kind::value) users[root[as_index(operand.index)]].push_back(n);
      }
    }
    std::vector<int> holders(isa::kGprShortWords + 2 * isa::kLmShortWords, kNothing);  // of each short word, or name
    for (std::size_t n = 0; n < section_.size(); ++n) {
      const Places& places = placed_.places[n];
      if (root[n] != n || (!places.gpr && !places.local)) continue;
      const bool wide = section_[n].width == isa::Width::long_word;
      const unsigned first =
          places.gpr ? places.address : isa::kGprShortWords + places.slot + (wide ? isa::kLmShortWords : 0);
      const unsigned words = places.gpr ? isa::kVectorElements * isa::short_words(section_[n].width) : 1;
      for (unsigned word = first; word < first + words; ++word) {
        if (holders[word] >= 0) {
          for (const std::size_t user : users[as_index(holders[word])]) order(user, n, 0);
        }
        holders[word] = static_cast<int>(n);
      }
    }
  }

  void fill(const std::vector<std::ptrdiff_t>& ways) {
    std::vector<unsigned> waits_for = graph_.predecessors();
    std::vector<std::ptrdiff_t> earliest;
    for (const assembler::Bundle& bundle : graph_.bundles) {
      earliest.push_back(static_cast<std::ptrdiff_t>(bundle.earliest));
    }
    std::vector<std::size_t> ready;
    const auto add_ready = [&](std::size_t n) {
      const auto before = [&](std::size_t a, std::size_t b) { return ways[a] != ways[b] ? ways[a] > ways[b] : a < b; };
      ready.insert(std::ranges::upper_bound(ready, n, before), n);
    };
    for (std::size_t n = 0; n < section_.size(); ++n) {
      if (waits_for[n] == 0) add_ready(n);
    }
    for (std::ptrdiff_t line = 0; !ready.empty(); ++line) {
      lines_.resize(as_index(static_cast<int>(line)) + 3);
      for (std::size_t next = 0; next < ready.size();) {
        const std::size_t n = ready[next];
        if (earliest[n] > line || !place(n, static_cast<int>(line))) {
          ++next;
          continue;
        }
        ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(next));
        for (const assembler::Edge& edge : graph_.edges[n]) {
          earliest[edge.to] = std::max(earliest[edge.to], line + edge.lines);
          if (--waits_for[edge.to] == 0) add_ready(edge.to);
        }
        next = 0;
      }
    }
  }

  static bool take(int& port, int key) {
    if (port != kNothing && port != key) return false;
    port = key;
    return true;
  }

  /// Places an operation that begins on `line`, if that has what it needs.
  bool place(std::size_t n, int line) {
    const Operation& operation = section_[n];
    const int last = line + lines_of(n) - 1;
    std::array<Line, 3> tried{line > 0 ? lines_[as_index(line) - 1] : Line(), lines_[as_index(line)],
                              lines_[as_index(line) + 1]};
    const isa::OperationInfo& info = isa::info_of(operation.op);
    const auto unit = 1U << static_cast<unsigned>(info.unit);
    for (int at_line = line; at_line <= last; ++at_line) {
      const bool claims = at_line == last && info.claims_adder;
      const unsigned units = unit | (claims ? 1U << static_cast<unsigned>(Unit::adder) : 0U);
      Line& here = tried[as_index(at_line - line) + 1];
      if ((here.units & units) != 0) return false;
      here.units |= units;
    }
    std::vector<From> sources;
    for (const Operand& operand : operation.operands) {
      const std::optional<From> from = read(operand, operation.vector, line, last, tried);
      if (!from) return false;
      sources.push_back(*from);
    }
    Line& result = tried[as_index(last - line) + 1];
    const Places& places = placed_.places[n];
    if (places.gpr && std::exchange(result.gpr_write, true)) return false;
    if ((places.local || operation.variable >= 0) && std::exchange(result.lm_write, true)) return false;
    if (line > 0) lines_[as_index(line) - 1] = tried[0];
    lines_[as_index(line)] = tried[1];
    lines_[as_index(line) + 1] = tried[2];
    line_[n] = last;
    sources_[n] = std::move(sources);
    return true;
  }

  /// Reads an operand from `line` to `last`. `tried`: the line before, and the two from `line` on.
  std::optional<From> read(const Operand& operand, bool vector, int line, int last, std::array<Line, 3>& tried) const {
    const auto through = [&](const auto& port, int key) {
      for (int here = line; here <= last; ++here) {
        if (!port(tried[as_index(here - line) + 1], key)) return false;
      }
      return true;
    };
    const auto local = [](Line& here, int key) { return take(here.lm_read, key); };
    if (operand.kind == Operand::Kind::literal) {
      const auto port = [](Line& here, int key) { return take(here.immediate, key); };
      return through(port, operand.index) ? std::optional(From::immediate) : std::nullopt;
    }
    if (operand.kind == Operand::Kind::variable) {
      if (code_.variables[as_index(operand.index)].home == Variable::Home::local) {
        return through(local, operand.index) ? std::optional(From::local) : std::nullopt;
      }
      const auto port = [](Line& here, int key) { return take(here.broadcast, key); };
      return through(port, 2 * operand.index + (vector ? 1 : 0)) ? std::optional(From::broadcast) : std::nullopt;
    }
    const auto value = as_index(operand.index);
    if (line_[value] + kRegisterLines > line) {
      const bool whole = operand.component < 0 && section_[value].into < 0 && !overwritten_[value];
      if (!whole || !take(tried[0].t_write, operand.index) || tried[0].t_kept) return std::nullopt;
      if (last > line) {
        if (tried[1].t_write != kNothing) return std::nullopt;
        tried[1].t_kept = true;
      }
      return From::t;
    }
    const int key = static_cast<int>(code_.variables.size()) + kKeysOfValue * operand.index + operand.component + 1;
    if (placed_.places[value].local) return through(local, key) ? std::optional(From::local) : std::nullopt;
    const auto port = [](Line& here, int wanted) {
      return std::ranges::any_of(here.gpr_read, [&](int& one) { return take(one, wanted); });
    };
    return through(port, key) ? std::optional(From::gpr) : std::nullopt;
  }

  [[nodiscard]] Schedule schedule() const {
    Schedule made;
    made.places = placed_.places;
    std::vector<bool> read(section_.size(), false);
    for (std::size_t n = 0; n < section_.size(); ++n) {
      made.line_of.push_back(static_cast<unsigned>(line_[n]));
      for (std::size_t o = 0; o < section_[n].operands.size(); ++o) {
        const Operand& operand = section_[n].operands[o];
        if (operand.kind != Operand::Kind::value) continue;
        if (sources_[n][o] == From::t) made.places[as_index(operand.index)].t = true;
        if (sources_[n][o] != From::t) read[as_index(operand.index)] = true;
      }
    }
    for (std::size_t n = 0; n < section_.size(); ++n) {
      if (read[n] || section_[n].into >= 0 || overwritten_[n]) continue;
      made.places[n].gpr = made.places[n].local = false;
    }
    made.lines = lines_taken();
    made.sources = sources_;
    made.flag_of = numbers_;
    made.literal_homes.assign(code_.literals.size(), Home::none);
    made.literal_addresses.assign(code_.literals.size(), 0);
    made.variable_homes.assign(code_.variables.size(), Home::none);
    made.variable_addresses.assign(code_.variables.size(), 0);
    made.shared_slots = true;
    made.local_words = placed_.local_words;
    return made;
  }

  /// With those that must follow so that results have arrived when the section begins again.
  [[nodiscard]] unsigned lines_taken() const {
    int lines = 1;
    for (const int line : line_) lines = std::max(lines, line + 1);
    if (!options_.repeats) return static_cast<unsigned>(lines);
    for (std::size_t writer = 0; writer < section_.size(); ++writer) {
      if (section_[writer].variable < 0) continue;
      for (std::size_t reader = 0; reader < section_.size(); ++reader) {
        const bool reads = std::ranges::any_of(section_[reader].operands, [&](const Operand& operand) {
          return operand.kind == Operand::Kind::variable && operand.index == section_[writer].variable;
        });
        if (reads) lines = std::max(lines, line_[writer] + kRegisterLines - (line_[reader] - lines_of(reader) + 1));
      }
    }
    return static_cast<unsigned>(lines);
  }

  const Microcode& code_;
  const PlacedSection& placed_;
  const Operations& section_;
  const ScheduleOptions& options_;
  assembler::BundleGraph graph_;
  std::vector<int> line_;  // of each operation; for a long product the second line
  std::vector<bool> overwritten_;
  std::vector<std::vector<From>> sources_;
  std::vector<unsigned> numbers_;  // of flags
  std::vector<Line> lines_;
};

}  // namespace

std::optional<Schedule> lines_of(const Microcode& code, const PlacedSection& placed, const ScheduleOptions& options) {
  return Lines(code, placed, options).run();
}

}  // namespace gdr::compiler
