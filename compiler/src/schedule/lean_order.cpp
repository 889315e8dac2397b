#include "lean_order.h"

#include <algorithm>
#include <functional>

#include "gdr/assembler/line_search.h"
#include "microcode/lower.h"
#include "schedule.h"

namespace gdr::compiler {
namespace {

using Sequence = std::vector<std::size_t>;

class Orders {
 public:
  Orders(const Microcode& code, const Operations& section) : section_(section), before_(section.size()) {
    const assembler::BundleGraph graph = dependences(code, section, {});
    for (std::size_t n = 0; n < section.size(); ++n) {
      for (const assembler::Edge& edge : graph.edges[n]) before_[edge.to].push_back(n);
    }
    for (std::vector<std::size_t>& of_one : before_) {
      std::ranges::sort(of_one);
      of_one.erase(std::ranges::unique(of_one).begin(), of_one.end());
    }
    after_.resize(section.size());
    for (std::size_t n = 0; n < section.size(); ++n) {
      for (const std::size_t needed : before_[n]) after_[needed].push_back(n);
    }
    has_order_ = graph.ways().has_value();
  }

  [[nodiscard]] std::vector<Sequence> all() {
    if (!has_order_) return {};
    Sequence as_written;
    for (std::size_t n = 0; n < section_.size(); ++n) as_written.push_back(n);
    measure_needs();
    std::vector<Sequence> orders{sorted(as_written, false), sorted(ends(), true), by_fewest_missing(), greedy()};
    return orders;
  }

 private:
  /// Operations that nothing needs: what the section is for.
  [[nodiscard]] Sequence ends() const {
    Sequence found;
    for (std::size_t n = 0; n < section_.size(); ++n) {
      if (after_[n].empty()) found.push_back(n);
    }
    return found;
  }

  [[nodiscard]] int words(std::size_t n) const {
    const bool kept = !section_[n].only_flag && section_[n].variable < 0;
    return kept ? static_cast<int>(isa::kVectorElements * isa::short_words(section_[n].width)) : 0;
  }

  /// The registers that an operation's inputs take, as in a tree: Sethi and Ullman, J. ACM 17 (1970) 715.
  void measure_needs() {
    needs_.assign(section_.size(), 0);
    Sequence as_written;
    for (std::size_t n = 0; n < section_.size(); ++n) as_written.push_back(n);
    for (const std::size_t n : sorted(as_written, false)) {
      std::vector<std::size_t> inputs = before_[n];
      std::ranges::stable_sort(inputs, std::greater<>(), [&](std::size_t input) { return needs_[input]; });
      int kept = 0;
      int most = words(n);
      for (const std::size_t input : inputs) {
        most = std::max(most, kept + needs_[input]);
        kept += words(input);
      }
      needs_[n] = most;
    }
  }

  /// Puts each operation after those that it needs. With `by_need`, what takes the most registers comes first among
  /// them, and what sets the flag under which it writes comes last.
  void put(std::size_t n, bool by_need, std::vector<char>& done, Sequence& order) const {
    if (done[n] != 0) return;
    done[n] = 1;
    std::vector<std::size_t> inputs = before_[n];
    if (by_need) {
      const auto rank = [&](std::size_t input) {
        const bool sets_flag =
            section_[n].predicate == static_cast<int>(input) || section_[n].flag_into == static_cast<int>(input);
        return sets_flag ? -1 : needs_[input];
      };
      std::ranges::stable_sort(inputs, std::greater<>(), rank);
    }
    for (const std::size_t input : inputs) put(input, by_need, done, order);
    order.push_back(n);
  }

  [[nodiscard]] Sequence sorted(const Sequence& wanted, bool by_need) const {
    std::vector<char> done(section_.size(), 0);
    Sequence order;
    for (const std::size_t n : wanted) put(n, by_need, done, order);
    return order;
  }

  /// Of what the section is for, the part that takes the fewest further operations comes next.
  [[nodiscard]] Sequence by_fewest_missing() const {
    std::vector<char> done(section_.size(), 0);
    Sequence order;
    Sequence left = ends();
    while (!left.empty()) {
      const auto missing = [&](std::size_t n) {
        std::vector<char> seen = done;
        Sequence found;
        put(n, false, seen, found);
        return found.size();
      };
      const auto next = std::ranges::min_element(left, {}, missing);
      put(*next, true, done, order);
      left.erase(next);
    }
    return order;
  }

  /// Of the operations that may come next, the one after which the fewest words are kept; of several, the one whose
  /// inputs were made last.
  [[nodiscard]] Sequence greedy() const {
    std::vector<std::size_t> waiting(section_.size());
    std::vector<std::size_t> readers(section_.size());
    std::vector<std::size_t> made(section_.size(), 0);
    Sequence ready;
    for (std::size_t n = 0; n < section_.size(); ++n) {
      waiting[n] = before_[n].size();
      readers[n] = after_[n].size();
      if (waiting[n] == 0) ready.push_back(n);
    }
    Sequence order;
    while (!ready.empty()) {
      const auto cost = [&](std::size_t n) {
        int change = readers[n] > 0 ? words(n) : 0;
        std::size_t last = 0;
        for (const std::size_t input : before_[n]) {
          if (readers[input] == 1) change -= words(input);
          last = std::max(last, made[input]);
        }
        return std::make_tuple(change, -static_cast<std::ptrdiff_t>(last), n);
      };
      const auto next = std::ranges::min_element(ready, {}, cost);
      const std::size_t n = *next;
      ready.erase(next);
      order.push_back(n);
      made[n] = order.size();
      for (const std::size_t input : before_[n]) --readers[input];
      for (const std::size_t later : after_[n]) {
        if (--waiting[later] == 0) ready.push_back(later);
      }
    }
    return order;
  }

  const Operations& section_;
  std::vector<std::vector<std::size_t>> before_;
  std::vector<std::vector<std::size_t>> after_;
  std::vector<int> needs_;
  bool has_order_ = false;
};

}  // namespace

std::vector<Operations> lean_orders(const Microcode& code, const Operations& section) {
  std::vector<Operations> ordered;
  for (const Sequence& order : Orders(code, section).all()) {
    std::vector<int> number(section.size(), -1);
    for (std::size_t at = 0; at < order.size(); ++at) number[order[at]] = static_cast<int>(at);
    ordered.push_back(section);
    put_in_order(ordered.back(), order, number);
  }
  return ordered;
}

}  // namespace gdr::compiler
