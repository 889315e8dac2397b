// Iterations side by side on OpenCL devices: how bodies are divided, and runs against the reference engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "line/scheduler.h"
#include "loop/plan/body_split.h"
#include "opencl/body_parts.h"
#include "opencl/loop_body.h"
#include "opencl_testing.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using emulator::Engine;
using emulator::kBlocks;
using emulator::kPesPerBlock;
using emulator::jit::BodyGraph;
using emulator::jit::BodySplit;
using emulator::jit::NodeId;
using isa::LongWord;

/// The graph of a vector element, or of all if they need one another.
BodyGraph graph_of(const isa::Program& program) {
  const emulator::DecodedProgram decoded = emulator::decode_program(program);
  const auto schedule =
      emulator::simd::make_schedule(decoded, {emulator::HostIsa::portable, emulator::simd::Arithmetic::chip});
  emulator::jit::CodeTarget target;
  target.language = emulator::jit::CodeLanguage::opencl_c;
  return emulator::opencl::element_parts(emulator::jit::make_body_graph(decoded, schedule, target)).front();
}

// ---- division
// --------------------------------------------------------------------------------------------------------

class SplitBodies : public testing::TestWithParam<std::pair<const char*, unsigned>> {};

TEST_P(SplitBodies, HaveAChainForEachSum) {
  const BodyGraph graph = graph_of(kernel(GetParam().first));
  const BodySplit split = split_body(graph);
  EXPECT_EQ(split.refusal, "");
  EXPECT_EQ(split.chains, GetParam().second);
}

TEST_P(SplitBodies, HaveOwnPartsThatNeedNoChainAndChainsThatNeedNoOther) {
  const BodyGraph graph = graph_of(kernel(GetParam().first));
  const BodySplit split = split_body(graph);
  ASSERT_EQ(split.chain_of.size(), graph.nodes.size());
  std::set<unsigned> met;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    for (const NodeId arg : graph.nodes[id].args) {
      if (arg == emulator::jit::kNoNode || !split.in_chain(arg)) continue;
      EXPECT_EQ(split.chain_of[id], split.chain_of[arg]) << id << " needs " << arg;
    }
    if (split.in_chain(id)) met.insert(split.chain_of[id]);
  }
  EXPECT_EQ(met.size(), split.chains);
  for (const emulator::jit::Carried& carried : graph.carried) {
    EXPECT_TRUE(split.in_chain(carried.before));
    if (split.in_chain(carried.after)) {
      EXPECT_EQ(split.chain_of[carried.after], split.chain_of[carried.before]);
    }
  }
}

// Sums of acceleration and potential; with jerk three more.
INSTANTIATE_TEST_SUITE_P(Kernels, SplitBodies,
                         testing::Values(std::pair("gravity.vsm", 4U), std::pair("gravity_jerk.vsm", 7U)));

TEST(SplitBody, IsRefusedWhereAPeStoresToBroadcastMemory) {
  EXPECT_EQ(split_body(graph_of(kernel("dgemm.vsm"))).refusal, "iterations use broadcast memory in their order");
}

TEST(SplitBody, IsRefusedWhereMostOfAnIterationNeedsTheOneBefore) {
  constexpr std::string_view kSource = R"(
kernel product
bvar long x elt
var vector long a hlt
var vector long c rrn fadd
loop initialization
  upassa a c
  nop
loop body
  fadd c x $lr0v
  nop
  fadd $lr0v x $lr8v
  nop
  fadd $lr8v x c
  nop
)";
  EXPECT_EQ(split_body(graph_of(program_of(kSource))).refusal, "most of an iteration needs the iteration before");
}

// ---- runs
// ------------------------------------------------------------------------------------------------------------

class SideBySide : public OpenCl, public testing::WithParamInterface<std::tuple<std::string, Data, std::string>> {
 public:
  static std::string name(const testing::TestParamInfo<ParamType>& of) {
    return std::get<0>(of.param) + "_" + name_of(std::get<1>(of.param)) + std::get<2>(of.param);
  }
};

bool has_doubles() { return devices()[emulator::choose_opencl_device({})].fp64; }

TEST_P(SideBySide, LeaveEveryWordAsTheReferenceDoes) {
  const isa::Program program = kernel(std::get<0>(GetParam()) + ".vsm");
  const Data data = std::get<1>(GetParam());
  // One call and less than one of the next; a single iteration; all work-items but one at work in the last.
  for (const auto& [turns, live_pes] : {std::pair(37U, kPesPerBlock), {1U, 3U}, {33U, kPesPerBlock - 1}, {31U, 1U}}) {
    const Loaded expected(Engine::simd, program, data, turns, live_pes);
    const Mode compiled("on", "1", std::get<2>(GetParam()));
    const std::uint64_t before = emulator::opencl::turns_in_doubles();
    const Loaded found("opencl", program, data, turns, live_pes);
    expect_equal(*expected.session, *found.session, live_pes);
    if (data == Data::random && has_doubles()) {
      EXPECT_GT(emulator::opencl::turns_in_doubles(), before);
    }
    if (kSlowedDown) break;
  }
}

const std::vector<Data> kData =
    kSlowedDown ? std::vector{Data::random} : std::vector{Data::random, Data::lattice, Data::huge, Data::mixed_scales};
// pocl takes long for these texts: some ten seconds for gravity, and a minute for gravity with jerk.
INSTANTIATE_TEST_SUITE_P(Four, SideBySide,
                         testing::Combine(testing::Values("gravity"), testing::ValuesIn(kData), testing::Values("4")),
                         SideBySide::name);
INSTANTIATE_TEST_SUITE_P(Nightly, SideBySide,
                         testing::Combine(testing::Values("gravity_jerk", "vdw", "nearest"), testing::ValuesIn(kData),
                                          testing::Values("2", "8")),
                         SideBySide::name);

TEST_F(OpenCl, APartOfABlockThatIsRefusedLeavesTheOthersWhereTheyMustBe) {
  // Elements of a block run apart. One i-particle alone meets, in the second call, a j-particle so near that the square
  // of the distance is below all that doubles can show.
  constexpr double kNear = 0x1p-600;
  constexpr unsigned kTurns = 70;
  constexpr unsigned kLate = 40;
  const isa::Program program = kernel("gravity.vsm");
  const Loaded::Change change = [&](std::vector<LongWord>& records, std::vector<LongWord>& particles) {
    const std::size_t count = kPesPerBlock * isa::kVectorElements;
    constexpr std::size_t kParticle = 4 * 5 + 2;  // element 2 of PE 5
    for (std::size_t field = 0; field < 4; ++field) particles[field * count + kParticle] = {};
    const isa::Variable* x = program.variables_by(isa::Transfer::elt).front();
    const std::size_t record = (kLate * kBlocks + 3) * program.record_words;
    for (unsigned n = 0; n < 3; ++n) {
      records[record + x->address / 2 + n] = n == 0 ? word_of(*x, kNear) : LongWord{};
    }
  };
  const Loaded expected(Engine::simd, program, Data::random, kTurns, kPesPerBlock, change);
  const Mode compiled("on", "1", "4");
  const std::uint64_t before = emulator::opencl::turns_in_doubles();
  const Loaded found("opencl", program, Data::random, kTurns, kPesPerBlock, change);
  expect_equal(*expected.session, *found.session, kPesPerBlock);
  if (has_doubles()) {
    // In two chips all blocks but one do all iterations in doubles, and that one all but a call's.
    const std::uint64_t all = 2ULL * kBlocks * kTurns;
    const std::uint64_t done = emulator::opencl::turns_in_doubles() - before;
    EXPECT_GE(done, all - 2 * 2 * emulator::jit::kTurns - 2 * 3);
    EXPECT_LT(done, all);
  }
}

TEST_F(OpenCl, TurnsThatNoBodyHasAreRefused) {
  const Mode three("on", "1", "3");
  try {
    (void)emulator::make_engine("opencl")->lower({});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "GDR_OPENCL_TURNS=3 is refused: it must be 1, 2, 4 or 8");
  }
}

// ---- the machine's kernel with a work-item for each element
// ----------------------------------------------------------

TEST_F(OpenCl, ElementsOfALineApartRunAsOnTheReference) {
  for (const char* name : {"gravity_jerk.vsm", "dgemm.vsm"}) {
    const isa::Program program = kernel(name);
    for (const Data data : {Data::random, Data::huge}) {
      const Loaded expected(Engine::simd, program, data, 3, 5);
      const Mode interpreted("off", "1", "4");
      const Loaded found("opencl", program, data, 3, 5);
      expect_equal(*expected.session, *found.session, 5);
    }
  }
}

}  // namespace
}  // namespace gdr::tests
