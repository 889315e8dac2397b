#include "full_scheduler.h"

#include <algorithm>
#include <limits>
#include <random>

namespace gdr::assembler {
namespace {

/// Addresses for values of one storage: the first words that are free, in the order of lines.
class Addresses {
 public:
  Addresses(const Words& taken, unsigned first, unsigned count) : until_(count, 0) {
    for (unsigned word = 0; word < count; ++word) {
      if (taken.test(first + word)) until_[word] = std::numeric_limits<int>::max();
    }
  }

  [[nodiscard]] unsigned free() const { return static_cast<unsigned>(std::count(until_.begin(), until_.end(), 0)); }

  /// Values come with ascending `from`.
  std::optional<unsigned> place(const FreeValue& value, int from, int until) {
    const unsigned step = isa::short_words(value.width);
    for (unsigned address = 0; address + value.words() <= until_.size(); address += step) {
      const auto first = until_.begin() + address;
      if (std::any_of(first, first + value.words(), [&](int busy) { return busy > from; })) continue;
      std::fill(first, first + value.words(), until);
      return address;
    }
    return std::nullopt;
  }

 private:
  std::vector<int> until_;  // line from which on each word may be written again
};

class Search {
 public:
  Search(const FreeSection& section, const Surroundings& around, const ScheduleOptions& options)
      : section_(section),
        bundles_(section.graph),
        gpr_free_(registers().free()),
        placement_(section, bundles_, gpr_free_, local_memory().free()),
        random_(options.seed),
        effort_(options.effort) {
    ways_ = bundles_.ways();
    waits_for_ = bundles_.predecessors();
    for (const UnitOperation& operation : section.graph.operations) ++operations_of_[index(operation.unit)];
    note_ends(around);
  }

  std::optional<Plan> run(std::size_t limit) {
    if (limit <= least_lines()) return std::nullopt;
    // What a try costs grows with the square of the operations where many are ready at a time.
    constexpr double kSteps = 3e6;
    const auto count = static_cast<double>(bundles_.all().size());
    const double tries = std::clamp(kSteps * effort_ / std::max(count * (1 + count / 50), 1.0), 1.0, 1e7);
    limit_ = limit;
    // A climb that ends on a hill too low is begun again from elsewhere.
    constexpr int kClimbs = 10;
    for (int number = 0; number < kClimbs; ++number) climb(number == 0, std::max(tries / kClimbs, 1.0));
    return std::move(plan_);
  }

 private:
  /// What a list schedule follows from.
  struct Genes {
    std::vector<double> priorities;       // of bundles
    std::vector<Preference> preferences;  // of bundles
  };
  struct EndAccess {
    unsigned word = 0;
    int latency = 0;  // of a write; 0: a read
  };

  using OperationsOfUnits = std::array<std::size_t, isa::kUnits + 1>;
  static std::size_t index(isa::Unit unit) { return static_cast<std::size_t>(unit); }

  [[nodiscard]] Addresses registers() const { return {section_.taken, kFirstGprWord, isa::kGprShortWords}; }
  [[nodiscard]] Addresses local_memory() const { return {section_.taken, kFirstLmWord, isa::kLmShortWords}; }

  /// Accesses that other turns and sections may meet: those that stay.
  void note_ends(const Surroundings& around) {
    repeats_ = around.repeats;
    first_read_.assign(kAllWords, std::numeric_limits<int>::max());
    for (const auto& lines : around.next) {
      for (std::size_t at = lines.size(); at-- > 0;) {
        for (const CodeAccess& access : lines[at]->accesses) {
          if (access.write || access.defines) continue;
          for_words(access, lines[at]->line.vlen, [&](unsigned word, unsigned) {
            first_read_[word] = std::min(first_read_[word], static_cast<int>(at));
          });
        }
      }
    }
    ends_.resize(section_.operations.size());
    for (std::size_t number = 0; number < ends_.size(); ++number) {
      const UnitOperation& operation = section_.graph.operations[number];
      for (const CodeAccess& access : operation.from->accesses) {
        if (!belongs(access, operation) || access.defines || is_free(number, access)) continue;
        for_words(access, operation.from->line.vlen,
                  [&](unsigned word, unsigned) { ends_[number].push_back({word, access.write ? access.latency : 0}); });
      }
    }
  }

  [[nodiscard]] bool is_free(std::size_t number, const CodeAccess& access) const {
    const FreeOperation& operation = section_.operations[number];
    if (!access.write) {
      return access.unit != isa::Unit::none && ((access.role == isa::Role::a && operation.operands[0] >= 0) ||
                                                (access.role == isa::Role::b && operation.operands[1] >= 0));
    }
    return (access.role == isa::Role::t_write && !operation.writes_t) ||
           (access.role == isa::Role::gpr_write && !operation.writes_gpr) ||
           (access.role == isa::Role::lm_write && !operation.writes_lm);
  }

  [[nodiscard]] std::size_t least_lines() const {
    const auto way = ways_.empty() ? 0 : *std::max_element(ways_.begin(), ways_.end()) + 1;
    return std::max(*std::ranges::max_element(operations_of_), static_cast<std::size_t>(way));
  }

  [[nodiscard]] Genes first_genes() const {
    return {{ways_.begin(), ways_.end()}, std::vector<Preference>(ways_.size(), Preference::t_first)};
  }

  [[nodiscard]] std::size_t below(std::size_t count) { return random_() % count; }

  Genes changed(const Genes& best, double turn) {
    Genes genes = best;
    const std::size_t changes = 1 + below(3);
    // Now and then far from the best.
    const bool far = static_cast<std::uint64_t>(turn) % 8 == 7;
    for (std::size_t change = 0; change < (far ? 4 * changes : changes); ++change) {
      const std::size_t bundle = below(genes.priorities.size());
      const double by = static_cast<double>(1 + below(800)) / 100;
      genes.priorities[bundle] += below(2) == 0 ? by : -by;
      if (below(4) == 0) {
        Preference& preference = genes.preferences[bundle];
        preference = preference == Preference::t_first ? Preference::memory_first : Preference::t_first;
      }
    }
    return genes;
  }

  void climb(bool from_source, double tries) {
    const std::size_t least = least_lines();
    Genes best = first_genes();
    if (!from_source) {
      for (double& priority : best.priorities) priority += static_cast<double>(below(600)) / 100;
    }
    std::size_t most = limit_ + limit_ / 4;  // as long as nothing better is found
    for (double turn = 0; turn < tries && (!plan_ || plan_->lines > least); ++turn) {
      Genes genes = turn == 0 ? best : changed(best, turn);
      const std::optional<std::size_t> lines = attempt(genes, most);
      if (!lines) continue;
      best = std::move(genes);
      most = *lines;
    }
  }

  /// Lines of a list schedule, if they are `most` or fewer; the shortest one becomes the plan.
  std::optional<std::size_t> attempt(const Genes& genes, std::size_t most) {
    if (!list_schedule(genes, most)) return std::nullopt;
    const std::size_t lines = lines_taken();
    if (lines > most) return std::nullopt;
    if (lines >= (plan_ ? plan_->lines : limit_)) return lines;
    Plan plan{lines, placement_.operations(), placement_.values(), {}, {}};
    if (!give_addresses(plan)) return std::nullopt;
    plan_ = std::move(plan);
    return lines;
  }

  bool list_schedule(const Genes& genes, std::size_t limit) {
    placement_.restart(limit);
    std::vector<unsigned> waits_for = waits_for_;
    std::vector<std::size_t> earliest;
    OperationsOfUnits left = operations_of_;
    std::vector<std::size_t> ready;  // from `next` on
    std::vector<std::size_t> refused;
    std::size_t next = 0;
    for (const Bundle& bundle : bundles_.all()) earliest.push_back(bundle.earliest);
    const auto more_urgent = [&](std::size_t a, std::size_t b) {
      return genes.priorities[a] != genes.priorities[b] ? genes.priorities[a] > genes.priorities[b] : a < b;
    };
    const auto add_ready = [&](std::size_t bundle) {
      const auto first = ready.begin() + static_cast<std::ptrdiff_t>(next);
      ready.insert(std::upper_bound(first, ready.end(), bundle, more_urgent), bundle);
    };
    for (std::size_t bundle = 0; bundle < earliest.size(); ++bundle) {
      if (waits_for[bundle] == 0) add_ready(bundle);
    }
    std::size_t placed = 0;
    for (std::size_t line = 0; line < limit && placed < earliest.size(); ++line) {
      // A unit does one operation a line.
      if (line + *std::ranges::max_element(left) > limit) return false;
      placement_.begin_line(line);
      refused.clear();  // in this line
      while (next < ready.size()) {
        const std::size_t bundle = ready[next++];
        if (earliest[bundle] > line || !placement_.place(bundles_.all()[bundle], line, genes.preferences[bundle])) {
          // With what must come behind it there are too many lines already.
          if (line + 1 + static_cast<std::size_t>(ways_[bundle]) >= limit) return false;
          refused.push_back(bundle);
          continue;
        }
        ++placed;
        for (const Bundle::Member& member : bundles_.all()[bundle].members) {
          --left[index(section_.graph.operations[member.operation].unit)];
        }
        for (const Edge& edge : bundles_.edges()[bundle]) {
          const std::ptrdiff_t there = static_cast<std::ptrdiff_t>(line) + edge.lines;
          earliest[edge.to] = std::max(earliest[edge.to], static_cast<std::size_t>(std::max<std::ptrdiff_t>(there, 0)));
          if (--waits_for[edge.to] == 0) add_ready(edge.to);
        }
      }
      ready.swap(refused);
      next = 0;
    }
    return placed == earliest.size();
  }

  /// Lines in use, and those that must follow for results to be there when the section, or the next one, begins.
  [[nodiscard]] std::size_t lines_taken() const {
    std::vector<int> first_read = first_read_;
    int lines = 0;
    for (std::size_t number = 0; number < ends_.size(); ++number) {
      const int line = placement_.operations()[number].line;
      lines = std::max(lines, line + 1);
      if (!repeats_) continue;
      for (const EndAccess& access : ends_[number]) {
        if (access.latency == 0) first_read[access.word] = std::min(first_read[access.word], line);
      }
    }
    for (std::size_t number = 0; number < ends_.size(); ++number) {
      const int line = placement_.operations()[number].line;
      for (const EndAccess& access : ends_[number]) {
        if (access.latency == 0 || first_read[access.word] == std::numeric_limits<int>::max()) continue;
        lines = std::max(lines, line + access.latency - first_read[access.word]);
      }
    }
    return static_cast<std::size_t>(lines);
  }

  /// False if registers or local memory have room for all values, but not in one piece.
  bool give_addresses(Plan& plan) const {
    plan.gpr.resize(plan.values.size());
    plan.lm.resize(plan.values.size());
    std::vector<std::size_t> order(plan.values.size());
    for (std::size_t value = 0; value < order.size(); ++value) order[value] = value;
    const auto line = [&](std::size_t value) { return plan.values[value].line; };
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return line(a) != line(b) ? line(a) < line(b) : a < b; });
    Addresses gpr = registers();
    Addresses lm = local_memory();
    for (const std::size_t value : order) {
      const PlacedValue& placed = plan.values[value];
      const auto give = [&](bool stands, Addresses& addresses, int until, unsigned& address) {
        if (!stands) return true;
        const auto found = addresses.place(section_.values[value], placed.line, until);
        address = found.value_or(0);
        return found.has_value();
      };
      if (!give(placed.gpr != 0, gpr, placed.gpr_until, plan.gpr[value]) ||
          !give(placed.lm != 0, lm, placed.lm_until, plan.lm[value])) {
        return false;
      }
    }
    return true;
  }

  const FreeSection& section_;
  Bundles bundles_;
  unsigned gpr_free_;
  Placement placement_;
  std::mt19937_64 random_;
  double effort_;
  std::vector<std::ptrdiff_t> ways_;
  std::vector<unsigned> waits_for_;
  OperationsOfUnits operations_of_{};
  bool repeats_ = false;
  std::vector<int> first_read_;  // of each word, lines behind the section's end
  std::vector<std::vector<EndAccess>> ends_;
  std::size_t limit_ = 0;
  std::optional<Plan> plan_;
};

}  // namespace

std::optional<Plan> find_plan(const FreeSection& section, const Surroundings& around, const ScheduleOptions& options,
                              std::size_t limit) {
  if (section.operations.empty() || limit == 0) return std::nullopt;
  return Search(section, around, options).run(limit);
}

}  // namespace gdr::assembler
