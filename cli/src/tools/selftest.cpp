#include "gdr/selftest/selftest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/base/counted.h"
#include "gdr/base/file.h"
#include "gdr/selftest/histories.h"
#include "gdr/selftest/history_programs.h"

namespace gdr::cli {
namespace {

struct SelftestOptions {
  std::uint64_t programs = 1000;
  std::uint64_t histories = 0;
  std::string history;
  std::vector<std::string> kernels;
  std::uint64_t seed = 1;
  std::vector<std::string> engines;
  std::string machine = "model1800";
  unsigned boards = 1;
  unsigned threads = 0;
  ReportOptions report;
};

/// An engine whose results differ, and the seed of the program.
struct Found {
  std::uint64_t seed = 0;
  selftest::Finding finding;
};

void require_comparable(const std::vector<std::string>& engines) {
  for (const std::string& engine : engines) {
    if (std::ranges::count(engines, engine) > 1) {
      throw UsageError(fmt::format("--engine: '{}' is given twice", engine));
    }
    if (engine == emulator::Engine::reference) {
      throw UsageError("--engine: 'reference' is refused: it is what the others are compared with");
    }
    if (!emulator::make_engine(engine)->traits().computes) {
      throw UsageError(fmt::format("--engine: '{}' is refused: it computes nothing", engine));
    }
  }
}

std::vector<Found> compare(selftest::SelfTest& engines, const SelftestOptions& options) {
  std::vector<Found> found;
  Progress progress("selftest", options.report.progress_shown());
  for (std::uint64_t n = 0; n < options.programs && engines.has_engines(); ++n) {
    const std::uint64_t seed = options.seed + n;
    for (selftest::Finding& finding : engines.run(seed)) found.push_back({seed, std::move(finding)});
    progress.show_count(n + 1, options.programs);
  }
  return found;
}

Json json_of(const std::vector<Found>& found) {
  Json list = Json::array();
  for (const Found& each : found) {
    const selftest::Difference& difference = each.finding.difference;
    list.push_back({{"seed", each.seed},
                    {"engine", each.finding.engine},
                    {"place", difference.place},
                    {"expected", difference.expected},
                    {"found", difference.found},
                    {"program", text_of(each.finding.input)}});
  }
  return list;
}

std::vector<std::string> names_of(const std::vector<selftest::HistoryPair>& pairs) {
  std::vector<std::string> names;
  for (const selftest::HistoryPair& pair : pairs) names.push_back(pair.name);
  return names;
}

/// Lets histories be about the user's kernels, which have the names by which he gave them.
void add_kernels(const std::vector<std::string>& names) {
  for (const std::string& name : names) selftest::add_history_program(name, load_kernel_file(name).program);
}

/// Runs the history of a file. Its header says on which engine, chips and threads.
int run_history_file(const SelftestOptions& options) {
  const selftest::History history = selftest::parse_history(base::read_file(options.history), options.history);
  selftest::Histories histories(selftest::history_pairs(options.engines));
  const std::optional<selftest::HistoryDifference> difference = histories.run(history);
  Json json = options.report.begin("", history.engine, true);
  json["history"] = options.history;
  json["differences"] = Json::array();
  if (difference) {
    json["differences"].push_back({{"command", difference->command},
                                   {"place", difference->difference.place},
                                   {"expected", difference->difference.expected},
                                   {"found", difference->difference.found}});
  }
  const std::string outcome = difference ? fmt::format("{}: {}", text_of(history.commands.at(difference->command)),
                                                       text_of(difference->difference))
                                         : base::counted(history.commands.size(), "command") + ", no difference";
  options.report.show(json, {{"outcome", outcome}});
  return difference ? kFailure : kSuccess;
}

int run_histories(const SelftestOptions& options, unsigned chips, unsigned threads) {
  selftest::HistoryShape shape;
  shape.programs = options.kernels;
  shape.chips = chips;
  shape.threads = threads;
  selftest::Histories histories(selftest::history_pairs(options.engines), shape);
  // One report for each engine: a defect shows in many histories.
  std::vector<selftest::HistoryFinding> found;
  std::uint64_t differ = 0;
  Progress progress("selftest", options.report.progress_shown());
  for (std::uint64_t n = 0; n < options.histories; ++n) {
    const bool reported = std::ranges::any_of(found, [engine = histories.history(options.seed + n).engine](
                                                         const auto& each) { return each.history.engine == engine; });
    if (reported) {
      differ += histories.run(histories.history(options.seed + n)) ? 1 : 0;
    } else if (auto finding = histories.run(options.seed + n)) {
      ++differ;
      found.push_back(*std::move(finding));
    }
    progress.show_count(n + 1, options.histories);
  }
  const std::vector<std::string> names = names_of(histories.pairs());
  Json json = options.report.begin("");
  json["histories"] = options.histories;
  if (!options.kernels.empty()) json["kernels"] = options.kernels;
  json["seed"] = options.seed;
  json["engines"] = names;
  json["differ"] = differ;
  json["differences"] = Json::array();
  for (const auto& each : found) json["differences"].push_back({{"history", text_of(each)}});
  Json findings = Json::array();
  for (const auto& each : found) findings.push_back("\n" + text_of(each));
  options.report.show(json, {{"noun", options.histories == 1 ? "history" : "histories"},
                             {"engines", fmt::format("{}", fmt::join(names, ", "))},
                             {"counts", text_of(histories.counts())},
                             {"findings", findings}});
  return differ == 0 ? kSuccess : kFailure;
}

int selftest(const SelftestOptions& options) {
  if (!options.kernels.empty() && options.histories == 0 && options.history.empty()) {
    throw UsageError("--kernel has no effect without --histories or --history");
  }
  add_kernels(options.kernels);
  if (!options.history.empty()) return run_history_file(options);
  require_known(options.machine, emulator::machine_names(), "--machine");
  require_comparable(options.engines);
  const emulator::MachineDescription machine = emulator::load_machine(options.machine);
  const unsigned chips = machine.chips * options.boards;
  const unsigned threads = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  if (options.histories > 0) return run_histories(options, chips, threads);
  selftest::SelfTest engines({options.engines, chips, threads});
  const std::vector<Found> found = compare(engines, options);

  Json json = options.report.begin(machine.name);
  json["programs"] = options.programs;
  json["seed"] = options.seed;
  json["engines"] = engines.engines();
  json["chips"] = chips;
  json["threads"] = threads;
  json["differences"] = json_of(found);
  Json findings = Json::array();
  for (const Found& each : found) {
    findings.push_back(fmt::format("seed {}, engine {}, {}\n{}", each.seed, each.finding.engine,
                                   text_of(each.finding.difference), text_of(each.finding.input)));
  }
  options.report.show(json, {{"engines", fmt::format("{}", fmt::join(engines.engines(), ", "))},
                             {"found", found.size()},
                             {"findings", findings}});
  return found.empty() ? kSuccess : kFailure;
}

}  // namespace

void add_selftest(Command program, const std::string& name) {
  const auto [command, options] =
      program.add_command<SelftestOptions>(name, "compare the engines of this host word by word on random programs",
                                           "gdr selftest --programs 10000 --seed 7", selftest);
  const Option programs =
      command.add_option("--programs", options->programs, "number of programs", whole_in_range(1, 1'000'000'000));
  const Option histories =
      command
          .add_option("--histories", options->histories,
                      "compare this number of histories instead of programs; a history is a random sequence of "
                      "commands to chips",
                      whole_in_range(1, 1'000'000'000))
          .excludes(programs);
  command.add_option("--kernel histories", options->kernels).excludes(programs);
  command
      .add_option("--history=FILE", options->history,
                  "run the history in this file, in the form that --histories prints")
      .excludes(programs)
      .excludes(histories);
  command.add_option("--seed", options->seed);
  command.add_option(
      "--engine", options->engines,
      "engine to compare with the reference engine; may be given several times (default: every exact one)",
      known_engine());
  add_boards(command, options->machine, options->boards);
  command.add_option("--threads", options->threads);
  options->report.add_to(command);
}

}  // namespace gdr::cli
