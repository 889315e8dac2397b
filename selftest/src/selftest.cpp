#include "gdr/selftest/selftest.h"

#include <fmt/format.h>

#include "gdr/emulator/host_isa.h"
#include "gdr/emulator/thread_pool.h"
#include "gdr/selftest/sums.h"

namespace gdr::selftest {
namespace {

using emulator::Engine;

std::vector<std::string> exact_engines() {
  std::vector<std::string> names;
  for (const std::string& name : emulator::engine_names()) {
    const emulator::EngineTraits traits = emulator::make_engine(name)->traits();
    if (name != Engine::reference && traits.exact && !traits.on_device) names.push_back(name);
  }
  return names;
}

/// Appends the engine, or each variant of it that this host supports.
void add_candidates(std::vector<Candidate>& candidates, const std::string& name,
                    const std::shared_ptr<emulator::ThreadPool>& threads) {
  if (name == Engine::reference) {
    throw Error("engine 'reference' is refused: it is what the others are compared with");
  }
  if (name == Engine::simd) {
    for (const emulator::HostIsa isa : emulator::available_host_isas()) {
      for (const emulator::JitUse jit : {emulator::JitUse::never, emulator::JitUse::always}) {
        const bool compiles = jit == emulator::JitUse::always;
        if (compiles && !emulator::can_compile_loops(isa)) continue;
        auto engine = emulator::make_chip_engine([isa, jit] { return emulator::make_simd_chip(isa, jit); });
        candidates.push_back({fmt::format("{} ({}{})", name, emulator::name_of(isa), compiles ? ", compiled" : ""),
                              session_subject(std::move(engine), threads)});
      }
    }
    return;
  }
  auto engine = emulator::make_engine(name);
  if (!engine->traits().computes) throw Error(fmt::format("engine '{}' is refused: it computes nothing", name));
  Candidate candidate{name, session_subject(std::move(engine), threads)};
  if (name.starts_with(Engine::lockstep)) candidate.takes_part = is_for_lockstep;
  candidates.push_back(std::move(candidate));
}

Comparison comparison_of(const SelfTestOptions& options, std::vector<std::string>& names) {
  const auto threads = std::make_shared<emulator::ThreadPool>(options.threads);
  std::vector<Candidate> candidates;
  for (const std::string& name : options.engines.empty() ? exact_engines() : options.engines) {
    add_candidates(candidates, name, threads);
  }
  for (const Candidate& candidate : candidates) names.push_back(candidate.name);
  return {session_subject(emulator::make_engine(Engine::reference), threads), std::move(candidates)};
}

}  // namespace

SelfTest::SelfTest(const SelfTestOptions& options)
    : chips_(options.chips), comparison_(comparison_of(options, engines_)) {}

std::vector<Finding> SelfTest::run(std::uint64_t seed) {
  const Input input = random_input(seed, chips_);
  std::vector<Finding> findings;
  while (auto finding = comparison_.run(input)) {
    comparison_.leave_out(finding->engine);
    findings.push_back(std::move(*finding));
  }
  if (!sums_differ_) add_sums(seed, findings);
  return findings;
}

void SelfTest::add_sums(std::uint64_t seed, std::vector<Finding>& findings) {
  SumsInput sums = random_sums(seed);
  std::optional<Difference> differs = check_sums(sums);
  if (!differs) return;
  sums_differ_ = true;
  Input input;
  input.program = std::move(sums.program);
  input.seed = seed;
  input.chips = sums.chips * sums.boards;
  findings.push_back({std::string(kSums), std::move(*differs), std::move(input)});
}

}  // namespace gdr::selftest
