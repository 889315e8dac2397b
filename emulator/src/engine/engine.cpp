// Engines by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "gdr/emulator/lockstep.h"
#include "gdr/emulator/session.h"
#include "opencl/opencl_engine.h"

namespace gdr::emulator {
namespace {

struct Named {
  std::string name;
  EngineFactory make;
};

std::unique_ptr<Chip> lockstep_chip() { return make_lockstep_chip(make_reference_chip(), make_simd_chip()); }

/// The names in `lockstep:EXPECTED,FOUND`; empty for any other name.
std::optional<std::array<std::string_view, 2>> pair_in(std::string_view name) {
  constexpr std::string_view kPrefix = "lockstep:";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  const std::size_t comma = name.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  return std::array{name.substr(0, comma), name.substr(comma + 1)};
}

/// The device in `opencl:DEVICE`; empty for any other name.
std::optional<std::string_view> device_in(std::string_view name) {
  constexpr std::string_view kPrefix = "opencl:";
  if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) return std::nullopt;
  return name.substr(kPrefix.size());
}

/// All known engines. There is one instance per process, created on the first call.
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  void add(std::string_view name, EngineFactory make) {
    if (name.empty()) throw Error("engine: a name must not be empty");
    const std::lock_guard lock(mutex_);
    if (find(name) != engines_.end())
      throw Error(fmt::format("engine '{}' is refused: there is one of that name", name));
    engines_.push_back({std::string(name), std::move(make)});
  }

  /// Empty if there is no engine with that name.
  [[nodiscard]] EngineFactory factory(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto known = find(name);
    return known == engines_.end() ? EngineFactory() : known->make;
  }

  [[nodiscard]] std::vector<std::string> names() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const Named& engine : engines_) names.push_back(engine.name);
    return names;
  }

 private:
  Registry() {
    const auto add_chips = [&](std::string_view name, std::function<std::unique_ptr<Chip>()> make_chip,
                               EngineTraits traits) {
      engines_.push_back({std::string(name),
                          [make_chip = std::move(make_chip), traits] { return make_chip_engine(make_chip, traits); }});
    };
    add_chips(Engine::reference, [] { return make_reference_chip(); }, {});
    add_chips(Engine::simd, [] { return make_simd_chip(); }, {});
    add_chips(Engine::native, [] { return make_native_chip(); }, {.exact = false});
    add_chips(Engine::lockstep, lockstep_chip, {});
    engines_.push_back({std::string(Engine::opencl), [] { return make_opencl_engine({}); }});
    // Loads the program into a chip, so that a program that cannot run is refused.
    add_chips(Engine::timing, [] { return make_reference_chip(); }, {.exact = false, .computes = false});
  }

  [[nodiscard]] std::vector<Named>::const_iterator find(std::string_view name) const {
    return std::ranges::find(engines_, name, &Named::name);
  }

  mutable std::mutex mutex_;
  std::vector<Named> engines_;
};

}  // namespace

void register_engine(std::string_view name, EngineFactory factory) {
  Registry::instance().add(name, std::move(factory));
}

std::unique_ptr<Engine> make_engine(std::string_view name) {
  if (const EngineFactory factory = Registry::instance().factory(name)) return factory();
  if (const auto device = device_in(name)) return make_opencl_engine(*device);
  const auto pair = pair_in(name);
  if (!pair) {
    throw Error(
        fmt::format("engine '{}' is unknown: it must be one of {}, opencl:DEVICE, or lockstep:A,B with two of them",
                    name, fmt::join(engine_names(), ", ")));
  }
  std::array<std::unique_ptr<Engine>, 2> engines;
  for (std::size_t n = 0; n < engines.size(); ++n) {
    engines[n] = make_engine((*pair)[n]);
    if (engines[n]->traits().computes) continue;
    throw Error(fmt::format("engine '{}' is refused: '{}' computes nothing to compare", name, (*pair)[n]));
  }
  return make_lockstep_engine(std::move(engines[0]), std::move(engines[1]));
}

bool is_engine(std::string_view name) {
  if (Registry::instance().factory(name) || device_in(name)) return true;
  const auto pair = pair_in(name);
  return pair && is_engine((*pair)[0]) && is_engine((*pair)[1]);
}
std::vector<std::string> engine_names() { return Registry::instance().names(); }

}  // namespace gdr::emulator
