// The recipe: import, lower, join components, hoist, schedule, print.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "compile.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/quoted.h"
#include "gdr/compiler/compiler.h"
#include "import/importer.h"
#include "lsump/lsump.h"
#include "messages.h"
#include "microcode/ending.h"
#include "microcode/lower.h"
#include "microcode/microcode.h"
#include "microcode/names.h"
#include "pair/nearest.h"
#include "programs/clang.h"
#include "schedule/lean.h"
#include "schedule/print.h"
#include "schedule/schedule.h"

namespace gdr::compiler {
namespace {

constexpr const char* kNoResult = "the function changes no result";

// Schedules that are compared. The time of one grows with the square of the operations, so that large kernels get
// fewer.
constexpr std::array<double, 4> kTries{0, 300, 1.2e8, 1.0e9};
constexpr std::array<unsigned, 4> kMostTries{0, 300, 30000, 700000};
constexpr unsigned kMostLikeFew = 1000;  // a search with so many tries that finds nothing has done what 300 do

}  // namespace

unsigned tries_of(unsigned effort, std::size_t operations) {
  const double size = std::max<double>(static_cast<double>(operations), 8);
  const double tries = effort == 1 ? kTries[1] : kTries[effort] / (size * size);
  return static_cast<unsigned>(std::clamp<double>(tries, 20, kMostTries[effort]));
}

Diagnostic diagnostic_of(const Message& error) {
  Diagnostic told{error.place.file, error.place.line, error.place.column, error.text, {}};
  for (const Place* at = &error.place; at->call != nullptr; at = at->call.get()) {
    told.notes.push_back({at->call->file,
                          at->call->line,
                          at->call->column,
                          fmt::format("function '{}' is called here", at->function),
                          {}});
  }
  return told;
}

void tell(CompileResult& result, const std::vector<Message>& errors) {
  for (const Message& error : errors) result.diagnostics.push_back(diagnostic_of(error));
  std::stable_sort(result.diagnostics.begin(), result.diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
  // One function of C++ may call another one of the library several times, all at its own place.
  const auto is_same = [](const Diagnostic& a, const Diagnostic& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column && a.message == b.message;
  };
  result.diagnostics.erase(std::unique(result.diagnostics.begin(), result.diagnostics.end(), is_same),
                           result.diagnostics.end());
}

void report_precision(const Microcode& code, CompileResult& result) {
  for (const Operation& operation : code.body) {
    const isa::OperationInfo& info = isa::info_of(operation.op);
    if (info.kind != isa::NumberKind::floating_point || operation.only_flag) continue;
    result.precision.push_back(
        {operation.name, operation.place.line, operation.width == isa::Width::short_word, std::string(info.mnemonic)});
  }
}

namespace {

WrittenPlace written(const Place& place) {
  WrittenPlace made{place.file, place.line, std::max(place.column, 1U), place.function};
  if (place.call != nullptr) made.call = std::make_shared<const WrittenPlace>(written(*place.call));
  return made;
}

}  // namespace

void take(CompileResult& result, PrintedKernel printed) {
  result.source = std::move(printed.text);
  for (const Message& unused : printed.unused) result.warnings.push_back(diagnostic_of(unused));
  for (const auto& [line, places] : printed.places) {
    for (const PlaceOfLine& of_line : places) {
      result.places[line].push_back(written(of_line.place));
      result.places[line].back().units = of_line.units;
      result.places[line].back().values = of_line.values;
    }
  }
}

std::string too_many(const Microcode& code, const Operations& section) {
  const std::string at_once = needed_at_once(code, section);
  ScheduleOptions options;
  options.experiment = code.experiment;
  return fmt::format(
      "the function has too many values that are needed at once: {} operations do not fit into {} short words of "
      "registers, {} of local memory (of its {}, {} take {}) and {} flags, where each value takes a word for each of "
      "{} {}{}{}; split it, or compute values where they are used",
      section.size(), isa::kGprShortWords, local_words_left(code), isa::kLmShortWords,
      code.experiment ? "start, state and results" : "i-data and results", isa::kLmShortWords - local_words_left(code),
      isa::kFlags + 1 - options.first_flag(), isa::kVectorElements, code.experiment ? "experiments" : "i-particles",
      at_once.empty() ? "" : "; ", at_once);
}

namespace {

/// When the words that the loop wrote can be read in its termination.
std::vector<int> ready_after(const Microcode& code, const Schedule& body) {
  std::vector<int> ready(code.variables.size(), 0);
  for (std::size_t n = 0; n < code.body.size(); ++n) {
    if (code.body[n].variable < 0) continue;
    int& from = ready[static_cast<std::size_t>(code.body[n].variable)];
    from = std::max(from, 2 - static_cast<int>(body.lines - body.line_of[n]));
  }
  return ready;
}

void report_numbered(const PairFunction& function, const Microcode& code, CompileResult& result) {
  for (const KeyedNumber& one : keyed_numbers(function)) {
    const auto word = [&](std::size_t store) {
      return result_index(function, function.stores[store].field, function.stores[store].element);
    };
    const Store& store = function.stores[one.number_store];
    const int variable = variable_of(code, Record::result, store.field, store.element);
    result.numbered.push_back({code.variables[static_cast<std::size_t>(variable)].name, word(one.number_store),
                               word(one.key_store), one.least});
  }
}

/// The operations of a function, and the best order of its loop that was found.
struct Chosen {
  Microcode code;
  std::optional<Schedule> body;
};

Chosen prepared(const Imported& imported, const CompileOptions& options, ConditionStyle style,
                std::vector<Message>& errors) {
  Chosen chosen;
  chosen.code = lower(imported.body, imported.finish, style, options.fast, errors);
  if (errors.empty() && chosen.code.body.empty()) errors.push_back({imported.body.place, kNoResult});
  if (errors.empty()) check_arrays(imported.body, chosen.code.reductions, errors);
  if (errors.empty()) check_ending(imported.finish, chosen.code.reductions, errors);
  if (errors.empty()) check_room(chosen.code, imported.body, errors);
  if (!errors.empty()) return chosen;
  if (options.components) join_components(chosen.code);
  if (options.hoist) hoist(chosen.code);
  separate_ports(chosen.code);
  if (chosen.code.style == ConditionStyle::words) copies_to_readers(chosen.code.body);
  return chosen;
}

void order(Chosen& chosen, const CompileOptions& options, unsigned divisor = 1) {
  ScheduleOptions scheduling;
  scheduling.seed = options.seed;
  scheduling.tries = std::max(tries_of(options.effort, chosen.code.body.size()) / divisor, 20U);
  scheduling.repeats = true;
  scheduling.local_words = local_words_left(chosen.code);
  chosen.body = schedule(chosen.code, chosen.code.body, scheduling);
}

bool is_shorter(const Chosen& one, const Chosen& other) {
  return one.body && (!other.body || one.body->lines < other.body->lines);
}

/// Takes all tries, and keeps what is there if they find nothing shorter or, with `or_as_long`, only longer orders.
void order_longer(Chosen& chosen, const CompileOptions& options, bool or_as_long) {
  if (!chosen.body && tries_of(options.effort, chosen.code.body.size()) <= kMostLikeFew) return;
  Chosen more = chosen;
  order(more, options);
  if (or_as_long ? more.body && !is_shorter(chosen, more) : is_shorter(more, chosen)) chosen = std::move(more);
}

/// True if both have the same operations, whose names and places may differ.
bool has_same_operations(const Microcode& one, const Microcode& other) {
  const auto work = [](const Operation& operation) {
    return std::tie(operation.op, operation.operands, operation.width, operation.into, operation.predicate,
                    operation.inverted, operation.condition, operation.flag_into, operation.variable, operation.after,
                    operation.vector, operation.only_flag);
  };
  return std::ranges::equal(one.body, other.body, {}, work, work) && local_words_left(one) == local_words_left(other);
}

/// False if no order of it, or hardly one, is shorter than the best one.
bool is_worth_more(const Chosen& chosen, const Chosen& best) {
  if (!best.body) return chosen.body.has_value();
  return chosen.body && chosen.body->lines <= best.body->lines + 1 &&
         may_have_fewer(chosen.code, chosen.code.body, best.body->lines);
}

/// Of the two ways to keep conditions, a few schedules tell which one gets all tries, and whether the other one gets
/// them, too. Words are taken only if they save a line.
Chosen choose_of_two(Chosen shared, Chosen words, const CompileOptions& options) {
  constexpr unsigned kFew = 10;
  if (has_same_operations(shared.code, words.code)) {
    order(shared, options);
    return shared;
  }
  order(shared, options, options.effort > 1 ? kFew : 1);
  if (shared.body && !may_have_fewer(words.code, words.code.body, shared.body->lines)) {
    if (options.effort > 1) order_longer(shared, options, true);
    return shared;
  }
  order(words, options, kFew);
  if (options.effort > 1) {
    const bool words_first = is_shorter(words, shared);
    Chosen& first = words_first ? words : shared;
    Chosen& second = words_first ? shared : words;
    const std::optional<Schedule> found = first.body;
    order_longer(first, options, !words_first);
    // Where ten times the schedules gave the first nothing, they hardly give the second more.
    const bool gained = first.body && (!found || first.body->lines < found->lines);
    if (gained && is_worth_more(second, first)) order_longer(second, options, words_first);
  }
  return is_shorter(words, shared) ? std::move(words) : std::move(shared);
}

/// Tries the ways to keep conditions.
Chosen choose(const Imported& imported, const CompileOptions& options, std::vector<Message>& errors) {
  Chosen best = prepared(imported, options, ConditionStyle::shared, errors);
  if (!errors.empty()) return best;
  const bool conditions =
      std::ranges::any_of(best.code.body, [](const Operation& operation) { return operation.predicate >= 0; });
  if (!conditions || best.code.style == ConditionStyle::words) {
    order(best, options);
    return best;
  }
  Chosen words = prepared(imported, options, ConditionStyle::words, errors);
  if (!errors.empty()) return best;
  best = choose_of_two(std::move(best), std::move(words), options);
  if (best.body) return best;
  Chosen fresh = prepared(imported, options, ConditionStyle::fresh, errors);
  if (errors.empty()) order(fresh, options);
  if (is_shorter(fresh, best)) best = std::move(fresh);
  // A search that has many tries may leave large functions without the plainest orders.
  CompileOptions few = options;
  few.effort = 1;
  const bool many = tries_of(options.effort, best.code.body.size()) > kMostLikeFew;
  return best.body || !many || !errors.empty() ? best : choose(imported, few, errors);
}

ScheduleOptions loop_options(const Microcode& code) {
  ScheduleOptions options;
  options.repeats = true;
  options.local_words = local_words_left(code);
  return options;
}

/// For functions that the search finds no schedule for. One of which it finds none has the operations of the way that
/// takes the fewest flags.
Chosen choose_lean(const Imported& imported, const CompileOptions& options, std::vector<Message>& errors) {
  Chosen best;
  for (const ConditionStyle style : {ConditionStyle::shared, ConditionStyle::fresh, ConditionStyle::words}) {
    Chosen one = prepared(imported, options, style, errors);
    if (!errors.empty()) return one;
    if (one.code.style != style) continue;
    if (auto lean = lean_schedule(one.code, one.code.body, loop_options(one.code))) {
      one.code.body = std::move(lean->section);
      one.body = std::move(lean->schedule);
    }
    if (is_shorter(one, best) || !best.body) best = std::move(one);
  }
  if (!best.body) return best;
  // With these copies the search may find a shorter order, if values are not made long before they are needed.
  constexpr std::array<std::size_t, 3> kWindows{0, 48, 20};  // operations
  for (const std::size_t window : kWindows) {
    ScheduleOptions searching = loop_options(best.code);
    searching.window = window;
    searching.seed = options.seed;
    searching.tries = tries_of(1, best.code.body.size());
    searching.limit = best.body->lines;
    std::optional<Schedule> found = schedule(best.code, best.code.body, searching);
    if (found && found->lines < best.body->lines) best.body = std::move(found);
  }
  return best;
}

/// The section before or after the loop.
std::optional<Schedule> edge(const Microcode& code, Operations& section, const ScheduleOptions& options) {
  if (auto found = schedule(code, section, options)) return found;
  auto lean = lean_schedule(code, section, options);
  if (!lean) return std::nullopt;
  section = std::move(lean->section);
  return std::move(lean->schedule);
}

void compile(const Imported& imported, const std::string& file, const CompileOptions& options, CompileResult& result) {
  const PairFunction& function = imported.body;
  std::vector<Message> errors;
  Chosen chosen = choose(imported, options, errors);
  if (errors.empty() && !chosen.body) chosen = choose_lean(imported, options, errors);
  if (errors.empty() && !chosen.body && !chosen.code.initialization.empty()) {
    // What is the same in every iteration may take the local memory that the loop needs.
    CompileOptions in_loop = options;
    in_loop.hoist = false;
    Chosen other = choose_lean(imported, in_loop, errors);
    if (other.body) chosen = std::move(other);
  }
  if (!errors.empty()) return tell(result, errors);
  Microcode& code = chosen.code;
  const std::optional<Schedule>& body = chosen.body;
  ScheduleOptions edges;
  edges.tries = 40;
  edges.homes = false;
  const unsigned left = local_words_left(code);
  edges.local_words = body ? left - std::min(body->local_words, left) : 0;
  const std::optional<Schedule> initialization = edge(code, code.initialization, edges);
  if (body) edges.ready = ready_after(code, *body);
  if (initialization) edges.local_words -= std::min(initialization->local_words, edges.local_words);
  const std::optional<Schedule> termination = edge(code, code.termination, edges);
  if (!body || !initialization || !termination) return tell(result, {{function.place, too_many(code, code.body)}});
  result.kernel = spelled(function.name);
  result.lines = body->lines;
  result.least_lines = least_lines(code, code.body);
  report_precision(code, result);
  report_numbered(function, code, result);
  const Scheduled kernel{function, code,         *initialization,
                         *body,    *termination, {Place{}, function.place, function.place, imported.finish.place}};
  const std::string name = std::filesystem::path(file).filename().string();
  const std::string head = fmt::format(
      "From function {} in {}, by gdr cc -O{}: {} loop lines. Comments name what a line computes and the source's "
      "line.",
      function.name, name, options.effort, body->lines);
  take(result, source_of(kernel, head));
}

}  // namespace

bool is_source(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kEndings{".cc", ".cpp", ".cxx", ".ll", ".bc", ".lsump"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

namespace {

void check(const CompileOptions& options) {
  if (options.effort < 1 || options.effort > 3)
    throw Error(fmt::format("effort {} is refused: it must be 1, 2 or 3", options.effort));
}

ReadFunction settled(ReadFunction function) {
  // LSUMP has no integers: its numbers are whole by agreement.
  const bool is_pair = function.imported.errors.empty() && !function.imported.experiment;
  if (is_pair && !function.is_lsump) require_whole_numbers(function.imported);
  if (function.imported.errors.empty()) settle_numbers(function.imported);
  return function;
}

ReadFunction read_ir(std::string_view code, std::string_view name, const CompileOptions& options) {
  return settled({import_ir(std::string(code), std::string(name), options.function), std::string(name), false, {}});
}

ReadFunction read_lsump_function(std::string_view text, std::string_view name) {
  return settled({read_lsump(text, std::string(name)), std::string(name), true, {}});
}

/// The compiler's messages speak of C++.
void tell_in_lsump(std::vector<Diagnostic>& diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.message == kResultForms)
      diagnostic.message = "a result must be accumulated: f += ..., f -= ..., f = min(f, ...) or max(f, ...)";
    if (diagnostic.message == kLongFunction)
      diagnostic.message = "this function is not known for long words: take it of short(...)";
    if (diagnostic.message == kNoResult) diagnostic.message = "no result is changed: results are declared by VARF";
  }
}

}  // namespace

ReadFunction read_function(const std::filesystem::path& path, const CompileOptions& options) {
  const std::string name = path.string();
  if (name.ends_with(".ll") || name.ends_with(".bc")) return read_ir(base::read_file(path), name, options);
  if (name.ends_with(".lsump")) return read_lsump_function(base::read_file(path), name);
  const std::string text = base::read_file(path);  // once: a pipe gives it once only
  require_import();
  std::error_code none;
  const bool is_file = std::filesystem::is_regular_file(path, none);
  const ClangOutput clang = is_file ? run_clang(path, options.clang) : run_clang_on(text, name, options.clang);
  ReadFunction function;
  if (!clang.bitcode.empty()) {
    function = read_ir(optimised(clang.bitcode), name, options);
  } else {
    function.name = name;
    const Place whole_file{name, 0, 0};
    function.imported.errors.push_back({whole_file, "clang does not compile it"});
  }
  function.clang = clang.messages;
  return function;
}

CompileResult compile_function(const ReadFunction& function, const CompileOptions& options) {
  check(options);
  CompileResult result;
  result.clang = function.clang;
  if (function.imported.errors.empty() && function.imported.experiment) {
    compile_experiment(function.imported, function.name, options, result);
  } else if (function.imported.errors.empty()) {
    compile(function.imported, function.name, options, result);
  } else {
    tell(result, function.imported.errors);
  }
  if (function.is_lsump) tell_in_lsump(result.diagnostics);
  return result;
}

CompileResult compile_ir(std::string_view code, std::string_view name, const CompileOptions& options) {
  return compile_function(read_ir(code, name, options), options);
}

CompileResult compile_lsump(std::string_view text, std::string_view name, const CompileOptions& options) {
  return compile_function(read_lsump_function(text, name), options);
}

CompileResult compile_file(const std::filesystem::path& path, const CompileOptions& options) {
  return compile_function(read_function(path, options), options);
}

std::string format_diagnostics(const CompileResult& result) {
  return format_messages(format_messages(result.clang, result.warnings, "warning"), result.diagnostics);
}

namespace {

/// The source line of a diagnostic and a caret below; empty if it cannot be read.
std::string excerpt(const Diagnostic& diagnostic) {
  std::error_code none;
  if (diagnostic.line == 0 || !std::filesystem::is_regular_file(diagnostic.file, none)) return "";
  const std::string file = base::read_file(diagnostic.file);
  std::size_t begin = 0;
  for (unsigned line = 1; line < diagnostic.line && begin != std::string::npos; ++line) {
    begin = file.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos || begin >= file.size()) return "";
  const std::string line = base::without_controls(file.substr(begin, file.find('\n', begin) - begin));
  return fmt::format("    {}\n    {}\n", line, base::caret_below(line, std::max(diagnostic.column, 1U) - 1));
}

}  // namespace

std::string format_messages(std::string head, const std::vector<Diagnostic>& diagnostics, std::string_view severity) {
  std::string text = std::move(head);
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string place = base::on_one_line(diagnostic.file);
    if (diagnostic.line > 0) place += fmt::format(":{}:{}", diagnostic.line, std::max(diagnostic.column, 1U));
    text += fmt::format("{}: {}: {}\n{}", place, severity, diagnostic.message, excerpt(diagnostic));
    text = format_messages(std::move(text), diagnostic.notes, "note");
  }
  return text;
}

}  // namespace gdr::compiler
