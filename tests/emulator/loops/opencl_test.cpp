// The engine opencl against the reference engine: programs of every kind in integers, loop bodies in doubles, the
// devices and what is refused. Skipped where there is no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "gdr/emulator/conversion.h"
#include "gdr/emulator/opencl.h"
#include "gdr/emulator/session.h"
#include "gdr/emulator/thread_pool.h"
#include "gdr/selftest/comparison.h"
#include "kernel_data.h"
#include "opencl/body_parts.h"
#include "opencl/loop_body.h"
#include "opencl_testing.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using emulator::Engine;
using emulator::kBlocks;
using emulator::kParticlesPerRun;
using emulator::kPesPerBlock;
using emulator::OpenClDevice;
using emulator::Piece;
using emulator::Session;
using isa::LongWord;

std::string why_refused(const std::string& engine) {
  try {
    (void)emulator::make_engine(engine)->lower({});
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

// ---- devices -------------------------------------------------------------------------------------------------------

TEST_F(OpenCl, DevicesAreFoundByIndexAndByPartsOfTheirNamesInAnyCase) {
  const std::vector<OpenClDevice> all = devices();
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (!all[n].refusal.empty()) continue;
    EXPECT_EQ(emulator::choose_opencl_device(std::to_string(n)), n);
    std::string name = all[n].name;
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    const std::size_t by_name = emulator::choose_opencl_device(name);
    EXPECT_EQ(all[by_name].name, all[n].name);
    EXPECT_GT(all[n].memory_bytes, 0U);
    EXPECT_GT(all[n].compute_units, 0U);
  }
}

TEST_F(OpenCl, ADeviceThatThereIsNotIsRefusedWithThoseThatThereAre) {
  const std::string why = why_refused("opencl:abacus");
  EXPECT_THAT(why, testing::HasSubstr("engine 'opencl:abacus' is refused"));
  for (const OpenClDevice& device : devices()) EXPECT_THAT(why, testing::HasSubstr(device.name));
}

TEST_F(OpenCl, TheEnvironmentNamesADeviceForEnginesThatNameNone) {
  setenv("GDR_OPENCL_DEVICE", "abacus", 1);
  EXPECT_THAT(why_refused("opencl"), testing::HasSubstr("GDR_OPENCL_DEVICE=abacus is refused"));
  unsetenv("GDR_OPENCL_DEVICE");
  EXPECT_EQ(why_refused("opencl"), "accepted");
}

TEST_F(OpenCl, LanesThatNoDeviceHasAreRefused) {
  const Mode three("on", "3");
  EXPECT_EQ(why_refused("opencl"), "GDR_OPENCL_LANES=3 is refused: it must be 1, 2, 4 or 8");
}

TEST(OpenClNames, AreEnginesWhateverTheHostHas) {
  EXPECT_TRUE(emulator::is_engine("opencl"));
  EXPECT_TRUE(emulator::is_engine("opencl:anything"));
  EXPECT_TRUE(emulator::is_engine("lockstep:reference,opencl"));
  EXPECT_FALSE(emulator::is_engine("opencl:"));
  EXPECT_TRUE(emulator::make_engine("opencl:anything")->traits().exact);
  EXPECT_TRUE(emulator::make_engine("opencl")->traits().on_device);
}

TEST_F(OpenCl, MoreChipsThanTheDeviceHasMemoryForAreRefusedBeforeWork) {
  const auto engine = emulator::make_engine("opencl");
  const auto lowered = engine->lower(kernel("gravity.vsm"));
  try {
    (void)engine->open(lowered, {1U << 30, 0, nullptr});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("chips = 1073741824 is refused"),
                                             testing::HasSubstr(devices()[emulator::choose_opencl_device({})].name)));
  }
}

// ---- programs ------------------------------------------------------------------------------------------------------

/// `turns`: 1 for a work-item for each PE, 4 for one for each element of a PE.
class OpenClPrograms : public OpenCl, public testing::WithParamInterface<const char*> {};

TEST_P(OpenClPrograms, RunAsOnTheReference) {
  const Mode interpreted("off", {}, GetParam());
  const auto threads = std::make_shared<emulator::ThreadPool>(2);
  std::vector<selftest::Candidate> candidates;
  candidates.push_back({"opencl", selftest::session_subject(emulator::make_engine("opencl"), threads)});
  selftest::Comparison comparison(selftest::session_subject(emulator::make_engine(Engine::reference), threads),
                                  std::move(candidates));
  constexpr std::uint64_t kPrograms = kSlowedDown ? 3 : 30;
  std::vector<std::uint64_t> seeds(kPrograms);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  seeds.push_back(810);     // has a fault in section initialization
  seeds.push_back(102058);  // has faults of two chips, that of the second one in an earlier run
  for (const std::uint64_t seed : seeds) {
    const auto finding = comparison.run(selftest::random_input(seed, 4));
    ASSERT_FALSE(finding) << "seed " << seed << ": " << selftest::text_of(finding->difference);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, OpenClPrograms, testing::Values("1", "4"));

class OpenClBodies : public OpenCl, public testing::WithParamInterface<std::tuple<std::string, Data, std::string>> {
 public:
  static std::string name(const testing::TestParamInfo<ParamType>& of) {
    return std::get<0>(of.param) + "_" + name_of(std::get<1>(of.param)) + std::get<2>(of.param);
  }
};

TEST_P(OpenClBodies, LeaveEveryWordAsTheReferenceDoes) {
  const isa::Program program = kernel(std::get<0>(GetParam()) + ".vsm");
  const Data data = std::get<1>(GetParam());
  constexpr unsigned kTurns = kSlowedDown ? 5 : 37;
  for (const unsigned live_pes : {kPesPerBlock, 3U}) {
    const Loaded expected(kSlowedDown ? Engine::simd : Engine::reference, program, data, kTurns, live_pes);
    const Mode compiled("on", std::get<2>(GetParam()));
    const std::uint64_t before = emulator::opencl::turns_in_doubles();
    Loaded found("opencl", program, data, kTurns, live_pes);
    expect_equal(*expected.session, *found.session, live_pes);
    const bool fp64 = devices()[emulator::choose_opencl_device({})].fp64;
    if (data == Data::random && fp64) {
      EXPECT_GT(emulator::opencl::turns_in_doubles(), before);
    }
    if (program.is_type2()) continue;
    std::vector<LongWord> results(live_pes * isa::kVectorElements * program.record_fields(isa::Transfer::rrn));
    std::vector<LongWord> again(results.size());
    expected.session->wait(expected.session->collect(1, live_pes * isa::kVectorElements, results));
    found.session->wait(found.session->collect(1, live_pes * isa::kVectorElements, again));
    EXPECT_EQ(results, again);
    EXPECT_EQ(expected.session->events(1), found.session->events(1));
    EXPECT_EQ(expected.session->first_tree_events(), found.session->first_tree_events());
  }
}

// Words of both widths that a body stores and collects, iteration by iteration.
TEST_F(OpenCl, CollectsWhatABodyStores) {
  constexpr std::string_view kSource = R"(
kernel stores
bvar long x elt
var vector long a hlt
bvar vector long c[2] rrn fadd
reg sum $lr0v
reg product $r8v
loop initialization
  transfer
  nop
loop body
  transfer
  fadd x a sum
  fmul a fs"1.5" product
  bm sum c[0] @3
  bm product $b1600v @5
  nop
  collect c[0]
  bm sum c[1] @7
  nop
  nop
  collect c[1]
)";
  const isa::Program program = program_of(kSource);
  constexpr unsigned kTurns = 21;
  const auto run_on = [&](std::string_view engine) {
    Loaded loaded(engine, program, Data::random, kTurns, kPesPerBlock);
    loaded.session->run({loaded.pieces.data(), 1});
    std::vector<LongWord> words(emulator::collected_words(program, kTurns, true, true));
    loaded.session->wait(loaded.session->collect(0, 0, words));
    return std::pair(words, loaded.session->state(0, 0).bm);
  };
  const auto expected = run_on(Engine::reference);
  const std::uint64_t before = emulator::opencl::turns_in_doubles();
  const Mode compiled("on");
  EXPECT_EQ(run_on("opencl"), expected);
  if (devices()[emulator::choose_opencl_device({})].fp64) {
    EXPECT_GT(emulator::opencl::turns_in_doubles(), before);
  }
}

const std::vector<Data> kData =
    kSlowedDown ? std::vector{Data::random} : std::vector{Data::random, Data::lattice, Data::huge, Data::mixed_scales};

// Under sanitizers more kernels would only keep the compiler of OpenCL busy.
const std::vector<std::string> kForces =
    kSlowedDown ? std::vector<std::string>{"gravity"} : std::vector<std::string>{"gravity_jerk", "vdw"};
const std::vector<std::string> kPreferred{""};
INSTANTIATE_TEST_SUITE_P(Kernels, OpenClBodies,
                         testing::Combine(testing::ValuesIn(kForces), testing::ValuesIn(kData),
                                          testing::ValuesIn(kPreferred)),
                         OpenClBodies::name);
// As on a GPU, where each element of a PE has a work-item.
INSTANTIATE_TEST_SUITE_P(Elements, OpenClBodies,
                         testing::Combine(testing::Values(kSlowedDown ? "gravity" : "gravity_jerk"),
                                          testing::ValuesIn(kData), testing::Values("1")),
                         OpenClBodies::name);
// DGEMM's body takes pocl half a minute.
INSTANTIATE_TEST_SUITE_P(Nightly, OpenClBodies,
                         testing::Combine(testing::Values("dgemm", "gravity"), testing::ValuesIn(kData),
                                          testing::ValuesIn(kPreferred)),
                         OpenClBodies::name);
INSTANTIATE_TEST_SUITE_P(NightlyElements, OpenClBodies,
                         testing::Combine(testing::Values("gravity", "vdw"), testing::ValuesIn(kData),
                                          testing::Values("1")),
                         OpenClBodies::name);

// ---- elements apart ------------------------------------------------------------------------------------------------

std::size_t parts_of(const isa::Program& program) {
  const emulator::DecodedProgram decoded = emulator::decode_program(program);
  const auto schedule =
      emulator::simd::make_schedule(decoded, {emulator::HostIsa::portable, emulator::simd::Arithmetic::chip});
  emulator::jit::CodeTarget target;
  target.language = emulator::jit::CodeLanguage::opencl_c;
  return emulator::opencl::element_parts(emulator::jit::make_body_graph(decoded, schedule, target)).size();
}

TEST(OpenClElements, AreApartWhereNoneNeedsAnothersWords) {
  EXPECT_EQ(parts_of(kernel("gravity.vsm")), isa::kVectorElements);
  // The predictor's elements are the coordinates of a j-particle, but what it computes is equal in all PEs.
  EXPECT_EQ(parts_of(kernel("gravity_jerk.vsm")), isa::kVectorElements);
  EXPECT_EQ(parts_of(kernel("vdw.vsm")), isa::kVectorElements);
}

TEST(OpenClElements, AreTogetherWhereOnePeStores) { EXPECT_EQ(parts_of(kernel("dgemm.vsm")), 1U); }

TEST(OpenClElements, AreTogetherWhereOneReadsAnothersWord) {
  constexpr std::string_view kSource = R"(
kernel neighbours
bvar long x elt
var vector long a hlt
var vector long c rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt c
loop body
  fadd x a $lr0v
  nop
  fadd $lr2 c c
  nop
)";
  EXPECT_EQ(parts_of(program_of(kSource)), 1U);
}

class OpenClProducts : public OpenCl, public testing::WithParamInterface<const char*> {};

TEST_P(OpenClProducts, CollectInPiecesWhatTheVectorEngineCollects) {
  const isa::Program program = kernel("dgemm.vsm");
  const auto collected_by = [&](std::string_view engine) {
    Loaded loaded(engine, program, Data::random, 9, kPesPerBlock);
    std::vector<LongWord> words;
    for (const bool ends : {false, true}) {
      Piece piece = loaded.pieces[0];
      piece.records = (ends ? 3U : 4U) * kBlocks;
      piece.begins = !ends;
      piece.ends = ends;
      piece.first_iteration = ends ? 4 : 0;
      piece.address += ends ? 4U * kBlocks * program.record_words : 0;
      std::vector<LongWord> of_piece(
          emulator::collected_words(program, piece.records / kBlocks, piece.begins, piece.ends));
      loaded.session->run({&piece, 1});
      loaded.session->wait(loaded.session->collect(0, 0, of_piece));
      words.insert(words.end(), of_piece.begin(), of_piece.end());
    }
    return words;
  };
  const std::vector<LongWord> expected = collected_by(Engine::simd);
  const Mode mode(GetParam());
  EXPECT_EQ(collected_by("opencl"), expected);
}

INSTANTIATE_TEST_SUITE_P(Bodies, OpenClProducts, testing::Values("off"));
INSTANTIATE_TEST_SUITE_P(Nightly, OpenClProducts, testing::Values("on"));

TEST_F(OpenCl, ExternalMemoryStaysOnTheDeviceAndGrows) {
  const auto engine = emulator::make_engine("opencl");
  const auto session = engine->open(engine->lower(kernel("gravity.vsm")), {2, 100'000, nullptr});
  const std::vector<LongWord> some(100, emulator::flt64to72(0.7).value);
  session->write_memory(1, 50, some);
  session->write_memory(0, 90'000, some);
  EXPECT_EQ(session->read_memory(1, 50, 100), some);
  EXPECT_EQ(session->read_memory(0, 90'000, 100), some);
  EXPECT_EQ(session->read_memory(1, 150, 10), std::vector<LongWord>(10));
  EXPECT_THROW(session->write_memory(0, 99'999, some), Error);
}

}  // namespace
}  // namespace gdr::tests
