#include "gdr/hostlib/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "gdr/base/quoted.h"
#include "gdr/hostlib/run_rules.h"
#include "gdr/isa/experiment.h"

namespace gdr::hostlib {
namespace {

using isa::Ticket;
using isa::Transfer;

constexpr std::size_t kPlacesOfChip = std::size_t{emulator::kBlocks} * emulator::kParticlesPerRun;

std::uint64_t word_of(Ticket ticket) { return static_cast<std::uint64_t>(ticket); }

void require_experiment(const isa::Program& program) {
  if (isa::is_experiment(program)) return;
  throw Error(fmt::format("kernel {} is no kernel of experiments, which begins with 'kernel {} experiment'",
                          program.kernel, program.kernel));
}

/// Fields of a start.
std::size_t start_fields(const isa::Program& program) { return program.record_fields(Transfer::hlt) - 1; }

std::size_t experiments_in(const isa::Program& program, std::span<const std::uint64_t> starts) {
  const std::size_t fields = start_fields(program);
  if (fields == 0 || starts.size() % fields != 0) {
    throw Error(fmt::format("{} fields of starts are no whole number of records of {}", starts.size(), fields));
  }
  return starts.size() / fields;
}

/// The field of an i-record that holds the ticket.
std::size_t ticket_field(const isa::Program& program) {
  std::size_t field = 0;
  for (const isa::Variable* variable : program.variables_by(Transfer::hlt)) {
    if (variable->name == isa::kExperimentTicket) break;
    field += variable->elements;
  }
  return field;
}

/// Fills in the i-record of an experiment that begins.
void put_start(std::span<std::uint64_t> record, std::span<const std::uint64_t> start, std::size_t ticket) {
  const auto at = static_cast<std::ptrdiff_t>(ticket);
  std::copy(start.begin(), start.begin() + at, record.begin());
  std::copy(start.begin() + at, start.end(), record.begin() + at + 1);
  record[ticket] = word_of(Ticket::begins);
}

/// A column for each element of the variables.
std::vector<ColumnType> columns_of_variables(const std::vector<const isa::Variable*>& variables) {
  isa::Program shown;  // columns_of() knows how elements are named
  for (const isa::Variable* variable : variables) {
    shown.variables.push_back(*variable);
    shown.variables.back().transfer = Transfer::rrn;
  }
  return columns_of(shown, Transfer::rrn);
}

/// The places of a board, and which experiment is in which. A place is an element of a PE; experiments get places in
/// the order of the board's i-data. A place is free if nobody is in it; the PE then has no experiment there either, or
/// drops it with the next ticket.
class BoardPlaces {
 public:
  BoardPlaces(Device& device, std::span<const std::uint64_t> starts, ExperimentResults& results)
      : device_(device), starts_(starts), results_(results), record_(device.fields(Transfer::hlt)) {
    const isa::Program& program = device.program();
    ticket_ = ticket_field(program);
    experiments_ = experiments_in(program, starts);
    columns_ = result_columns(program).size();
    all_ = device.chips() * kPlacesOfChip;
    occupants_.resize(std::min(experiments_, all_));
    // Every place of the board gets a ticket, so that none goes on with an experiment of a run before.
    records_.assign(all_ * record_, 0);
    results_.places = all_;
    results_.fields.resize(experiments_ * columns_);
    results_.steps.resize(experiments_);
    results_.finished.resize(experiments_);
  }

  [[nodiscard]] std::size_t experiments() const { return experiments_; }
  [[nodiscard]] std::size_t done() const { return done_; }
  [[nodiscard]] bool all_taken() const { return taken_ == all_; }
  [[nodiscard]] bool all_free() const { return taken_ == 0; }

  /// Lets the next experiments begin in free places.
  void fill() {
    for (std::size_t place = 0; place < occupants_.size() && next_ < experiments_; ++place) {
      if (occupants_[place].experiment != kNobody) continue;
      put_start(record_of(place), starts_.subspan(next_ * (record_ - 1), record_ - 1), ticket_);
      occupants_[place] = {next_++, 0};
      ++taken_;
    }
  }

  /// Runs a round and returns the number of steps that experiments took in it.
  std::uint64_t run(std::uint64_t steps, bool counts) {
    const std::vector<std::uint64_t> words = device_.run(records_, steps);
    std::uint64_t taken = 0;
    for (std::size_t place = 0; place < occupants_.size(); ++place) {
      Occupant& occupant = occupants_[place];
      if (occupant.experiment == kNobody) continue;
      const std::uint64_t status = words[place];
      std::uint64_t& ticket = record_of(place)[ticket_];
      if (status == 0) {
        ticket = word_of(Ticket::stays);
        occupant.steps += steps;
        taken += steps;
        continue;
      }
      ticket = word_of(Ticket::none);
      taken += status / 2 - occupant.steps;
      take(place, words, status, counts);
    }
    return taken;
  }

 private:
  static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

  struct Occupant {
    std::size_t experiment = kNobody;
    std::uint64_t steps = 0;  // in the rounds so far
  };

  /// Takes the results of the experiment that leaves a place.
  void take(std::size_t place, std::span<const std::uint64_t> words, std::uint64_t status, bool counts) {
    const std::size_t experiment = std::exchange(occupants_[place], {}).experiment;
    for (std::size_t column = 0; column < columns_; ++column) {
      results_.fields[experiment * columns_ + column] = words[(column + 1) * all_ + place];
    }
    results_.steps[experiment] = status / 2;
    results_.finished[experiment] = counts || status % 2 != 0 ? 1 : 0;
    --taken_;
    ++done_;
  }

  std::span<std::uint64_t> record_of(std::size_t place) {
    return std::span(records_).subspan(place * record_, record_);
  }

  Device& device_;
  std::span<const std::uint64_t> starts_;
  ExperimentResults& results_;
  std::size_t record_ = 0;   // fields of an i-record
  std::size_t ticket_ = 0;   // one of them
  std::size_t columns_ = 0;  // of a result
  std::size_t all_ = 0;      // places of the board
  std::size_t experiments_ = 0;
  std::size_t next_ = 0;   // experiment to begin
  std::size_t taken_ = 0;  // places
  std::size_t done_ = 0;
  std::vector<Occupant> occupants_;     // [place]
  std::vector<std::uint64_t> records_;  // [place of the board][field]
};

/// Time of rounds in which every experiment takes all steps. The rounds are alike.
void time_rounds(Device& device, std::size_t experiments, std::uint64_t most_steps, ExperimentResults& results) {
  results.places = device.chips() * kPlacesOfChip;
  const std::uint64_t fillings = (experiments + results.places - 1) / results.places;
  const std::uint64_t rounds = most_steps / results.round_steps;
  if (fillings > std::numeric_limits<std::uint64_t>::max() / rounds) {
    throw Error(fmt::format("steps = {} is refused: {} experiments take more than 2^64 rounds of {}", most_steps,
                            experiments, base::counted(results.round_steps, "step")));
  }
  results.rounds = fillings * rounds;
  device.time_run(results.places, results.round_steps, results.rounds);
  const double places = static_cast<double>(fillings) * static_cast<double>(results.places);
  results.occupancy = experiments == 0 ? 0 : static_cast<double>(experiments) / places;
  results.occupancy_of_queue = experiments < results.places ? std::numeric_limits<double>::quiet_NaN() : 1;
}

/// All divisors of a number, in order. Divided by its primes, a number of 2^52 leaves at most one beyond 2^26.
std::vector<std::uint64_t> divisors_of(std::uint64_t number) {
  std::vector<std::uint64_t> divisors{1};
  std::uint64_t rest = number;
  const auto divide_by = [&](std::uint64_t prime) {
    const std::size_t without = divisors.size();
    for (std::uint64_t power = prime; rest % prime == 0; power *= prime) {
      rest /= prime;
      for (std::size_t n = 0; n < without; ++n) divisors.push_back(divisors[n] * power);
    }
  };
  divide_by(2);
  divide_by(3);
  // All further primes are next to a multiple of 6. Numbers that are none divide no rest.
  for (std::uint64_t next = 5; next * next <= rest; next += 6) {
    divide_by(next);
    divide_by(next + 2);
  }
  if (rest > 1) divide_by(rest);
  std::ranges::sort(divisors);
  return divisors;
}

}  // namespace

std::size_t ExperimentResults::unfinished() const { return static_cast<std::size_t>(std::ranges::count(finished, 0)); }

std::vector<ColumnType> start_columns(const isa::Program& program) {
  require_experiment(program);
  return columns_of_variables(isa::experiment_starts(program));
}

std::vector<ColumnType> result_columns(const isa::Program& program) {
  require_experiment(program);
  return columns_of_variables(isa::experiment_results(program));
}

std::vector<std::uint64_t> beginning_record(const isa::Program& program, std::span<const std::uint64_t> start) {
  require_experiment(program);
  if (start.size() != start_fields(program)) {
    throw Error(fmt::format("{} fields are no start, which has {}", start.size(), start_fields(program)));
  }
  std::vector<std::uint64_t> record(start.size() + 1);
  put_start(record, start, ticket_field(program));
  return record;
}

std::uint64_t round_steps_of(const ExperimentOptions& options, std::uint64_t most_of_round) {
  const std::uint64_t most = options.most_steps;
  if (most < 1 || most > kMostExperimentSteps) {
    throw Error(fmt::format("steps = {} is refused: it must be 1 to {}", most, kMostExperimentSteps));
  }
  const std::uint64_t asked = options.round_steps;
  if (asked > most_of_round) {
    throw Error(fmt::format("round = {} is refused: it must be 1 to {}", asked, most_of_round));
  }
  if (asked != 0 && most % asked == 0) return asked;
  // The divisors next to the usual number, or to the one that is asked for.
  const std::uint64_t wanted = asked == 0 ? kRoundSteps : asked;
  std::vector<std::uint64_t> divisors = divisors_of(most);
  std::erase_if(divisors, [&](std::uint64_t steps) { return steps > most_of_round; });
  const auto next = std::ranges::lower_bound(divisors, wanted);
  const bool has_above = next != divisors.end();
  if (has_above && *next == wanted) return wanted;
  const bool has_below = next != divisors.begin();
  const std::uint64_t below = has_below ? *(next - 1) : *next;
  const std::uint64_t above = has_above ? *next : below;
  if (asked != 0) {
    throw Error(
        fmt::format("round = {} is refused: it must divide the {} steps, as {}", asked, most,
                    above == below ? fmt::format("{} does", below) : fmt::format("{} and {} do", below, above)));
  }
  // As far from the usual number by factors: rounds that are too short cost as much as rounds that are too long.
  const auto ratio = [&](std::uint64_t steps) {
    const double factor = static_cast<double>(steps) / static_cast<double>(wanted);
    return std::max(factor, 1 / factor);
  };
  return ratio(below) <= ratio(above) ? below : above;
}

ExperimentResults run_experiments(Device& device, std::span<const std::uint64_t> starts,
                                  const ExperimentOptions& options,
                                  const std::function<void(std::size_t, std::size_t)>& told) {
  require_experiment(device.program());
  ExperimentResults results;
  results.round_steps = round_steps_of(options, device.turn_capacity());
  device.set_parameter(isa::kExperimentLimit, static_cast<double>(options.most_steps));
  if (!device.computes()) {
    time_rounds(device, experiments_in(device.program(), starts), options.most_steps, results);
    return results;
  }
  // The device would call the places of a round what are experiments here.
  require_numbers(device.program(), Transfer::hlt, "i", starts);
  const bool counts = isa::counts_steps(device.program());
  BoardPlaces places(device, starts, results);
  double taken = 0;
  double taken_of_queue = 0;
  std::uint64_t rounds_of_queue = 0;
  while (places.done() < places.experiments()) {
    if (options.refill || places.all_free()) places.fill();
    const bool full = places.all_taken();
    const auto steps = static_cast<double>(places.run(results.round_steps, counts));
    ++results.rounds;
    taken += steps;
    if (full) {
      taken_of_queue += steps;
      ++rounds_of_queue;
    }
    if (told) told(places.done(), places.experiments());
  }
  const double of_round = static_cast<double>(results.round_steps) * static_cast<double>(results.places);
  results.occupancy = results.rounds == 0 ? 0 : taken / (of_round * static_cast<double>(results.rounds));
  results.occupancy_of_queue = rounds_of_queue == 0
                                   ? std::numeric_limits<double>::quiet_NaN()
                                   : taken_of_queue / (of_round * static_cast<double>(rounds_of_queue));
  return results;
}

Table experiment_table(const isa::Program& program, const ExperimentResults& results) {
  Table table = table_of(result_columns(program), results.fields);
  const auto add = [&](std::string_view name, const auto& numbers) {
    table.add(std::string(name), std::vector<std::int64_t>(numbers.begin(), numbers.end()));
  };
  add(isa::kExperimentSteps, results.steps);
  add(isa::kExperimentFinished, results.finished);
  return table;
}

base::Json experiments_json(const ExperimentResults& results) {
  return {{"places", results.places},
          {"rounds", results.rounds},
          {"round_steps", results.round_steps},
          {"occupancy", results.occupancy},
          {"occupancy_of_queue", results.occupancy_of_queue},
          {"unfinished", results.unfinished()}};
}

std::string experiments_text(std::size_t experiments, const ExperimentResults& results, std::uint64_t most_steps) {
  std::string text =
      fmt::format("{} in {} of {}; {} at work for {:.1f} % of the steps", base::counted(experiments, "experiment"),
                  base::counted(results.rounds, "round"), base::counted(results.round_steps, "step"),
                  base::counted(results.places, "place"), 100 * results.occupancy);
  if (!std::isnan(results.occupancy_of_queue)) {
    text += fmt::format(", {:.1f} % while none was free", 100 * results.occupancy_of_queue);
  }
  if (const std::size_t unfinished = results.unfinished(); unfinished > 0) {
    text += fmt::format("; {} not done after {} steps: column 'finished' is 0", unfinished, most_steps);
  }
  return text;
}

std::string object_comment(const isa::Program& program, const std::string& file) {
  std::string text;
  text += fmt::format("# {}: kernel {}, object version {}, instruction set {}\n", base::on_one_line(file),
                      program.kernel, isa::kObjectVersion, isa::kIsaVersion);
  text += fmt::format("# j-record {} long words, i-record {} fields, result {} fields\n", program.record_words,
                      program.record_fields(isa::Transfer::hlt), program.record_fields(isa::Transfer::rrn));
  if (isa::is_experiment(program)) {
    text += fmt::format("# experiments: start {} fields, result {} fields\n", start_columns(program).size(),
                        result_columns(program).size());
  }
  for (const isa::Variable& variable : program.variables) {
    text += fmt::format("# {} {} at {} {}\n", variable.vector ? "vector" : "scalar", variable.name,
                        variable.memory == isa::Memory::bm   ? "BM"
                        : variable.memory == isa::Memory::lm ? "LM"
                                                             : "GPR",
                        variable.address);
  }
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    std::size_t n = 0;
    for (const isa::ProgramLine& line : program.lines(static_cast<isa::Section>(section))) {
      text += fmt::format("# {}:{} from {}:{}\n", isa::key_of(static_cast<isa::Section>(section)), n++,
                          base::on_one_line(program.files[line.position.file]), line.position.line);
    }
  }
  return text;
}

}  // namespace gdr::hostlib
