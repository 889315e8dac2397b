// The search for few lines on random graphs: each plan is carried out word by word, and every reader must find its
// value.
#include "gdr/assembler/line_search.h"
#include "slowed_down.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace gdr::assembler {
namespace {

using isa::Unit;
using isa::Width;

constexpr std::ptrdiff_t kForward = 1;   // lines until a value can be read through T
constexpr std::ptrdiff_t kRegister = 2;  // and from elsewhere, or as a component

std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// Operations in the order of a source. Every one but the first line of a long product has a result.
class RandomGraphs {
 public:
  /// `few_words`: there is next to no room but in T, and there are fewer operations. `many_values`: there are many
  /// operations, and the words of a whole processing element, as in a compiled function.
  enum class Kind { usual, few_words, many_values };
  explicit RandomGraphs(std::uint64_t seed, Kind kind = Kind::usual)
      : random_(seed), few_words_(kind == Kind::few_words), many_values_(kind == Kind::many_values) {}

  SearchGraph next() {
    graph_ = {};
    values_.clear();
    closed_.clear();
    bundle_of_.clear();
    tenancy_readers_ = 0;
    graph_.gpr_taken.assign(64, false);
    graph_.lm_taken.assign(chance(2) ? 64 : 24, false);
    std::fill_n(graph_.gpr_taken.begin(), few_words_ ? 64 - 4 * below(3) : below(30), true);
    if (few_words_) graph_.lm_taken.assign(static_cast<std::size_t>(4 * below(3)), false);
    if (many_values_) {
      graph_.gpr_taken.assign(isa::kGprShortWords, false);
      graph_.lm_taken.assign(isa::kLmShortWords, false);
    }
    graph_.lm_by_name = chance(2);
    graph_.values_in_lm = many_values_ || !chance(5);
    graph_.constants_move = chance(2);
    graph_.flag_numbers = {3, 1, 6};
    for (int constant = below(4); constant >= 0; --constant) {
      graph_.constants.push_back({{chance(2) ? Port::immediate : Port::bm, constant}, width()});
    }
    const int operations = many_values_ ? 80 + below(60) : 3 + below(few_words_ ? 6 : 30);
    for (int number = operations; number > 0; --number) add_operation();
    return graph_;
  }

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool chance(int of) { return below(of) == 0; }
  Width width() { return chance(2) ? Width::long_word : Width::short_word; }

  void add_operation() {
    static constexpr Unit kUnits[] = {Unit::adder, Unit::multiplier, Unit::alu};
    const Unit unit = kUnits[at(below(3))];
    Bundle bundle;
    bundle.earliest = chance(8) ? at(below(6)) : 0;
    if (unit == Unit::multiplier && chance(3)) bundle.members.push_back({add(unit, 2), 0});
    bundle.members.push_back({add(unit, 1), bundle.members.size()});
    const std::size_t own = graph_.bundles.bundles.size();
    graph_.bundles.bundles.push_back(bundle);
    graph_.bundles.edges.emplace_back();
    read(bundle.members.front().operation, own);
    give_result(bundle.members.back().operation, own);
    use_flags(bundle.members.back().operation, own);
    if (bundle.members.size() == 1 && !many_values_) keep_in_t(bundle.members[0].operation, own);
  }

  std::size_t add(Unit unit, unsigned input_lines) {
    SearchOperation operation;
    operation.unit = unit;
    operation.units = 1U << static_cast<unsigned>(unit);
    operation.input_lines = input_lines;
    graph_.operations.push_back(operation);
    return graph_.operations.size() - 1;
  }

  void depend(std::size_t before, std::size_t after, std::ptrdiff_t lines) {
    const auto length = static_cast<std::ptrdiff_t>(graph_.bundles.bundles[before].members.size());
    graph_.bundles.edges[before].push_back({after, lines + length - 1});
  }

  void read(std::size_t number, std::size_t bundle) {
    for (SearchInput& input : graph_.operations[number].inputs) {
      const int kind = below(6);
      if (kind == 0) {
        input.constant = below(static_cast<int>(graph_.constants.size()));
      } else if (kind == 1) {
        input.stays = {chance(2) ? Port::bm : Port::lm, 100 + below(4)};
      } else if (kind > 2 && !values_.empty()) {
        const int most = static_cast<int>(values_.size());
        // Most values are read soon, and some long after they were made.
        const int back = many_values_ && !chance(4) ? std::min(most, 8) : most;
        const std::size_t value = values_[at(most - 1 - below(back))];
        if (closed_.contains(value)) continue;
        input.value = static_cast<int>(value);
        input.component = chance(8) ? below(4) : -1;
        std::vector<std::size_t>& readers = graph_.values[value].readers;
        if (readers.empty() || readers.back() != number) readers.push_back(number);
        depend(bundle_of_[value], bundle, input.component >= 0 ? kRegister : kForward);
      }
    }
  }

  void give_result(std::size_t number, std::size_t bundle) {
    const std::size_t own = graph_.values.size();
    SearchValue value;
    value.operation = number;
    value.width = width();
    if (!values_.empty() && chance(6)) {
      const std::size_t base = values_.back();
      const bool reads_base =
          std::ranges::any_of(graph_.operations[graph_.bundles.bundles[bundle].members[0].operation].inputs,
                              [&](const SearchInput& input) { return input.value == static_cast<int>(base); });
      if (!closed_.contains(base) && !reads_base) {
        value.base = static_cast<int>(base);
        value.width = graph_.values[base].width;
        closed_.insert(base);
        depend(bundle_of_[base], bundle, 1);
        for (const std::size_t reader : graph_.values[base].readers) depend(bundle_of_operation(reader), bundle, 0);
      }
    }
    graph_.operations[number].result = static_cast<int>(own);
    graph_.values.push_back(value);
    values_.push_back(own);
    bundle_of_.push_back(bundle);
  }

  std::size_t bundle_of_operation(std::size_t operation) const {
    const auto holds = [&](const Bundle& bundle) {
      return std::ranges::any_of(bundle.members,
                                 [&](const Bundle::Member& member) { return member.operation == operation; });
    };
    return static_cast<std::size_t>(std::ranges::find_if(graph_.bundles.bundles, holds) -
                                    graph_.bundles.bundles.begin());
  }

  void use_flags(std::size_t number, std::size_t bundle) {
    SearchOperation& operation = graph_.operations[number];
    if (chance(5)) {
      operation.flag_set = static_cast<int>(graph_.flags++);
      setter_ = bundle;
    } else if (graph_.flags > 0 && chance(4)) {
      operation.flags_used.push_back(static_cast<int>(graph_.flags) - 1);
      depend(setter_, bundle, kRegister);
    }
  }

  /// Reads what an earlier operation then leaves in T until its last reader, or is one that may be asked for it.
  void keep_in_t(std::size_t number, std::size_t bundle) {
    if (tenancy_readers_ == 0) {
      if (!chance(5)) return;
      tenancy_readers_ = 1 + below(2);
      tenancy_writer_ = {number, bundle};
    } else if (chance(2)) {
      SearchOperation& writer = graph_.operations[tenancy_writer_.first];
      if (!std::exchange(writer.writes_t, true)) {
        writer.tenancy_written = static_cast<int>(graph_.tenancies.size());
        graph_.tenancies.push_back({1});
      }
      graph_.operations[number].tenancy_read = writer.tenancy_written;
      ++graph_.tenancies.back().accesses;
      --tenancy_readers_;
      depend(tenancy_writer_.second, bundle, kForward);
    }
  }

  std::mt19937_64 random_;
  bool few_words_;
  bool many_values_;
  SearchGraph graph_;
  std::vector<std::size_t> values_;
  std::vector<std::size_t> bundle_of_;                  // each value's
  std::set<std::size_t> closed_;                        // values that others overwrite
  std::size_t setter_ = 0;                              // of the flag set last
  int tenancy_readers_ = 0;                             // that the last tenancy of T lacks
  std::pair<std::size_t, std::size_t> tenancy_writer_;  // operation and bundle
};

/// What stands where, line by line. Storage: 0 registers, 1 local memory.
class Machine {
 public:
  Machine(const SearchGraph& graph, const Plan& plan) : graph_(graph), plan_(plan) {}

  void run() {
    check_order();
    for (std::size_t line = 0; line < plan_.lines; ++line) {
      land(static_cast<int>(line));
      unsigned units = 0;
      ports_.clear();
      for (std::size_t number = 0; number < graph_.operations.size(); ++number) {
        const int own = plan_.operations[number].line;
        const SearchOperation& operation = graph_.operations[number];
        if (own == static_cast<int>(line)) {
          EXPECT_EQ(units & operation.units, 0U) << "a unit does two operations in line " << line;
          units |= operation.units;
          use_flags(operation);
          if (operation.tenancy_read >= 0) {
            ASSERT_GE(in_t_, 0) << "T in line " << line;
            EXPECT_EQ(graph_.operations[at(in_t_)].tenancy_written, operation.tenancy_read) << "T in line " << line;
          }
        }
        if (own <= static_cast<int>(line) && static_cast<int>(line) < own + static_cast<int>(operation.input_lines)) {
          for (std::size_t input = 0; input < 2; ++input) read(number, input);
        }
      }
      check_ports(line);
      give_results(static_cast<int>(line));
    }
  }

 private:
  void check_order() const {
    for (std::size_t bundle = 0; bundle < graph_.bundles.bundles.size(); ++bundle) {
      const Bundle& own = graph_.bundles.bundles[bundle];
      const int first = plan_.operations[own.members[0].operation].line;
      ASSERT_GE(first, static_cast<int>(own.earliest));
      for (const Bundle::Member& member : own.members) {
        ASSERT_EQ(plan_.operations[member.operation].line, first + static_cast<int>(member.offset));
        ASSERT_LT(plan_.operations[member.operation].line, static_cast<int>(plan_.lines));
      }
      for (const Edge& edge : graph_.bundles.edges[bundle]) {
        const int after = plan_.operations[graph_.bundles.bundles[edge.to].members[0].operation].line;
        EXPECT_GE(after, first + edge.lines);
      }
    }
  }

  [[nodiscard]] int operation_of(int value) const { return static_cast<int>(graph_.values[at(value)].operation); }

  /// A word of storage that a value or a constant's copy takes. By name: its number stands for all its words.
  [[nodiscard]] std::vector<std::pair<int, unsigned>> words_of(int storage, std::size_t value) const {
    const SearchValue& known = graph_.values[value];
    if (storage == 1 && graph_.lm_by_name) {
      std::size_t root = value;
      while (graph_.values[root].base >= 0) root = at(graph_.values[root].base);
      constexpr unsigned kLong = 1000;
      constexpr unsigned kOfItsOwn = 2000;
      if (!plan_.shared_names) return {{1, kOfItsOwn + static_cast<unsigned>(root)}};
      return {{1, plan_.lm[value] + (known.width == Width::long_word ? kLong : 0)}};
    }
    const unsigned first = storage == 0 ? plan_.gpr[value] : plan_.lm[value];
    std::vector<std::pair<int, unsigned>> words;
    for (unsigned word = 0; word < known.words(); ++word) words.emplace_back(storage, first + word);
    return words;
  }

  void land(int line) {
    for (auto write = writes_.begin(); write != writes_.end();) {
      if (write->line > line) {
        ++write;
        continue;
      }
      for (const auto& word : words_of(write->storage, write->value)) {
        const int base = graph_.values[write->value].base;
        if (base >= 0) {
          EXPECT_TRUE(memory_.contains(word) && memory_[word] == at(base)) << "value " << write->value;
        }
        check_free(word);
        memory_[word] = write->value;
      }
      write = writes_.erase(write);
    }
    if (next_in_t_ >= 0) in_t_ = std::exchange(next_in_t_, -1);
  }

  void check_free(std::pair<int, unsigned> word) const {
    if (word.first == 1 && graph_.lm_by_name) return;
    const std::vector<bool>& taken = word.first == 0 ? graph_.gpr_taken : graph_.lm_taken;
    ASSERT_LT(word.second, taken.size());
    EXPECT_FALSE(taken[word.second]);
    if (word.first != 0) return;
    for (std::size_t constant = 0; constant < plan_.constants.size(); ++constant) {
      if (static_cast<Way>(plan_.constants[constant]) != Way::gpr) continue;
      const unsigned first = plan_.constant_addresses[constant];
      EXPECT_FALSE(first <= word.second && word.second < first + isa::short_words(graph_.constants[constant].width));
    }
  }

  void read(std::size_t number, std::size_t input) {
    const SearchInput& wanted = graph_.operations[number].inputs[input];
    const auto way = static_cast<Way>(plan_.operations[number].ways[input]);
    if (wanted.value < 0 && wanted.constant < 0) {
      if (wanted.stays.port == Port::none) return;
      EXPECT_EQ(way, Way::own);
      ports_.insert({wanted.stays.port, {wanted.stays.key, -1}});
      return;
    }
    if (wanted.constant >= 0) {
      const PortKey own = graph_.constants[at(wanted.constant)].own;
      if (way == Way::own) {
        ports_.insert({own.port, {own.key, -1}});
        return;
      }
      EXPECT_TRUE(graph_.constants_move);
      EXPECT_EQ(plan_.constants[at(wanted.constant)], static_cast<int>(way));
      ports_.insert({way == Way::gpr ? Port::gpr : Port::lm, {kCopies + wanted.constant, -1}});
      return;
    }
    const auto value = at(wanted.value);
    if (way == Way::t) {
      EXPECT_EQ(in_t_, operation_of(wanted.value)) << "T in line " << plan_.operations[number].line;
      EXPECT_EQ(wanted.component, -1);
      return;
    }
    ASSERT_TRUE(way == Way::gpr || way == Way::lm);
    EXPECT_TRUE(way == Way::gpr || graph_.values_in_lm);
    for (const auto& word : words_of(way == Way::gpr ? 0 : 1, value)) {
      EXPECT_TRUE(memory_.contains(word) && memory_[word] == value)
          << "value " << value << " is not where operation " << number << " reads it";
    }
    ports_.insert({way == Way::gpr ? Port::gpr : Port::lm, {kValues + wanted.value, wanted.component}});
  }

  void check_ports(std::size_t line) const {
    const auto count = [&](Port port) {
      return std::ranges::count_if(ports_, [&](const auto& use) { return use.first == port; });
    };
    EXPECT_LE(count(Port::gpr), static_cast<std::ptrdiff_t>(isa::kGprReadPorts)) << line;
    for (const Port port : {Port::lm, Port::bm, Port::immediate}) EXPECT_LE(count(port), 1) << line;
  }

  void use_flags(const SearchOperation& operation) {
    for (const int flag : operation.flags_used) {
      EXPECT_TRUE(std::ranges::count(graph_.flag_numbers, plan_.flags[at(flag)]) == 1);
      EXPECT_EQ(flags_[plan_.flags[at(flag)]], flag) << "another flag has its number";
    }
  }

  void give_results(int line) {
    std::array<int, 3> written{};  // registers, local memory, T
    for (std::size_t number = 0; number < graph_.operations.size(); ++number) {
      if (plan_.operations[number].line != line) continue;
      const SearchOperation& operation = graph_.operations[number];
      if (operation.writes_t) {
        ++written[2];
        next_in_t_ = static_cast<int>(number);
      }
      if (operation.flag_set >= 0) flags_[plan_.flags[at(operation.flag_set)]] = operation.flag_set;
      if (operation.result < 0) continue;
      const auto value = at(operation.result);
      const PlacedValue& placed = plan_.values[value];
      EXPECT_EQ(placed.line, line);
      const isa::UnitInfo& unit = isa::info_of(operation.unit);
      for (const int storage : {0, 1}) {
        if ((storage == 0 ? placed.gpr : placed.lm) == 0) continue;
        ++written[at(storage)];
        writes_.push_back({line + static_cast<int>(unit.register_latency), storage, value});
      }
      if (placed.t == 0) continue;
      if (!operation.writes_t) ++written[2];
      next_in_t_ = static_cast<int>(number);
      if (graph_.values[value].base >= 0) {
        EXPECT_EQ(in_t_, operation_of(graph_.values[value].base))
            << "T keeps the base where the condition does not hold";
      }
    }
    for (const int count : written) EXPECT_LE(count, 1) << "two results through one port in line " << line;
  }

  struct Write {
    int line;
    int storage;
    std::size_t value;
  };

  static constexpr int kValues = 1'000'000;
  static constexpr int kCopies = 2'000'000;

  const SearchGraph& graph_;
  const Plan& plan_;
  std::map<std::pair<int, unsigned>, std::size_t> memory_;  // value by word
  std::vector<Write> writes_;
  int in_t_ = -1;  // the operation whose result it is
  int next_in_t_ = -1;
  std::set<std::pair<Port, std::pair<int, int>>> ports_;  // of the line
  std::map<unsigned, int> flags_;
};

SearchOptions options_for(const SearchGraph& graph, double tries = 40) {
  return {tries, 400, 7, 8 * graph.operations.size() + 60};
}

class LineSearches : public ::testing::TestWithParam<std::uint64_t> {};

/// How many have a plan.
int check_plans(RandomGraphs graphs, int count) {
  int planned = 0;
  for (int n = 0; n < count && !::testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE(n);
    const SearchGraph graph = graphs.next();
    const auto plan = search_plan(graph, options_for(graph));
    if (!plan) continue;
    ++planned;
    EXPECT_GE(plan->lines, least_lines(graph));
    EXPECT_LE(plan->lm_words, graph.lm_taken.size());
    Machine(graph, *plan).run();
  }
  return planned;
}

TEST_P(LineSearches, PlansAreWhatTheirReadersNeed) {
  constexpr int kGraphs = 200;
  EXPECT_GT(check_plans(RandomGraphs(GetParam()), kGraphs), kGraphs / 2) << "most graphs have room";
}

TEST_P(LineSearches, PlansForFewWordsAreWhatTheirReadersNeed) {
  constexpr int kGraphs = 250;
  const int planned = check_plans(RandomGraphs(GetParam(), RandomGraphs::Kind::few_words), kGraphs);
  EXPECT_GT(planned, kGraphs / 20);
  EXPECT_LT(planned, kGraphs * 3 / 4) << "few words are too many";
}

TEST_P(LineSearches, PlansForManyValuesAreWhatTheirReadersNeed) {
  constexpr int kGraphs = 20;
  EXPECT_GT(check_plans(RandomGraphs(GetParam(), RandomGraphs::Kind::many_values), kGraphs), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LineSearches,
                         ::testing::Range(std::uint64_t{1}, std::uint64_t{tests::kSlowedDown ? 3 : 9}));

/// The fewest lines of `graph`, found by trying every line for every bundle: dependences and units alone.
class AllSchedules {
 public:
  explicit AllSchedules(const SearchGraph& graph) : graph_(graph), line_of_(graph.bundles.bundles.size()) {}

  std::size_t fewest() {
    for (std::size_t lines = 1;; ++lines) {
      busy_.assign(lines, 0);
      if (place(0)) return lines;
    }
  }

 private:
  bool place(std::size_t bundle) {
    const Bundle* const members = graph_.bundles.bundles.data() + bundle;
    if (bundle == line_of_.size()) return true;
    for (std::size_t line = members->earliest; line < busy_.size(); ++line) {
      line_of_[bundle] = static_cast<std::ptrdiff_t>(line);
      if (!waits_long_enough(bundle)) continue;
      const std::vector<unsigned> before = busy_;
      bool free = true;
      for (const Bundle::Member& member : members->members) {
        const std::size_t there = line + member.offset;
        const unsigned units = graph_.operations[member.operation].units;
        free = free && there < busy_.size() && (busy_[there] & units) == 0;
        if (free) busy_[there] |= units;
      }
      if (free && place(bundle + 1)) return true;
      busy_ = before;
    }
    return false;
  }

  /// Bundles are placed in the order of their numbers.
  [[nodiscard]] bool waits_long_enough(std::size_t bundle) const {
    for (std::size_t from = 0; from <= bundle; ++from) {
      for (const Edge& edge : graph_.bundles.edges[from]) {
        if (edge.to <= bundle && line_of_[edge.to] < line_of_[from] + edge.lines) return false;
      }
    }
    return true;
  }

  const SearchGraph& graph_;
  std::vector<std::ptrdiff_t> line_of_;
  std::vector<unsigned> busy_;  // units, for each line
};

/// Sums and products of which each may wait for earlier ones: one line, or the two of a long product, whose second
/// takes the adder, too.
SearchGraph random_waits(std::mt19937_64& random) {
  constexpr unsigned kAdder = 1U << static_cast<unsigned>(Unit::adder);
  constexpr unsigned kMultiplier = 1U << static_cast<unsigned>(Unit::multiplier);
  const auto below = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  SearchGraph graph;
  const unsigned count = 3 + below(6);
  for (unsigned bundle = 0; bundle < count; ++bundle) {
    const unsigned kind = below(3);
    Bundle made;
    for (std::size_t line = 0; line < (kind == 2 ? 2U : 1U); ++line) {
      SearchOperation operation;
      operation.unit = kind == 0 ? Unit::adder : Unit::multiplier;
      operation.units = kind == 0 ? kAdder : line == 0 ? kMultiplier : kMultiplier | kAdder;
      made.members.push_back({graph.operations.size(), line});
      graph.operations.push_back(operation);
    }
    made.earliest = below(4) == 0 ? below(3) : 0;
    for (unsigned before = 0; before < bundle; ++before) {
      if (below(3) != 0) continue;
      graph.bundles.edges[before].push_back(
          {bundle, static_cast<std::ptrdiff_t>(below(2) + graph.bundles.bundles[before].members.size())});
    }
    graph.bundles.bundles.push_back(std::move(made));
    graph.bundles.edges.emplace_back();
  }
  return graph;
}

TEST(LineSearch, NoScheduleHasFewerLinesThanTheLowerLimit) {
  std::mt19937_64 random(11);
  int reached = 0;
  constexpr int kGraphs = 2000;
  for (int n = 0; n < kGraphs; ++n) {
    const SearchGraph graph = random_waits(random);
    const std::size_t fewest = AllSchedules(graph).fewest();
    ASSERT_LE(least_lines(graph), fewest) << n;
    reached += least_lines(graph) == fewest ? 1 : 0;
  }
  EXPECT_GT(reached, kGraphs * 9 / 10) << "a limit that is rarely reached says little";
}

TEST(LineSearch, LowerLimitCountsWhatSharesAUnitAfterAChain) {
  // A product, then three sums of it: 1 + 3 lines. Neither the chain (2) nor the adder (3) needs as many.
  SearchGraph graph;
  for (const Unit unit : {Unit::multiplier, Unit::adder, Unit::adder, Unit::adder}) {
    SearchOperation operation;
    operation.unit = unit;
    operation.units = 1U << static_cast<unsigned>(unit);
    Bundle bundle;
    bundle.members = {{graph.operations.size(), 0}};
    graph.bundles.bundles.push_back(std::move(bundle));
    graph.bundles.edges.emplace_back();
    graph.operations.push_back(operation);
  }
  for (std::size_t sum = 1; sum < 4; ++sum) graph.bundles.edges[0].push_back({sum, 1});
  EXPECT_EQ(least_lines(graph), 4U);
  EXPECT_EQ(AllSchedules(graph).fewest(), 4U);
}

TEST(LineSearch, GivesTheSamePlanForTheSameSeed) {
  const SearchGraph graph = RandomGraphs(2).next();
  const auto one = search_plan(graph, options_for(graph));
  const auto other = search_plan(graph, options_for(graph));
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->gpr, other->gpr);
  EXPECT_EQ(one->lines, other->lines);
  for (std::size_t n = 0; n < one->operations.size(); ++n) {
    EXPECT_EQ(one->operations[n].line, other->operations[n].line);
    EXPECT_EQ(one->operations[n].ways, other->operations[n].ways);
  }
}

TEST(LineSearch, FindsNothingWithFewerLinesThanTheUnitsNeed) {
  SearchGraph graph = RandomGraphs(2).next();
  SearchOptions options = options_for(graph);
  options.limit = least_lines(graph);
  EXPECT_FALSE(search_plan(graph, options));
  options.limit = 0;
  EXPECT_FALSE(search_plan(graph, options));
}

TEST(LineSearch, RefusesBundlesThatWaitForThemselves) {
  SearchGraph graph = RandomGraphs(2).next();
  const SearchOptions options = options_for(graph);
  graph.bundles.edges[1].push_back({0, 1});
  graph.bundles.edges[0].push_back({1, 1});
  EXPECT_FALSE(graph.bundles.ways());
  EXPECT_EQ(least_lines(graph), 0U);
  EXPECT_FALSE(search_plan(graph, options));
}

/// Additions by hand: operation n has value n and stands alone in bundle n. Registers and local memory have no word.
class Additions {
 public:
  explicit Additions(std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
      SearchOperation operation;
      operation.unit = Unit::adder;
      operation.units = 1U << static_cast<unsigned>(Unit::adder);
      operation.result = static_cast<int>(n);
      graph.operations.push_back(operation);
      graph.values.emplace_back().operation = n;
      graph.bundles.bundles.push_back({{{n, 0}}});
    }
    graph.bundles.edges.resize(count);
    graph.gpr_taken.assign(64, true);
    graph.lm_by_name = true;
  }

  /// An element that all need is not found in T.
  void read(std::size_t reader, std::size_t value, int component = -1) {
    SearchInput& input = graph.operations[reader].inputs[graph.operations[reader].inputs[0].value < 0 ? 0 : 1];
    input.value = static_cast<int>(value);
    input.component = component;
    graph.values[value].readers.push_back(reader);
    wait(reader, value, component < 0 ? kForward : kRegister);
  }
  void wait(std::size_t operation, std::size_t before, std::ptrdiff_t lines) {
    graph.bundles.edges[before].push_back({operation, lines});
  }

  SearchGraph graph;
};

TEST(LineSearch, FillsLocalMemoryToItsLastWord) {
  Additions additions(2);
  additions.read(1, 0, 2);
  for (const unsigned words : {4U, 3U}) {
    additions.graph.lm_taken.assign(words, false);
    const auto plan = search_plan(additions.graph, options_for(additions.graph));
    ASSERT_EQ(plan.has_value(), words == 4) << words;
    if (!plan) continue;
    EXPECT_EQ(plan->lm_words, 4U);
  }
}

TEST(LineSearch, KnowsARegisterTakenUpToItsLastReader) {
  Additions additions(4);
  SearchGraph& graph = additions.graph;
  std::fill_n(graph.gpr_taken.begin(), 4, false);
  graph.lm_taken.assign(4, false);
  additions.read(1, 0, 2);
  additions.read(3, 2, 2);
  graph.bundles.bundles[1].earliest = 4;
  graph.bundles.bundles[2].earliest = 3;
  graph.bundles.bundles[3].earliest = 9;
  SearchOptions first_try = options_for(graph, 1);
  first_try.tries_for_one = 1;
  const auto plan = search_plan(graph, first_try);
  ASSERT_TRUE(plan);
  Machine(graph, *plan).run();
  EXPECT_EQ(plan->values[2].line, 3);
  EXPECT_EQ(plan->values[2].gpr, 0) << "operation 1 reads the registers one line later";
}

TEST(LineSearch, SetsAFlagAnewBehindItsLastUser) {
  Additions additions(5);
  SearchGraph& graph = additions.graph;
  graph.flags = 2;
  graph.flag_numbers = {3};
  graph.operations[0].flag_set = 0;
  for (const std::size_t user : {1, 2}) {
    graph.operations[user].flags_used = {0};
    additions.wait(user, 0, kRegister);
  }
  graph.bundles.bundles[2].earliest = 8;
  graph.operations[3].flag_set = 1;
  additions.wait(3, 0, 1);
  graph.operations[4].flags_used = {1};
  additions.wait(4, 3, kRegister);
  const auto plan = search_plan(graph, options_for(graph));
  ASSERT_TRUE(plan);
  Machine(graph, *plan).run();
}

TEST(LineSearch, ForwardsAValueAfterTheOneThatItOverwrites) {
  Additions additions(3);
  SearchGraph& graph = additions.graph;
  graph.values[1].base = 0;
  additions.wait(1, 0, 1);
  additions.read(2, 1);
  const auto plan = search_plan(graph, options_for(graph));
  ASSERT_TRUE(plan) << "both in T, one line after the other";
  Machine(graph, *plan).run();
}

TEST(LineSearch, HasNoPlanForNoOperations) { EXPECT_FALSE(search_plan({}, {1, 0, 1, 10})); }

}  // namespace
}  // namespace gdr::assembler
