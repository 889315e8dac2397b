// A prediction is none if its verdict hangs on an input that is ours: every such input of the machines and networks
// that predictions read is made larger and smaller by half, what was calibrated is fitted again, and no verdict may
// change.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/validation/report.h"
#include "scratch_directory.h"

namespace gdr::validation {
namespace {

namespace fs = std::filesystem;

constexpr double kFactor = 1.5;

/// A parameter of a description, as its file has it.
struct Input {
  std::string machine;
  std::string key;
  double value = 0;
  std::string unit;
  std::string origin;

  [[nodiscard]] bool is_ours() const {
    return origin.starts_with("O:") || origin.find("[ours]") != std::string::npos ||
           origin.find("inferred") != std::string::npos;
  }
  [[nodiscard]] bool is_calibrated() const { return origin.find("calibrated") != std::string::npos; }
};

/// The descriptions, changed or not, where gdr finds them first.
class Descriptions {
 public:
  Descriptions() {
    fs::create_directories(folder_ / "machines");
    for (const fs::directory_entry& one : fs::directory_iterator(GDR_MACHINES_DIR))
      texts_[one.path().stem().string()] = base::read_file(one.path());
    setenv("GDR_DATA_DIR", folder_.path().c_str(), 1);
  }
  Descriptions(const Descriptions&) = delete;
  Descriptions& operator=(const Descriptions&) = delete;
  ~Descriptions() { unsetenv("GDR_DATA_DIR"); }

  [[nodiscard]] std::vector<Input> inputs(const std::string& machine) const {
    static const std::regex line(
        R"re((?:^|\n)(\w+)\s*=\s*\{ value = ([-+0-9.eE]+), unit = "([^"]*)", origin = "([^"]*)")re");
    std::vector<Input> found;
    const std::string& text = texts_.at(machine);
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at)
      found.push_back({machine, (*at)[1], std::stod((*at)[2]), (*at)[3], (*at)[4]});
    return found;
  }

  /// Writes all descriptions, with these values of `machine/key` in place of theirs.
  void write(const std::map<std::string, double>& values) const {
    std::map<std::string, std::string> changed = texts_;
    for (const auto& [name, value] : values) {
      const std::size_t slash = name.find('/');
      std::string& text = changed.at(name.substr(0, slash));
      const std::regex place(fmt::format(R"((?:^|\n){}\s*=\s*\{{ value = ([-+0-9.eE]+))", name.substr(slash + 1)));
      std::smatch found;
      if (!std::regex_search(text, found, place)) throw Error("there is no " + name);
      text = text.substr(0, found.position(1)) + fmt::format("{:.9g}", value) +
             text.substr(found.position(1) + found.length(1));
    }
    for (const auto& [name, text] : changed) write_one(name, text);
  }
  /// Makes all descriptions unreadable but these.
  void keep_only(const std::set<std::string>& machines) const {
    for (const auto& [name, text] : texts_) write_one(name, machines.count(name) != 0 ? text : "nothing to read");
  }

 private:
  void write_one(const std::string& name, const std::string& text) const {
    if (const auto [last, is_new] = written_.try_emplace(name, text); !is_new) {
      if (last->second == text) return;
      last->second = text;
    }
    base::write_file(folder_.path() / "machines" / (name + ".toml"), text);
  }

  tests::ScratchDirectory folder_;
  std::map<std::string, std::string> texts_;
  mutable std::map<std::string, std::string> written_;
};

/// The descriptions that the models of predictions read, by what their names begin with. Those of one system are
/// calibrated together.
struct System {
  std::vector<std::string> models;
  std::set<std::string> machines;
  bool timed = true;  // false: the models compute on the board, and no time of it enters
};
const std::vector<System>& systems() {
  static const std::vector<System> all{
      {{"dgemm.", "board."}, {"model1800"}},
      {{"hpl."}, {"model1800"}, false},
      {{"tca."}, {"ha-pacs-tca", "peach2"}},
      {{"mapping."}, {"opennsim-torus"}},
      {{"summa.", "broadcast."},
       {"optical-hub-64", "optical-hub-2d-64", "torus-64", "fat-tree-64", "mvapich2", "smpi-factors"}},
  };
  return all;
}
const System& system_of(const Row& row) {
  for (const System& one : systems()) {
    for (const std::string& model : one.models) {
      if (row.model.starts_with(model)) return one;
    }
  }
  throw Error("row " + row.id.text() + ": its model " + row.model + " is of no system of this test");
}

/// What a calibrated parameter was fitted to.
struct Calibration {
  std::string machine;
  std::string key;
  std::string row;
};
const std::vector<Calibration>& calibrations() {
  static const std::vector<Calibration> all{
      {"model1800", "loop_stall", "G3"},
      {"model1800", "run_start", "G15.run"},
      {"model1800", "pio_swap", "G15.j-bandwidth"},
      {"model1800", "host_write_rate_2009", "G15.i-bandwidth"},
      {"model1800", "host_add_rate", "G4"},
      {"model1800", "overlap_turns", "G8.hidden"},
      {"peach2", "chain_start", "N14.chain"},
      {"peach2", "staged_start", "N14.staged"},
      {"peach2", "mvapich2_block", "N14.staged"},
      {"ha-pacs-tca", "pipeline_start", "N15.crossover.1d"},
      {"ha-pacs-tca", "mpi_pack_start", "N15.crossover.stride"},
      {"ha-pacs-tca", "pack_rate", "N15.crossover.block-stride"},
      {"ha-pacs-tca", "qpi_start", "N15.himeno.S.hybrid"},
      {"ha-pacs-tca", "iteration_overhead", "N15.himeno.S.tca"},
      {"ha-pacs-tca", "exchange_overhead", "N15.laplace.reflect"},
  };
  return all;
}

/// Calibrated on a row of table 7 on the hub, which reads none of the inputs that are ours.
const std::set<std::string> kNeedsNoFit{"mvapich2"};

class Study {
 public:
  Study() : data_(read_data(Models())) {}

  [[nodiscard]] std::vector<const Row*> predictions() const {
    std::vector<const Row*> found;
    for (const Row& row : data_.rows) {
      if (row.role == Role::prediction && row.bar.kind != Bar::Kind::none && row.verified) found.push_back(&row);
    }
    return found;
  }
  [[nodiscard]] const Row& row(const std::string& id) const {
    const auto found = std::ranges::find(data_.rows, id, [](const Row& one) { return one.id.text(); });
    if (found == data_.rows.end()) throw Error("there is no row " + id);
    return *found;
  }

 private:
  Data data_;
};

double number(const Ours& ours) {
  if (const bool* holds = std::get_if<bool>(&ours)) return *holds ? 1 : 0;
  return std::get<double>(ours);
}

/// Fits what was calibrated again: each row keeps the value that it has without the change.
class Refit {
 public:
  Refit(const Descriptions& descriptions, const Study& study, const System& system)
      : descriptions_(descriptions), study_(study) {
    descriptions_.write({});
    for (const Calibration& one : calibrations()) {
      if (system.machines.count(one.machine) == 0) continue;
      for (const Input& input : descriptions_.inputs(one.machine)) {
        if (input.key == one.key) values_[one.machine + "/" + one.key] = input.value;
      }
      targets_[one.row] = value_of(one.row);
      fitted_.push_back(one);
    }
    nominal_ = values_;
  }

  /// Values of the changed input and of all calibrated parameters. `worst`: the largest difference that is left.
  std::map<std::string, double> values(const std::map<std::string, double>& change, double& worst) {
    constexpr int kSweeps = 4;
    constexpr double kNear = 0.002;
    std::map<std::string, double> at = nominal_;
    for (const auto& [name, value] : change) at[name] = value;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      worst = 0;
      for (const Calibration& one : fitted_) worst = std::max(worst, miss(one.row, at));
      if (worst <= kNear) break;
      for (const Calibration& one : fitted_) {
        if (miss(one.row, at) > kNear / 4) fit(one, at);
      }
    }
    return at;
  }

 private:
  double value_of(const std::string& id) { return number(Models().ours(study_.row(id))); }
  double difference(const std::string& id, const std::map<std::string, double>& at) {
    descriptions_.write(at);
    return value_of(id) - targets_.at(id);
  }
  double miss(const std::string& id, const std::map<std::string, double>& at) {
    return std::abs(difference(id, at)) / std::max(1e-30, std::abs(targets_.at(id)));
  }

  /// Bisection between nothing and four times the value; of a statement, the nearest of some values at which it holds.
  void fit(const Calibration& one, std::map<std::string, double>& at) {
    double& value = at.at(one.machine + "/" + one.key);
    const double nominal = nominal_.at(one.machine + "/" + one.key);
    if (study_.row(one.row).published == std::nullopt && !study_.row(one.row).statement.empty()) {
      const double before = value;
      for (const double factor : {1.25, 0.8, 1.5, 1 / 1.5, 2.0, 0.5, 4.0, 0.25}) {
        value = std::round(nominal * factor);
        if (difference(one.row, at) == 0) return;
      }
      value = before;
      return;
    }
    double low = nominal / 1000;
    double high = nominal * 4;
    value = low;
    const double at_low = difference(one.row, at);
    value = high;
    const double at_high = difference(one.row, at);
    if ((at_low > 0) == (at_high > 0)) {
      value = std::abs(at_low) < std::abs(at_high) ? low : high;
      return;
    }
    constexpr int kHalvings = 18;
    for (int n = 0; n < kHalvings; ++n) {
      value = (low + high) / 2;
      ((difference(one.row, at) > 0) == (at_low > 0) ? low : high) = value;
    }
  }

  const Descriptions& descriptions_;
  const Study& study_;
  std::vector<Calibration> fitted_;
  std::map<std::string, double> nominal_;
  std::map<std::string, double> values_;
  std::map<std::string, double> targets_;
};

/// Values that an input takes instead of its own.
std::vector<std::map<std::string, double>> changes_of(const Input& input) {
  const std::string name = input.machine + "/" + input.key;
  if (input.machine == "torus-64") {  // 64 nodes in every shape
    if (input.key == "x") return {{{name, 16}, {"torus-64/y", 4}}, {{name, 4}, {"torus-64/y", 16}}};
    if (input.key == "y") return {};
  }
  const bool is_whole = input.unit == "1" || input.value == std::round(input.value);
  if (input.key == "tca_rate") return {{{name, 3657}}, {{name, input.value / kFactor}}};  // at most its link: N14.pcie
  if (input.key == "devices") return {{{name, 2 * input.value}}};  // a power of two, and at least 4
  if (input.value == 0 || (input.value == 1 && input.unit == "1")) return {{{name, 1 - input.value}}};  // yes or no
  if (input.unit == "1") {  // a share is below 1
    return input.value * kFactor < 1 ? std::vector<std::map<std::string, double>>{{{name, input.value * kFactor}},
                                                                                  {{name, input.value / kFactor}}}
                                     : std::vector<std::map<std::string, double>>{{{name, input.value / kFactor}}};
  }
  std::vector<std::map<std::string, double>> found;
  const bool counts = is_whole && input.value < 64;
  for (const double factor : {kFactor, 1 / kFactor}) {
    double value = input.value * factor;
    if (counts) value = factor > 1 ? std::ceil(value) : std::max(1.0, std::floor(value));
    if (value != input.value) found.push_back({{name, value}});
  }
  return found;
}

std::string text_of(const std::map<std::string, double>& values) {
  std::string text;
  for (const auto& [name, value] : values) text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", name, value);
  return text;
}

class NightlyRoles : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] const System& system() const { return systems().at(GetParam()); }
  [[nodiscard]] std::vector<const Row*> predictions() const {
    std::vector<const Row*> found;
    for (const Row* row : study.predictions()) {
      if (&system_of(*row) == &system()) found.push_back(row);
    }
    return found;
  }
  [[nodiscard]] std::vector<Input> inputs_of_ours() const {
    std::vector<Input> found;
    for (const std::string& machine : system().machines)
      std::ranges::copy_if(descriptions.inputs(machine), std::back_inserter(found), &Input::is_ours);
    return found;
  }

  const Study study;
  const Descriptions descriptions;
};

TEST_P(NightlyRoles, PredictionsReadTheDescriptionsThatAreChanged) {
  descriptions.keep_only(system().machines);
  const Models models;
  for (const Row* row : predictions()) EXPECT_NO_THROW(static_cast<void>(models.ours(*row))) << row->id.text();
}

TEST_P(NightlyRoles, EveryCalibratedParameterIsFittedAgain) {
  for (const std::string& machine : system().machines) {
    for (const Input& input : descriptions.inputs(machine)) {
      if (!input.is_calibrated() || kNeedsNoFit.count(machine) != 0) continue;
      EXPECT_TRUE(std::ranges::any_of(
          calibrations(), [&](const Calibration& one) { return one.machine == machine && one.key == input.key; }))
          << machine << ", " << input.key;
    }
  }
}

TEST_P(NightlyRoles, NoPredictionHangsOnAnInputOfOurs) {
  const std::vector<Input> ours = inputs_of_ours();
  if (ours.empty() || !system().timed) return;
  const std::vector<const Row*> rows = predictions();
  std::vector<Verdict> verdicts;
  descriptions.write({});
  const Models as_they_are;
  for (const Row* row : rows) verdicts.push_back(judge(*row, as_they_are.ours(*row)));
  Refit refit(descriptions, study, system());
  for (const Input& input : ours) {
    for (const std::map<std::string, double>& change : changes_of(input)) {
      double worst = 0;
      descriptions.write(refit.values(change, worst));
      const Models models;
      for (std::size_t n = 0; n < rows.size(); ++n) {
        const Ours value = models.ours(*rows[n]);
        EXPECT_EQ(judge(*rows[n], value).pass, verdicts[n].pass)
            << rows[n]->id.text() << " is " << number(value) << " with " << text_of(change) << ", refitted within "
            << worst;
      }
    }
  }
}

TEST_P(NightlyRoles, WhatKnowsNoTimeKeepsItsNumbers) {
  if (system().timed) return;
  std::map<std::string, double> all;
  for (const Input& input : inputs_of_ours()) {
    const auto changes = changes_of(input);
    if (!changes.empty()) all.insert(changes.front().begin(), changes.front().end());
  }
  ASSERT_FALSE(all.empty());
  std::vector<Ours> values;
  descriptions.write({});
  const Models as_they_are;
  for (const Row* row : predictions()) values.push_back(as_they_are.ours(*row));
  descriptions.write(all);
  const Models models;
  for (std::size_t n = 0; n < values.size(); ++n)
    EXPECT_EQ(models.ours(*predictions()[n]), values[n]) << predictions()[n]->id.text();
}

INSTANTIATE_TEST_SUITE_P(Systems, NightlyRoles, testing::Range<std::size_t>(0, 5));

}  // namespace
}  // namespace gdr::validation
