// Loops with goose pragmas that were computed for other data before give what they give in a process of their own.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/compiler/goose.h"
#include "histories.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

/// Two loops with parameters. Each line of the input is a call: loop, ni, nj, seed; each line of the output holds a sum
/// over the bits of its results.
constexpr const char* kProgram = R"(#include <math.h>
#include <stdio.h>
#include <string.h>
static unsigned long long state;
static double number(void) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(state >> 11) / 9007199254740992.0;
}
static double x[2000][3], m[2000], acc[300][3], pot[300], least[300];
static void force(int ni, int nj, double eps2) {
#pragma goose parallel for loopcounter(i, j) precision("mixed") result(acc[i][0..2], pot[i])
  for (int i = 0; i < ni; i++) {
    for (int k = 0; k < 3; k++) acc[i][k] = 0;
    pot[i] = 0;
    for (int j = 0; j < nj; j++) {
      double dx[3];
      for (int k = 0; k < 3; k++) dx[k] = x[j][k] - x[i][k];
      double r2 = dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2] + eps2;
      double rinv = 1 / sqrt(r2);
      pot[i] -= m[j] * rinv;
      rinv *= m[j] * rinv * rinv;
      for (int k = 0; k < 3; k++) acc[i][k] += rinv * dx[k];
    }
  }
}
static void nearest(int ni, int nj, double shift) {
#pragma goose parallel for loopcounter(i, j) precision("double") result(least[i], pot[i])
  for (int i = 0; i < ni; i++) {
    least[i] = 1e30;
    pot[i] = 0;
    for (int j = 0; j < nj; j++) {
      double d = fabs(x[j][0] - x[i][1] + shift);
      least[i] = fmin(least[i], d);
      pot[i] += m[j] * d;
    }
  }
}
int main(void) {
  int loop, ni, nj;
  unsigned long long seed;
  while (scanf("%d %d %d %llu", &loop, &ni, &nj, &seed) == 4) {
    unsigned long long sum = 0, word;
    state = seed;
    for (int n = 0; n < 2000; n++) {
      for (int k = 0; k < 3; k++) x[n][k] = number();
      m[n] = number();
    }
    if (loop == 0) force(ni, nj, 0.001 + number() / 100);
    if (loop == 1) nearest(ni, nj, number());
    for (int i = 0; i < ni; i++) {
      double all[5] = {loop ? 0 : acc[i][0], loop ? 0 : acc[i][1], loop ? 0 : acc[i][2], pot[i], loop ? least[i] : 0};
      for (int k = 0; k < 5; k++) memcpy(&word, &all[k], sizeof word), sum = sum * 31 + word;
    }
    printf("%016llx\n", sum);
  }
  return 0;
}
)";

std::string output_of(const std::string& command) {
  ::setenv("GDR_EVENTS", "off", 1);  // what programs print is compared
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw Error("cannot run " + command);
  std::string text;
  char part[4096];
  for (std::size_t got = 0; (got = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, got);
  EXPECT_EQ(pclose(pipe), 0) << text;
  return text;
}

/// Collects the calls of a history; at its end one process computes them all, and each is computed by another.
void play(const Folder& folder, const std::string& program, std::uint64_t seed) {
  std::string calls;
  std::string expected;
  for (const tests::HistoryStep& step : tests::history(seed)) {
    if (step.action != tests::HistoryStep::Action::run) continue;
    const std::string call = std::to_string(step.object) + " " + std::to_string(step.ni) + " " +
                             std::to_string(step.nj) + " " + std::to_string(step.data) + "\n";
    base::write_file(folder / "call", call);
    expected += output_of(program + " < " + (folder / "call").string());
    calls += call;
  }
  base::write_file(folder / "calls", calls);
  EXPECT_EQ(output_of(program + " < " + (folder / "calls").string()), expected)
      << "again: GDR_TEST_SEED=" << seed << " GDR_TEST_HISTORIES=1 GDR_JIT=" << std::getenv("GDR_JIT")
      << "\nloop, ni, nj, seed:\n"
      << calls;
}

void play_histories(std::uint64_t seed, std::uint64_t count) {
  const Folder folder;
  const std::filesystem::path source = folder / "history.c";
  base::write_file(source, kProgram);
  compiler::GooseOptions options;
  options.compile.effort = 1;
  const compiler::GooseResult result = compiler::compile_goose(source, options);
  ASSERT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  const compiler::HostBuild built = compiler::build_goose(result, source, folder / "program", options);
  ASSERT_TRUE(built.done) << built.messages;
  const std::uint64_t first = tests::from_environment("GDR_TEST_SEED", seed);
  const std::uint64_t last = first + tests::from_environment("GDR_TEST_HISTORIES", count);
  for (std::uint64_t own = first; own < last && !testing::Test::HasFailure(); ++own) {
    play(folder, (folder / "program").string(), own);
  }
}

class GooseHistory : public testing::TestWithParam<const char*> {
 protected:
  GooseHistory() { setenv("GDR_JIT", GetParam(), 1); }
  ~GooseHistory() override { unsetenv("GDR_JIT"); }
};

TEST_P(GooseHistory, GivesWhatAProcessOfItsOwnGives) { play_histories(1, 4); }

INSTANTIATE_TEST_SUITE_P(Jit, GooseHistory, testing::Values("on", "off"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(NightlyGooseHistory, GivesWhatAProcessOfItsOwnGives) {
  setenv("GDR_JIT", "on", 1);
  play_histories(tests::new_seed(), 300);
  unsetenv("GDR_JIT");
}

}  // namespace
}  // namespace gdr::compiler_testing
