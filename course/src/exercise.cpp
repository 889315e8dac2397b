// Reads course/course.toml and course/exercises/NAME/exercise.toml.
#include "gdr/course/exercise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gdr/base/data_file.h"
#include "gdr/base/description.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/nearest.h"

namespace gdr::course {
namespace {

constexpr std::size_t kMostParticles = 4096;  // keeps the reference, which computes every pair, below a second
constexpr std::size_t kMostRecords = 16384;
constexpr unsigned kMostElements = 64;
constexpr unsigned kMostLines = 100000;
constexpr double kMostMagnitude = 1e12;

class Reader {
 public:
  Reader(std::string file, const std::string& text) : file_(std::move(file)) {
    base::refuse_deep_toml(text, file_);
    try {
      root_ = toml::parse(text);
    } catch (const toml::parse_error& error) {
      throw Error(fmt::format("{}:{}: {}", file_, error.source().begin.line, error.description()));
    }
  }

  std::vector<std::string> exercises() const {
    refuse_unknown(root_, {"exercises"});
    return texts(root_, "exercises");
  }

  Exercise exercise() const {
    refuse_unknown(
        root_, {"title", "tolerance", "counted", "par", "bound", "most_lines", "i", "j", "results", "cases", "hints"});
    Exercise read;
    read.title = text(root_, "title");
    read.tolerance = number(root_, "tolerance", 1e-16, 1);
    if (root_.contains("counted")) read.counted = counted();
    read.par = whole(root_, "par", 1, kMostLines);
    read.bound = whole(root_, "bound", 0, kMostLines);
    if (root_.contains("most_lines")) read.most_lines = whole(root_, "most_lines", 1, kMostLines);
    for (const toml::table* entry : tables("j")) read.j.push_back(variable(*entry, {}));
    for (const toml::table* entry : tables("i")) read.i.push_back(variable(*entry, read.j));
    for (const toml::table* entry : tables("results")) {
      refuse_unknown(*entry, {"name", "elements"});
      read.results.push_back({text(*entry, "name"), elements(*entry)});
    }
    for (const toml::table* entry : tables("cases")) read.cases.push_back(test_case(*entry));
    if (read.cases.size() < 2) fail(root_, "'cases' must have one case that is shown and one that is hidden");
    read.hints = texts(root_, "hints");
    return read;
  }

 private:
  [[noreturn]] void fail(const toml::node& where, const std::string& why) const {
    throw Error(fmt::format("{}: {}", base::place_in(file_, where.source().begin.line), why));
  }

  void refuse_unknown(const toml::table& table, const std::set<std::string_view>& known) const {
    for (const auto& [key, node] : table) {
      if (!known.contains(key.str())) {
        fail(node, fmt::format("unknown key '{}' (known: {})", key.str(), fmt::join(known, ", ")));
      }
    }
  }

  std::string text(const toml::table& table, std::string_view key) const {
    const auto value = table[key].value<std::string>();
    if (!value || value->empty()) fail(table, fmt::format("'{}' must be a text that is not empty", key));
    return *value;
  }

  std::vector<std::string> texts(const toml::table& table, std::string_view key) const {
    const toml::array* list = table[key].as_array();
    if (list == nullptr || list->empty()) fail(table, fmt::format("'{}' must be a list of texts", key));
    std::vector<std::string> all;
    for (const toml::node& node : *list) {
      const auto value = node.value<std::string>();
      if (!value) fail(node, fmt::format("'{}' must be a list of texts", key));
      all.push_back(*value);
    }
    return all;
  }

  double number(const toml::table& table, std::string_view key, double low, double high) const {
    const auto value = table[key].value<double>();
    if (!value || !(*value >= low && *value <= high)) {
      fail(table, fmt::format("'{}' must be a number from {} to {}", key, low, high));
    }
    return *value;
  }

  unsigned whole(const toml::table& table, std::string_view key, double low, double high) const {
    const double value = number(table, key, low, high);
    if (value != std::floor(value)) fail(table, fmt::format("'{}' = {} is refused: it must be whole", key, value));
    return static_cast<unsigned>(value);
  }

  std::vector<const toml::table*> tables(std::string_view key) const {
    const toml::array* list = root_[key].as_array();
    if (list == nullptr) fail(root_, fmt::format("'{}' must be a list of tables", key));
    std::vector<const toml::table*> all;
    for (const toml::node& node : *list) {
      if (node.as_table() == nullptr) fail(node, fmt::format("'{}' must be a list of tables", key));
      all.push_back(node.as_table());
    }
    return all;
  }

  unsigned elements(const toml::table& table) const {
    return table.contains("elements") ? whole(table, "elements", 1, kMostElements) : 0;
  }

  Counted counted() const {
    const std::string name = text(root_, "counted");
    for (const Counted each : {Counted::loop_body, Counted::all_sections}) {
      if (name == name_of(each)) return each;
    }
    fail(root_, fmt::format("'counted' = '{}' is refused: it must be 'loop body' or 'all sections'", name));
  }

  DataVariable variable(const toml::table& entry, const std::vector<DataVariable>& of_j) const {
    refuse_unknown(entry, {"name", "elements", "from", "to", "step", "whole", "same_as"});
    DataVariable read;
    read.name = text(entry, "name");
    read.elements = elements(entry);
    read.from = number(entry, "from", -kMostMagnitude, kMostMagnitude);
    read.to = number(entry, "to", read.from, kMostMagnitude);
    if (entry.contains("step")) read.step = number(entry, "step", 0, kMostMagnitude);
    if (entry.contains("whole")) read.whole = entry["whole"].value_or(false);
    if (entry.contains("same_as")) {
      read.same_as = text(entry, "same_as");
      const auto same = std::ranges::find(of_j, read.same_as, &DataVariable::name);
      if (same == of_j.end() || same->elements != read.elements) {
        fail(entry, fmt::format("'same_as' = '{}' is refused: it must be a variable of 'j' with as many elements",
                                read.same_as));
      }
    }
    return read;
  }

  /// A case: its sizes, and every other key is a parameter.
  Case test_case(const toml::table& entry) const {
    Case read;
    read.ni = whole(entry, "ni", 1, kMostParticles);
    read.nj = whole(entry, "nj", 0, kMostRecords);
    for (const auto& [key, node] : entry) {
      if (key.str() == "ni" || key.str() == "nj") continue;
      read.parameters[std::string(key.str())] = number(entry, key.str(), -kMostMagnitude, kMostMagnitude);
    }
    return read;
  }

  std::string file_;
  toml::table root_;
};

std::string text_of_file(const std::string& name) { return base::read_file(base::data_file("course/" + name)); }

}  // namespace

std::string_view name_of(Counted counted) {
  switch (counted) {
    case Counted::loop_body:
      return "loop body";
    case Counted::all_sections:
      break;
  }
  return "all sections";
}

std::vector<std::string> exercise_names() {
  const std::string file = base::data_file("course/course.toml").string();
  return Reader(file, base::read_file(file)).exercises();
}

Exercise load_exercise(std::string_view name_or_number) {
  const std::vector<std::string> names = exercise_names();
  std::size_t index = 0;
  while (index < names.size() && names[index] != name_or_number && std::to_string(index + 1) != name_or_number) ++index;
  if (index == names.size()) {
    throw Error(fmt::format("exercise '{}' is unknown: it must be a number from 1 to {}, or one of {}{}",
                            name_or_number, names.size(), fmt::join(names, ", "),
                            base::did_you_mean(std::string(name_or_number), names)));
  }
  const std::string folder = "exercises/" + names[index] + "/";
  const std::string file = base::data_file("course/" + folder + "exercise.toml").string();
  Exercise exercise = Reader(file, base::read_file(file)).exercise();
  exercise.name = names[index];
  exercise.number = static_cast<unsigned>(index + 1);
  exercise.task = text_of_file(folder + "task.md");
  return exercise;
}

std::string starting_source(const Exercise& exercise) {
  std::string text = fmt::format("# {}\nkernel {}\n", exercise.title, exercise.name);
  const auto entries = [](unsigned elements) { return elements == 0 ? std::string() : fmt::format("[{}]", elements); };
  for (const DataVariable& j : exercise.j) {
    text += fmt::format("bvar long {}{} elt {}\n", j.name, entries(j.elements), j.whole ? "fix64to72" : "flt64to72");
  }
  for (const DataVariable& i : exercise.i) {
    text +=
        fmt::format("var vector long {}{} hlt {}\n", i.name, entries(i.elements), i.whole ? "fix64to72" : "flt64to72");
  }
  if (!exercise.cases.empty()) {
    for (const auto& [name, value] : exercise.cases.front().parameters) {
      text += fmt::format("param {} : long flt64to72 = {}\n", name, value);
    }
  }
  std::vector<std::string> results;
  for (const ResultVariable& result : exercise.results) results.push_back(result.name + entries(result.elements));
  return text + fmt::format("# Declare the results here: {}.\n\nloop initialization\n  nop\nloop body\n  nop\n",
                            fmt::join(results, ", "));
}

std::string exercise_file(const Exercise& exercise, std::string_view file) {
  return base::data_file("course/exercises/" + exercise.name + "/" + std::string(file)).string();
}

std::string list_of_exercises() {
  std::string text = fmt::format("{:>2}  {:<11} {:>3}  {:>5}  {}\n", "", "exercise", "par", "bound", "title");
  for (const std::string& name : exercise_names()) {
    const Exercise exercise = load_exercise(name);
    text += fmt::format("{:>2}  {:<11} {:>3}  {:>5}  {}\n", exercise.number, name, exercise.par, exercise.bound,
                        exercise.title);
  }
  return text;
}

}  // namespace gdr::course
