// Reading machine descriptions, with named errors.
#include "gdr/emulator/machine.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>

#include "gdr/isa/error.h"
#include "gdr/isa/file.h"

namespace gdr::emulator {
namespace {

/// What a description must give, and where it goes.
struct KnownParameter {
  std::string_view key;
  std::string_view unit;
  double low;
  double high;
  bool whole;
  std::function<void(MachineDescription&, double)> set;
};

template <class Member>
KnownParameter known(std::string_view key, std::string_view unit, double low, double high,
                     Member MachineDescription::* member) {
  return {key, unit, low, high, std::is_integral_v<Member>, [member](MachineDescription& machine, double value) {
            machine.*member = static_cast<Member>(value);
          }};
}

const std::vector<KnownParameter>& known_parameters() {
  using M = MachineDescription;
  static const std::vector<KnownParameter> parameters{
      known("chips", "1", 1, 16, &M::chips),
      known("clock", "MHz", 1, 10000, &M::clock_mhz),
      known("em_words", "long words per chip", 1024, 4294967296.0, &M::em_words),
      known("idp_clocks", "clocks per long word", 1, 64, &M::idp_clocks),
      known("odp_clocks", "clocks per long word", 1, 64, &M::odp_clocks),
      known("tree_latency", "clocks", 0, 1024, &M::tree_latency),
      known("loop_stall", "clocks per iteration", 0, 1e6, &M::loop_stall),
      known("run_start", "us per run", 0, 1e6, &M::run_start_us),
      known("result_dma_rate", "MB/s per chip", 0.001, 1e6, &M::result_dma_mb),
      known("pio_rate", "MB/s per chip", 0.001, 1e6, &M::pio_mb),
      known("i_send_rate_2009", "MB/s of distinct data", 0.001, 1e6, &M::i_send_2009_mb),
      known("j_send_rate_2009", "MB/s", 0.001, 1e6, &M::j_send_2009_mb),
      known("send_rate_ideal", "MB/s", 0.001, 1e6, &M::send_ideal_mb),
      known("host_add_rate", "additions/s", 1, 1e15, &M::host_add_rate),
  };
  return parameters;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  MachineDescription run() {
    const toml::table root = parsed();
    refuse_unknown(root, {"name", "title", "parameters"}, "");
    MachineDescription machine;
    machine.name = text_of(root, "name", "");
    machine.title = text_of(root, "title", "");
    const toml::table* parameters = root["parameters"].as_table();
    if (parameters == nullptr) fail(root.source(), "table 'parameters' is missing");
    for (const auto& [key, node] : *parameters) take(machine, std::string(key.str()), node);
    for (const KnownParameter& parameter : known_parameters()) {
      if (!parameters->contains(parameter.key)) {
        fail(parameters->source(), fmt::format("parameter '{}' is missing", parameter.key));
      }
    }
    std::sort(machine.parameters.begin(), machine.parameters.end(),
              [](const auto& a, const auto& b) { return position_of(a.key) < position_of(b.key); });
    return machine;
  }

 private:
  [[noreturn]] void fail(const toml::source_region& where, const std::string& why) const {
    throw Error(fmt::format("{}:{}: {}", name_, where.begin.line, why));
  }

  toml::table parsed() const {
    try {
      return toml::parse(text_, name_);
    } catch (const toml::parse_error& error) {
      throw Error(fmt::format("{}:{}:{}: {}", name_, error.source().begin.line, error.source().begin.column,
                              error.description()));
    }
  }

  static std::ptrdiff_t position_of(std::string_view key) {
    const auto& all = known_parameters();
    return std::find_if(all.begin(), all.end(), [&](const auto& parameter) { return parameter.key == key; }) -
           all.begin();
  }

  void refuse_unknown(const toml::table& table, const std::set<std::string_view>& allowed,
                      std::string_view inside) const {
    for (const auto& [key, node] : table) {
      if (!allowed.contains(key.str())) {
        fail(node.source(), fmt::format("unknown key '{}{}' (known: {})", inside, key.str(), fmt::join(allowed, ", ")));
      }
    }
  }

  std::string text_of(const toml::table& table, std::string_view key, std::string_view inside) const {
    const auto* value = table[key].as_string();
    if (value == nullptr || value->get().empty()) {
      fail(table.source(), fmt::format("'{}{}' must be a text that is not empty", inside, key));
    }
    return value->get();
  }

  void take(MachineDescription& machine, const std::string& key, const toml::node& node) const {
    const std::string inside = key + ".";
    const auto position = static_cast<std::size_t>(position_of(key));
    if (position == known_parameters().size()) {
      std::vector<std::string_view> keys;
      for (const KnownParameter& parameter : known_parameters()) keys.push_back(parameter.key);
      fail(node.source(), fmt::format("unknown parameter '{}' (known: {})", key, fmt::join(keys, ", ")));
    }
    const KnownParameter& parameter = known_parameters()[position];
    const toml::table* entry = node.as_table();
    if (entry == nullptr) {
      fail(node.source(), fmt::format("parameter '{}' must be a table of value, unit and origin", key));
    }
    refuse_unknown(*entry, {"value", "unit", "origin"}, inside);
    const auto value = (*entry)["value"].value<double>();
    if (!value) fail(node.source(), fmt::format("'{}value' must be a number", inside));
    const bool in_range = std::isfinite(*value) && *value >= parameter.low && *value <= parameter.high;
    if (!in_range || (parameter.whole && *value != std::floor(*value))) {
      fail(node.source(), fmt::format("{} = {} is refused: it must be a {} from {} to {}", key, *value,
                                      parameter.whole ? "whole number" : "number", parameter.low, parameter.high));
    }
    const std::string unit = text_of(*entry, "unit", inside);
    if (unit != parameter.unit) {
      fail(node.source(), fmt::format("'{}unit' = '{}' is refused: it must be '{}'", inside, unit, parameter.unit));
    }
    const std::string origin = text_of(*entry, "origin", inside);
    if (origin.size() < 3 || std::string_view("RDO").find(origin[0]) == std::string_view::npos || origin[1] != ':') {
      fail(node.source(), fmt::format("'{}origin' must begin with R:, D: or O:", inside));
    }
    parameter.set(machine, *value);
    machine.parameters.push_back({key, *value, unit, origin});
  }

  std::string_view text_;
  std::string_view name_;
};

}  // namespace

MachineDescription parse_machine(std::string_view text, std::string_view name) { return Reader(text, name).run(); }

MachineDescription load_machine(std::string_view name_or_file) {
  if (name_or_file.ends_with(".toml")) return parse_machine(isa::read_file(name_or_file), name_or_file);
  for (const std::filesystem::path& directory : data_directories()) {
    const std::filesystem::path file = directory / "machines" / (std::string(name_or_file) + ".toml");
    if (std::filesystem::is_regular_file(file)) return parse_machine(isa::read_file(file), file.string());
  }
  throw Error(fmt::format("no machine is called '{}' (known: {}; or name a file that ends in .toml)", name_or_file,
                          fmt::join(machine_names(), ", ")));
}

std::vector<std::string> machine_names() {
  std::set<std::string> names;
  for (const std::filesystem::path& directory : data_directories()) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(directory / "machines", none)) {
      if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::filesystem::path> data_directories() {
  std::vector<std::filesystem::path> directories;
  if (const char* chosen = std::getenv("GDR_DATA_DIR"); chosen != nullptr && *chosen != '\0') {
    directories.emplace_back(chosen);
  }
  std::error_code none;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", none);
  if (!program.empty()) directories.push_back(program.parent_path().parent_path() / "share" / "gdr");
  directories.emplace_back(GDR_INSTALLED_DATA_DIR);
  directories.emplace_back(GDR_SOURCE_DIR);
  return directories;
}

}  // namespace gdr::emulator
