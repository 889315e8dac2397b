// Any text as a schedule in GOAL and as a time-independent trace: refused by gdr::Error, or a program whose operations
// name ranks and operations that are there, and which ends on a small network or is refused. A trace is written and
// read back the same.
#include <algorithm>
#include <cmath>

#include "fuzz.h"
#include "gdr/interconnect/replay.h"
#include "gdr/interconnect/trace.h"

namespace {

using namespace gdr::interconnect;

constexpr Rank kMostRanks = 8;

void check_program(const Program& program) {
  FUZZ_HOLDS(program.ranks.size() <= kMostRanks);
  std::size_t receives = 0;
  for (const RankProgram& rank : program.ranks) {
    for (OperationId id = 0; id < rank.size(); ++id) {
      const RankProgram::Operation& one = rank.operation(id);
      FUZZ_HOLDS(std::isfinite(one.amount) && one.amount >= 0);
      if (one.kind == OperationKind::receive) ++receives;
      for (const Before& before : rank.before(id)) FUZZ_HOLDS(before.operation < rank.size());
    }
  }
  gdr::fuzz::refuses([&] {
    const ActivityGraph graph = replay_graph(program, kMostRanks);
    FUZZ_HOLDS(graph.messages() <= receives);  // those within a node take no link
  });
}

bool same(const Action& a, const Action& b) {
  return a.kind == b.kind && a.peer == b.peer && a.tag == b.tag && a.amount == b.amount;
}

void check_trace(const std::filesystem::path& path) {
  const Trace trace = read_trace(path, kMostRanks);
  for (const CollectiveMethod method : {CollectiveMethod::doubling, CollectiveMethod::posted}) {
    gdr::fuzz::refuses([&] { check_program(make_program(trace, method)); });
  }
  const std::filesystem::path folder = path.parent_path() / "written";
  if (gdr::fuzz::refuses([&] { write_trace(trace, folder); })) return;
  const Trace again = read_trace(folder / "trace.txt", kMostRanks);
  FUZZ_HOLDS(again.ranks.size() == trace.ranks.size());
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    FUZZ_HOLDS(std::ranges::equal(again.ranks[rank].actions, trace.ranks[rank].actions, same));
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gdr::fuzz::ScratchFile file(".txt");
  const std::string_view text = gdr::fuzz::text_of(data, size);
  gdr::fuzz::refuses([&] { check_program(parse_goal(text, "fuzz.goal", kMostRanks)); });
  file.write(text);
  gdr::fuzz::refuses([&] { check_trace(file.path()); });
  return 0;
}
