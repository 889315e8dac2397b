#include "gdr/selftest/histories.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gdr/emulator/host_isa.h"
#include "gdr/emulator/lockstep.h"
#include "gdr/emulator/opencl.h"

namespace gdr::selftest {
namespace {

using emulator::Chip;
using emulator::Engine;
using emulator::HostIsa;
using emulator::JitUse;

// Compiled code has the most states, so it gets more histories.
constexpr unsigned kShareOfCompiled = 4;

HistoryEngine of_chips(const std::function<std::unique_ptr<Chip>()>& make) {
  return {make, [make] { return emulator::make_chip_engine(make); }};
}
HistoryEngine of_engine(const std::string& name) {
  return {{}, [name] { return emulator::make_engine(name); }};
}
HistoryEngine of_reference() {
  return of_chips([]() -> std::unique_ptr<Chip> { return emulator::make_reference_chip(); });
}

void add_simd(std::vector<HistoryPair>& pairs) {
  for (const HostIsa isa : emulator::available_host_isas()) {
    for (const JitUse jit : {JitUse::never, JitUse::always}) {
      const bool compiles = jit == JitUse::always;
      if (compiles && !emulator::can_compile_loops(isa)) continue;
      const std::string name = fmt::format("simd ({}{})", emulator::name_of(isa), compiles ? ", compiled" : "");
      pairs.push_back({name, of_reference(), of_chips([isa, jit] { return emulator::make_simd_chip(isa, jit); }),
                       compiles ? kShareOfCompiled : 1});
    }
  }
}

void add_native(std::vector<HistoryPair>& pairs) {
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (!emulator::can_compile_loops(isa)) continue;
    pairs.push_back({fmt::format("native ({}, compiled)", emulator::name_of(isa)),
                     of_chips([isa] { return emulator::make_native_chip(isa, JitUse::never); }),
                     of_chips([isa] { return emulator::make_native_chip(isa, JitUse::always); })});
  }
}

void add_engine(std::vector<HistoryPair>& pairs, const std::string& name) {
  if (name == Engine::reference) {
    throw Error("engine 'reference' is refused: it is what the others are compared with");
  }
  if (name == Engine::simd) return add_simd(pairs);
  if (name == Engine::native) return add_native(pairs);
  if (!emulator::make_engine(name)->traits().computes) {
    throw Error(fmt::format("engine '{}' is refused: it computes nothing", name));
  }
  HistoryEngine found = of_engine(name);
  if (name == Engine::lockstep) {
    found.chip = [] {
      return emulator::make_lockstep_chip(emulator::make_reference_chip(), emulator::make_simd_chip());
    };
  }
  pairs.push_back({name, of_reference(), std::move(found)});
}

std::vector<std::string> default_engines() {
  std::vector<std::string> names{std::string(Engine::native)};
  for (const std::string& name : emulator::engine_names()) {
    const emulator::EngineTraits traits = emulator::make_engine(name)->traits();
    if (name != Engine::reference && traits.exact && !traits.on_device) names.push_back(name);
  }
  return names;
}

}  // namespace

std::string text_of(const HistoryFinding& finding) {
  const auto& commands = finding.history.commands;
  const std::string at = finding.difference.command < commands.size() ? text_of(commands[finding.difference.command])
                                                                      : std::string("the beginning");
  return fmt::format("{}# {}: {}\n", text_of(finding.history), at, text_of(finding.difference.difference));
}

std::vector<HistoryPair> history_pairs(const std::vector<std::string>& engines) {
  std::vector<HistoryPair> pairs;
  for (const std::string& name : engines.empty() ? default_engines() : engines) add_engine(pairs, name);
  return pairs;
}

Histories::Histories(std::vector<HistoryPair> pairs, HistoryShape shape)
    : pairs_(std::move(pairs)), shape_(std::move(shape)) {}

History Histories::history(std::uint64_t seed) const {
  unsigned shares = 0;
  for (const HistoryPair& each : pairs_) shares += each.share;
  std::uint64_t turn = seed % std::max(shares, 1U);
  const HistoryPair* chosen = nullptr;
  for (const HistoryPair& each : pairs_) {
    chosen = &each;
    if (turn < each.share) break;
    turn -= each.share;
  }
  if (chosen == nullptr) throw Error("histories need an engine");
  HistoryShape shape = shape_;
  if (!chosen->found.chip) shape.faces = {FaceKind::session};
  History history = random_history(seed, shape);
  history.engine = chosen->name;
  return history;
}

std::optional<HistoryFinding> Histories::run(std::uint64_t seed) {
  const History whole = history(seed);
  std::optional<HistoryDifference> differs = run(whole);
  if (!differs) return std::nullopt;
  const HistoryPair& engines = pair(whole.engine);
  HistoryCounts of_shrinking;
  const auto fails = [&](const History& less) { return run_history(less, engines, of_shrinking).has_value(); };
  HistoryFinding finding{shrunk(whole, fails), *std::move(differs)};
  if (auto now = run_history(finding.history, engines, of_shrinking)) finding.difference = *std::move(now);
  return finding;
}

std::optional<HistoryDifference> Histories::run(const History& history) {
  const HistoryPair& engines = pair(history.engine);
  if (history.face == FaceKind::chip && !engines.found.chip) {
    throw Error(fmt::format("face 'chip' is refused: engine '{}' has sessions alone", history.engine));
  }
  return run_history(history, engines, counts_);
}

const HistoryPair& Histories::pair(const std::string& name) const {
  const auto found = std::ranges::find(pairs_, name, &HistoryPair::name);
  if (found != pairs_.end()) return *found;
  std::vector<std::string> known;
  for (const HistoryPair& each : pairs_) known.push_back(each.name);
  throw Error(fmt::format("engine '{}' is refused: it must be one of {}", name, fmt::join(known, "; ")));
}

}  // namespace gdr::selftest
