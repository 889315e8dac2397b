// Runs random programs on two engines, and compares all words with those of the reference engine.
#include <gdr/selftest/selftest.h>

#include <cstdint>
#include <cstdio>
#include <string>

int main() {
  gdr::selftest::SelfTestOptions options;
  options.engines = {"lockstep", "native"};  // native computes with the host's doubles, so it is not exact
  options.chips = 2;
  gdr::selftest::SelfTest test(options);
  for (const std::string& engine : test.engines()) std::printf("%s is compared with the reference\n", engine.c_str());

  constexpr unsigned kPrograms = 20;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    // An engine that differs is reported once, with the smallest input that shows the difference.
    for (const gdr::selftest::Finding& finding : test.run(seed)) {
      std::printf("program %u: %s differs at %s\n  expected %s\n  found    %s\n", static_cast<unsigned>(seed),
                  finding.engine.c_str(), finding.difference.place.c_str(), finding.difference.expected.c_str(),
                  finding.difference.found.c_str());
    }
  }
  std::printf("%u programs, %s\n", kPrograms, test.has_engines() ? "an engine is left" : "no engine is left");
}
