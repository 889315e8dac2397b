// Lower limits from windows against the fewest lines that trying every order finds, and against orders that exist.
#include "search/line_windows.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "gdr/assembler/analysis.h"
#include "gdr/selftest/history_programs.h"
#include "slowed_down.h"
#include "testing.h"

namespace gdr::assembler {
namespace {

struct Problem {
  BundleGraph graph;
  std::vector<Resource> resources;
};

/// Bundles of one or two lines that take some of a unit, a port and two ports of one kind, and may wait for earlier
/// ones, which now and then may begin a line later themselves.
Problem random_problem(std::mt19937_64& random) {
  const auto below = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  Problem problem;
  problem.resources.resize(3);
  problem.resources.back().each = 2;
  const unsigned count = 3 + below(4);
  for (unsigned number = 0; number < count; ++number) {
    Bundle bundle;
    const unsigned lines = below(3) == 0 ? 2 : 1;
    for (std::size_t line = 0; line < lines; ++line) {
      bundle.members.push_back({problem.graph.bundles.size(), line});
      for (Resource& resource : problem.resources) {
        for (std::size_t use = 0; use < resource.each; ++use) {
          if (below(2) == 0) resource.uses.push_back({number, line});
        }
      }
    }
    bundle.earliest = below(4) == 0 ? below(3) : 0;
    for (unsigned before = 0; before < number; ++before) {
      if (below(3) != 0) continue;
      problem.graph.edges[before].push_back({number, static_cast<std::ptrdiff_t>(below(5)) - 1});
    }
    problem.graph.bundles.push_back(std::move(bundle));
    problem.graph.edges.emplace_back();
  }
  return problem;
}

/// Tries every line for every bundle.
class EveryOrder {
 public:
  explicit EveryOrder(const Problem& problem) : problem_(problem), line_of_(problem.graph.bundles.size()) {}

  std::size_t fewest_lines() {
    std::size_t lines = 1;
    while (!fits(lines)) ++lines;
    return lines;
  }

 private:
  bool fits(std::size_t lines) {
    lines_ = lines;
    return place(0);
  }

  bool place(std::size_t bundle) {
    if (bundle == line_of_.size()) return true;
    const Bundle& placed = problem_.graph.bundles[bundle];
    for (std::size_t line = placed.earliest; line + placed.members.size() <= lines_; ++line) {
      line_of_[bundle] = line;
      if (has_room_up_to(bundle) && waits_up_to(bundle) && place(bundle + 1)) return true;
    }
    return false;
  }

  [[nodiscard]] bool has_room_up_to(std::size_t last) const {
    for (const Resource& resource : problem_.resources) {
      std::vector<std::size_t> uses(lines_, 0);
      for (const ResourceUse& use : resource.uses) {
        if (use.bundle <= last && ++uses[line_of_[use.bundle] + use.offset] > resource.each) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool waits_up_to(std::size_t last) const {
    for (std::size_t from = 0; from <= last; ++from) {
      for (const Edge& edge : problem_.graph.edges[from]) {
        const std::ptrdiff_t between =
            static_cast<std::ptrdiff_t>(line_of_[edge.to]) - static_cast<std::ptrdiff_t>(line_of_[from]);
        if (edge.to <= last && between < edge.lines) return false;
      }
    }
    return true;
  }

  const Problem& problem_;
  std::vector<std::size_t> line_of_;
  std::size_t lines_ = 0;
};

TEST(LineWindows, NoOrderHasFewerLines) {
  std::mt19937_64 random(5);
  constexpr int kProblems = 3000;
  int reached = 0;
  for (int n = 0; n < kProblems; ++n) {
    SCOPED_TRACE(n);
    const Problem problem = random_problem(random);
    const std::size_t fewest = EveryOrder(problem).fewest_lines();
    const auto none = too_few_lines(problem.graph, problem.resources, 1, fewest + 4);
    ASSERT_TRUE(!none || none->lines < fewest);
    reached += (none ? none->lines + 1 : 1) == fewest ? 1 : 0;
    if (!none || !none->resource) continue;
    // The lines that are named have too little room, and are among those that there would be.
    const Resource& resource = problem.resources[*none->resource];
    ASSERT_LE(none->first, none->last);
    ASSERT_LT(none->last, none->lines);
    ASSERT_GT(none->uses, resource.each * (none->last - none->first + 1));
    ASSERT_LE(none->uses, resource.uses.size());
  }
  EXPECT_GT(reached, kProblems * 4 / 5) << "a limit that is rarely reached says little";
}

TEST(LineWindows, KnowNothingOfBundlesThatWaitForEachOther) {
  Problem problem;
  problem.graph.bundles.resize(2);
  problem.graph.bundles[0].members = {{0, 0}};
  problem.graph.bundles[1].members = {{1, 0}};
  problem.graph.edges = {{{1, 1}}, {{0, 1}}};
  EXPECT_FALSE(too_few_lines(problem.graph, {}, 0, 10));
}

/// The program has its lines in an order that exists, so with empty lines behind it the limit must not be larger.
void expect_own_order(isa::Program program, const std::string& name) {
  const std::size_t lines = program.lines(isa::Section::loop_body).size();
  if (lines == 0) return;
  const isa::Program empty = testing::assembled("kernel k\nloop body\n  nop\n");
  for (int n = 0; n < 4; ++n) {
    program.steps(isa::Section::loop_body).push_back(empty.steps(isa::Section::loop_body).front());
  }
  EXPECT_LE(analyse(program).least_lines(), lines) << name;
}

TEST(LineWindows, LeaveRoomForOrdersThatExist) {
  for (const std::string& name : selftest::quick_history_kernels()) {
    expect_own_order(selftest::history_program(name)->program, name);
  }
  for (int seed = 0; seed < (tests::kSlowedDown ? 20 : 150); ++seed) {
    const std::string name = "packable " + std::to_string(seed);
    expect_own_order(selftest::history_program(name)->program, name);
  }
}

TEST(LineWindows, LeaveRoomForPackedOrders) {
  for (const char* name : {"gravity", "gravity_jerk", "gravity_jerk_2009", "vdw", "nearest", "tutorial"}) {
    for (const ScheduleLevel level : {ScheduleLevel::list, ScheduleLevel::full}) {
      AssembleOptions options;
      options.schedule.level = level;
      const AssembleResult result = assemble_file(std::string(GDR_KERNELS_DIR) + "/" + name + ".vsm", options);
      ASSERT_TRUE(result.program) << name;
      expect_own_order(*result.program, name);
    }
  }
}

}  // namespace
}  // namespace gdr::assembler
