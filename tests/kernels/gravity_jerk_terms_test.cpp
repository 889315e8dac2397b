// Every term of gravity with jerk is there and has its weight: left out of the source, or of the data, it changes the
// result by what the plain reference says.
#include <algorithm>
#include <ostream>

#include "gravity_jerk_testing.h"

namespace gdr::kernels::testing {
namespace {

using hostlib::Force;
using hostlib::IParticle;
using hostlib::JParticle;
using hostlib::Vec3;

constexpr double kTime = 0.5;
constexpr double kEps2 = 0.01;

/// A handful of particles whose predictors matter: D is 1/4 to 1/2 and every derivative is of order one, so that each
/// term moves each force by far more than rounding does.
struct Cluster {
  std::vector<JParticle> j;
  std::vector<IParticle> i;
};
Cluster cluster() {
  Cluster made;
  for (int k = 0; k < 20; ++k) {
    const auto wave = [k](double phase) { return std::sin(1.7 * k + phase); };
    JParticle particle;
    particle.id = k;
    particle.mass = 0.5 + 0.02 * k;
    particle.t0 = kTime - 0.25 - k / 128.0;
    particle.x = {wave(0.1), wave(0.7), wave(1.9)};
    particle.v = {wave(2.2), wave(2.9), wave(3.3)};
    particle.a_by_2 = {wave(3.8), wave(4.1), wave(4.6)};
    particle.jerk_by_6 = {wave(5.0), wave(5.3), wave(5.9)};
    particle.snap_by_18 = {wave(6.1), wave(6.6), wave(7.0)};
    made.j.push_back(particle);
    made.i.push_back({k, particle.x, particle.v});
  }
  return made;
}

struct Term {
  const char* name;
  GravityJerkTerms without;
  // What takes the term out of the source, in each kernel.
  const char* kernel;
  const char* in_source;
  const char* mutated;
};
void PrintTo(const Term& term, std::ostream* out) { *out << term.kernel << " without " << term.name; }

constexpr GravityJerkTerms kNoSnap{.snap = false};
constexpr GravityJerkTerms kNoDerivative{.derivative = false};
constexpr GravityJerkTerms kNoAcceleration{.acceleration = false};
constexpr GravityJerkTerms kNoJerkAlongD{.jerk_along_d = false};
constexpr GravityJerkTerms kNoSelfExclusion{.self_exclusion = false};
constexpr GravityJerkTerms kNoSoftening{.softening = false};

constexpr Term kTerms[] = {
    {"a2by18", kNoSnap, "gravity_jerk", "fmul $ti fs\"0.75\" $t", "fmul $ti fs\"0\" $t"},
    {"a1by6", kNoDerivative, "gravity_jerk", "fadd derivative $lti $lt", "fadd f\"0\" $lti $lt"},
    {"aby2", kNoAcceleration, "gravity_jerk", "fadd acceleration $lti b1 $lt", "fadd f\"0\" $lti b1 $lt"},
    {"jerk", kNoJerkAlongD, "gravity_jerk", "fmul $ti fs\"4.470348358154296875e-08\" $t", "fmul $ti fs\"0\" $t"},
    {"self-exclusion", kNoSelfExclusion, "gravity_jerk", "bm mj m_pair/!1", "bm mj m_pair"},
    {"eps", kNoSoftening, "gravity_jerk", "fadd eps2 $lti $lt", "fadd f\"0\" $lti $lt"},
    {"a2by18", kNoSnap, "gravity_jerk_2009", "bm snap s", "uxor $lt $lt s"},
    {"a1by6", kNoDerivative, "gravity_jerk_2009", "bm derivative j", "uxor $lt $lt j"},
    {"aby2", kNoAcceleration, "gravity_jerk_2009", "bm acceleration a", "uxor $lt $lt a"},
    {"jerk", kNoJerkAlongD, "gravity_jerk_2009", "fmul $ti fs\"3\" du3", "fmul $ti fs\"0\" du3"},
    {"self-exclusion", kNoSelfExclusion, "gravity_jerk_2009", "upassa $ti mass/!1", "upassa $ti mass"},
    {"eps", kNoSoftening, "gravity_jerk_2009", "fadd eps2 $lti sum", "fadd f\"0\" $lti sum"},
    {"a2by18", kNoSnap, "gravity_jerk_long", "fmul $lti fs\"0.75\" $lt", "fmul $lti fs\"0\" $lt"},
    {"a1by6", kNoDerivative, "gravity_jerk_long", "fadd derivative $lti $lt", "fadd f\"0\" $lti $lt"},
    {"aby2", kNoAcceleration, "gravity_jerk_long", "fadd acceleration $lti b1 $lt", "fadd f\"0\" $lti b1 $lt"},
    {"jerk", kNoJerkAlongD, "gravity_jerk_long", "fmul $lt fs\"3\" $lt", "fmul $lt fs\"0\" $lt"},
    {"self-exclusion", kNoSelfExclusion, "gravity_jerk_long", "bm mj m_pair/!1", "bm mj m_pair"},
    {"eps", kNoSoftening, "gravity_jerk_long", "fadd eps2 $lti r2s $t $ok2.z\n  ulsr $ti is\"1\" $t ; fadd eps2 s2 r2",
     "fpassa $lti r2s $t $ok2.z\n  ulsr $ti is\"1\" $t ; fpassa s2 r2"},
};

class GravityJerkTerm : public ::testing::TestWithParam<Term> {};

/// How far two forces are apart, in units of the bounds that roundings stay within.
double distance(const Force& a, const Force& b, const GravityJerk& scale) {
  return std::max({norm(a.acc - b.acc) / (kAccBound * scale.acc_scale),
                   norm(a.jerk - b.jerk) / (kJerkBound * scale.jerk_scale),
                   std::abs(a.pot - b.pot) / (kPotBound * std::abs(scale.force.pot))});
}

TEST_P(GravityJerkTerm, LeftOutOfTheSourceChangesTheForceAsPredicted) {
  const Term& term = GetParam();
  const Cluster shot = cluster();
  const std::string source = source_of(term.kernel);
  const BoardRun whole = on_board(assembled(source, term.kernel), shot.i, kTime, kEps2, shot.j);
  const isa::Program mutated = assembled(changed(source, term.in_source, term.mutated), term.kernel);
  const BoardRun lacking = on_board(mutated, shot.i, kTime, kEps2, shot.j);
  for (std::size_t k = 0; k < shot.i.size(); ++k) {
    const GravityJerk with = gravity_jerk(shot.i[k], kTime, kEps2, shot.j);
    const GravityJerk without = gravity_jerk(shot.i[k], kTime, kEps2, shot.j, term.without);
    expect_near(whole.forces[k], with);
    expect_near(lacking.forces[k], without);
    EXPECT_GE(distance(with.force, without.force, with), 100) << "the term would not be missed";
  }
}

/// The same data with the term's part of it set to nothing.
Cluster without_data(Cluster shot, std::string_view term) {
  for (JParticle& particle : shot.j) {
    if (term == "a2by18") particle.snap_by_18 = Vec3();
    if (term == "a1by6") particle.jerk_by_6 = Vec3();
    if (term == "aby2") particle.a_by_2 = Vec3();
    // Nothing leaves the jerk but with the relative velocity: take away most of it.
    if (term == "jerk") particle.v = -1.0 * (2.0 * (kTime - particle.t0) * particle.a_by_2);
  }
  for (IParticle& particle : shot.i) {
    if (term == "self-exclusion") particle.id += 1000;
  }
  return shot;
}

TEST_P(GravityJerkTerm, LeftOutOfTheDataChangesTheForceAsPredicted) {
  const Term& term = GetParam();
  const isa::Program program = kernel(term.kernel);
  const Cluster shot = cluster();
  const Cluster less = without_data(shot, term.name);
  const double less_eps2 = term.name == std::string_view("eps") ? 0.0 : kEps2;
  const BoardRun whole = on_board(program, shot.i, kTime, kEps2, shot.j);
  const BoardRun lacking = on_board(program, less.i, kTime, less_eps2, less.j);
  for (std::size_t k = 0; k < shot.i.size(); ++k) {
    const GravityJerk with = gravity_jerk(shot.i[k], kTime, kEps2, shot.j);
    const GravityJerk without = gravity_jerk(less.i[k], kTime, less_eps2, less.j);
    GravityJerk change = with;
    change.force = {with.force.acc - without.force.acc, with.force.jerk - without.force.jerk,
                    with.force.pot - without.force.pot};
    const Force& a = whole.forces[k];
    const Force& b = lacking.forces[k];
    EXPECT_LE(norm((a.acc - b.acc) - change.force.acc), kAccBound * (with.acc_scale + without.acc_scale));
    EXPECT_LE(norm((a.jerk - b.jerk) - change.force.jerk), kJerkBound * (with.jerk_scale + without.jerk_scale));
    EXPECT_LE(std::abs((a.pot - b.pot) - change.force.pot), kPotBound * std::abs(with.force.pot + without.force.pot));
    EXPECT_GE(distance(with.force, without.force, with), 100) << "the term would not be missed";
  }
}

INSTANTIATE_TEST_SUITE_P(Each, GravityJerkTerm, ::testing::ValuesIn(kTerms), [](const auto& tested) {
  std::string name = std::string(tested.param.kernel) + "_" + tested.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace gdr::kernels::testing
