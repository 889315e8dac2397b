// https://microsoft.github.io/debug-adapter-protocol/specification, version 1.65.
#include "gdr/debugger/dap.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "dap_code.h"
#include "dap_diagnostics.h"
#include "dap_words.h"
#include "gdr/base/error.h"
#include "gdr/debugger/commands.h"

namespace gdr::debugger {
namespace {

using nlohmann::json;

constexpr int kMostDepth = 32;  // requests are at most 5 deep
constexpr int kThread = 1;      // all PEs execute one line
// As `gdr debug` takes them.
constexpr std::uint64_t kMostBoards = 64;
constexpr std::uint64_t kMostTurns = 1'000'000'000'000;
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 52;

json parsed(std::string_view text) {
  const auto refuse_deep = [](int depth, json::parse_event_t, const json&) {
    if (depth > kMostDepth) throw Error(fmt::format("the message is more than {} levels deep", kMostDepth));
    return true;
  };
  return json::parse(text.begin(), text.end(), refuse_deep);
}

/// A text that a request must have.
std::string required_text(const json& members, const char* name) {
  const auto found = members.find(name);
  if (found == members.end()) throw Error(fmt::format("'{}' is missing: it must be a text", name));
  if (!found->is_string()) throw Error(fmt::format("'{}' is refused: it must be a text", name));
  return found->get<std::string>();
}

/// A list of objects that a request must have.
json required_list(const json& members, const char* name) {
  const auto found = members.find(name);
  if (found == members.end()) throw Error(fmt::format("'{}' is missing: it must be a list", name));
  const auto is_object = [](const json& entry) { return entry.is_object(); };
  if (!found->is_array() || !std::ranges::all_of(*found, is_object))
    throw Error(fmt::format("'{}' is refused: it must be a list of objects", name));
  return *found;
}

/// A text that an entry of a list may have.
std::string optional_text(const json& members, const char* name) {
  return members.contains(name) ? required_text(members, name) : std::string();
}

/// The answer for a kind of breakpoints that the debugger does not have.
json without_breakpoints(const json& wanted, const char* name) {
  json set = json::array();
  for (const json& each : wanted)
    set.push_back({{"verified", false}, {"message", required_text(each, name) + ": set breakpoints at lines"}});
  return {{"breakpoints", std::move(set)}};
}

}  // namespace

bool dap_interrupts(std::string_view message) {
  try {
    const std::string command = parsed(message).value("command", "");
    return command == "pause" || command == "disconnect" || command == "terminate";
  } catch (const std::exception&) {
    return false;  // it gets its answer in its turn
  }
}

class DapServer::Impl {
 public:
  Impl(DapLauncher launch, std::function<void(std::string_view message)> send, std::function<bool()> interrupted)
      : launch_(std::move(launch)), send_(std::move(send)), interrupted_(std::move(interrupted)) {}

  bool handle(std::string_view message) {
    json response{{"type", "response"}, {"request_seq", 0}, {"success", false}, {"command", ""}};
    std::string command;
    after_.clear();
    try {
      const json request = parsed(message);
      if (!request.is_object()) throw Error("a message is an object");
      if (const auto seq = request.find("seq"); seq != request.end() && seq->is_number_integer())
        response["request_seq"] = *seq;
      command = request.value("command", "");
      response["command"] = command;
      if (request.value("type", "") != "request") throw Error("a message to the debugger has type 'request'");
      const json arguments = request.value("arguments", json::object());
      if (!arguments.is_object() && !arguments.is_null()) throw Error("arguments are an object");
      response["body"] = answer(command, arguments.is_null() ? json::object() : arguments);
      response["success"] = true;
      if (response["body"].is_null()) response.erase("body");
    } catch (const json::parse_error& error) {
      response["message"] = fmt::format("the message is refused: it is no JSON at byte {}", error.byte);
    } catch (const json::exception&) {
      response["message"] =
          fmt::format("the message is refused: a member of '{}' is missing or of another kind", command);
    } catch (const std::exception& error) {
      response["message"] = error.what();
    }
    if (response.contains("message")) {
      response["success"] = false;
      response.erase("body");
      after_.clear();
    }
    post(std::move(response));
    const auto after = std::move(after_);
    for (const std::function<void()>& each : after) each();
    return !over_;
  }

 private:
  // ---- messages out -------------------------------------------------------------------------------------------------

  void post(json message) {
    message["seq"] = ++sequence_;
    send_(message.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  void event(const char* name, json body = json::object()) {
    post({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
  }
  /// Runs a function after the answer has been sent.
  void then(std::function<void()> what) { after_.push_back(std::move(what)); }

  void stopped(const Stop& stop, const char* of_step) {
    json body{{"reason", of_step}, {"threadId", kThread}, {"allThreadsStopped", true}};
    switch (stop.reason) {
      case StopReason::step:
        break;
      case StopReason::breakpoint:
        body["reason"] = "breakpoint";
        body["hitBreakpointIds"] = {stop.number};
        break;
      case StopReason::watch:
        body["reason"] = "data breakpoint";
        body["hitBreakpointIds"] = {stop.number};
        body["description"] = stop.text;
        break;
      case StopReason::begin:
        body["reason"] = "entry";
        body["description"] = "the begin of the run";
        break;
      case StopReason::end:
        body["reason"] = "pause";
        body["description"] = "the end of the run";
        break;
      case StopReason::fault:
        body["reason"] = "exception";
        body["description"] = "fault";
        body["text"] = stop.text;
        break;
      case StopReason::interrupted:
        body["reason"] = "pause";
        break;
    }
    event("stopped", std::move(body));
  }

  /// Handles a request that moves: sends the answer, then moves, then reports the stop.
  json move(std::function<Stop()> motion, const char* reason = "step") {
    static_cast<void>(debugger());
    then([this, motion = std::move(motion), reason] {
      try {
        stopped(motion(), reason);
      } catch (const std::exception& error) {
        event("output", {{"category", "stderr"}, {"output", std::string(error.what()) + "\n"}});
        stopped({}, "pause");
      }
    });
    return nullptr;
  }

  // ---- requests -----------------------------------------------------------------------------------------------------

  [[nodiscard]] Debugger& debugger() {
    if (!debugger_) throw Error("nothing is launched");
    return *debugger_;
  }

  json answer(const std::string& command, const json& arguments) {
    if (command == "initialize") return initialize(arguments);
    if (command == "launch") return launch(arguments);
    if (command == "setBreakpoints") return set_breakpoints(arguments);
    if (command == "dataBreakpointInfo") return data_breakpoint_info(arguments);
    if (command == "setDataBreakpoints") return set_data_breakpoints(arguments);
    if (command == "setFunctionBreakpoints")
      return without_breakpoints(required_list(arguments, "breakpoints"), "name");
    if (command == "setExceptionBreakpoints") return {{"breakpoints", json::array()}};
    if (command == "configurationDone") return configuration_done();
    if (command == "threads")
      return {{"threads", {{{"id", kThread}, {"name", "all PEs, seen from " + text_of(debugger().focus())}}}}};
    if (command == "stackTrace") return stack_trace();
    if (command == "scopes") return scope_list(debugger());
    if (command == "variables") return variables(debugger(), arguments);
    if (command == "setVariable") return set_variable(arguments);
    if (command == "evaluate") return evaluate(arguments);
    if (command == "completions") return completions_of(arguments);
    if (command == "breakpointLocations") return locations(arguments);
    if (command == "disassemble") return disassemble(arguments);
    if (command == "restart") return restart(arguments);
    if (command == "source") return source(arguments);
    if (command == "next") return move([this] { return debugger_->step(StepUnit::over); });
    if (command == "stepIn") return move([this] { return debugger_->step(); });
    if (command == "stepOut") return move([this] { return debugger_->step(StepUnit::out); });
    if (command == "stepBack") return move([this] { return debugger_->back(); });
    if (command == "continue") {
      move([this] { return go_on(); });
      return {{"allThreadsContinued", true}};
    }
    if (command == "reverseContinue") return move([this] { return debugger_->go_back(); });
    if (command == "pause") return move([] { return Stop{}; }, "pause");
    if (command == "terminate") return terminate();
    if (command == "disconnect") {
      over_ = true;
      return terminate();
    }
    throw Error(fmt::format("unknown request '{}'", command));
  }

  /// Ends the run, but not the connection: a client answers the event with `disconnect`.
  json terminate() {
    debugger_.reset();
    launched_ = nullptr;
    if (!std::exchange(terminated_, true)) then([this] { event("terminated"); });
    return nullptr;
  }

  json initialize(const json& arguments) {
    lines_from_ = arguments.value("linesStartAt1", true) ? 1 : 0;
    return {{"supportsConfigurationDoneRequest", true},
            {"supportsConditionalBreakpoints", true},
            {"supportsStepBack", true},
            {"supportsEvaluateForHovers", true},
            {"supportsDataBreakpoints", true},
            {"supportsTerminateRequest", true},
            {"supportsHitConditionalBreakpoints", true},
            {"supportsLogPoints", true},
            {"supportsBreakpointLocationsRequest", true},
            {"supportsSetVariable", true},
            {"supportsDisassembleRequest", true},
            {"supportsCompletionsRequest", true},
            {"supportsRestartRequest", true},
            {"supportsValueFormattingOptions", true}};
  }

  static void read_assembling(const json& arguments, DapLaunch& launch) {
    if (arguments.contains("definitions")) {
      const json& definitions = arguments.at("definitions");
      if (!definitions.is_object()) throw Error("launch: definitions are an object of names and values");
      for (const auto& [name, value] : definitions.items()) {
        launch.definitions.push_back(name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
      }
    }
    launch.include_directories = texts_in(arguments, "includePath");
    launch.warnings = texts_in(arguments, "warnings");
    launch.compat_il = truth_in(arguments, "compatIl", false);
    launch.schedule = text_in(arguments, "schedule");
    launch.pipeline = truth_in(arguments, "pipeline", false);
    launch.effort = whole_in(arguments, "effort", 1, 3).value_or(launch.effort);
    launch.seed = whole_in(arguments, "seed", 0, std::numeric_limits<std::uint64_t>::max()).value_or(launch.seed);
    launch.fast = truth_in(arguments, "fast", false);
    launch.function = text_in(arguments, "function");
  }

  json launch(const json& arguments) {
    if (debugger_) throw Error("a kernel is launched already");
    if (terminated_) throw Error("the run has been terminated: connect again");
    DapLaunch launch;
    launch.kernel = text_in(arguments, "program");
    if (launch.kernel.empty())
      throw Error("launch: program is missing: a source (.vsm, .cc, .lsump) or an object file (.gdro)");
    launch.i_file = text_in(arguments, "i");
    launch.j_file = text_in(arguments, "j");
    launch.parameters = texts_in(arguments, "param");
    launch.ignore_extra = truth_in(arguments, "ignoreExtra", false);
    launch.turns = whole_in(arguments, "turns", 1, kMostTurns);
    launch.steps = whole_in(arguments, "steps", 1, kMostSteps);
    launch.experiment = whole_in(arguments, "experiment", 0, kMostSteps);
    launch.machine = text_in(arguments, "machine", launch.machine);
    read_assembling(arguments, launch);
    launch.boards = static_cast<unsigned>(whole_in(arguments, "boards", 1, kMostBoards).value_or(1));
    const bool stops_on_entry = truth_in(arguments, "stopOnEntry", true);
    debugger_.emplace(launched(launch));
    stops_on_entry_ = stops_on_entry;
    debugger_->set_interrupt(interrupted_);
    launched_ = arguments;
    then([this] { event("initialized"); });
    return nullptr;
  }

  /// Diagnostics of the source become output, and the first error a part of the refusal.
  [[nodiscard]] Job launched(DapLaunch& launch) {
    std::string first_error;
    launch.show_diagnostics = [&](const std::string& text) {
      for (const ShownDiagnostic& each : shown_diagnostics(text)) {
        json body{{"category", "stderr"}, {"output", each.text}};
        if (!each.file.empty()) {
          body["source"] = source_at(each.file);
          body["line"] = each.line - 1 + lines_from_;
          body["column"] = each.column - 1 + lines_from_;
        }
        event("output", std::move(body));
        if (each.is_error && first_error.empty()) first_error = each.head;
      }
    };
    try {
      return launch_(launch);
    } catch (const Error& refusal) {
      if (first_error.empty()) throw;
      throw Error(fmt::format("{}: {}", refusal.what(), first_error));
    }
  }

  static json source_at(const std::string& file) {
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::absolute(file, ignored);
    return {{"name", path.filename().string()}, {"path", path.string()}};
  }

  /// Reads kernel and data again, and goes to the begin. Breakpoints stay where they can.
  json restart(const json& arguments) {
    if (launched_.is_null()) throw Error("nothing is launched");
    json again = arguments.value("arguments", json::object());
    if (!again.is_object() || again.empty()) again = launched_;
    std::optional<Debugger> before = std::move(debugger_);
    debugger_.reset();
    try {
      launch(again);
    } catch (...) {
      debugger_ = std::move(before);
      throw;
    }
    after_.clear();  // the client has configured its breakpoints
    const std::map<std::string, json> wanted = wanted_;
    // The client knows them by their numbers.
    const auto numbers = std::exchange(breakpoints_, {});
    const auto numbers_of_watches = std::exchange(watches_, {});
    for (const auto& [path, request] : wanted) set_breakpoints(request, numbers.at(path));
    if (!wanted_watches_.is_null()) set_data_breakpoints(json(wanted_watches_), numbers_of_watches);
    return configuration_done();
  }

  Stop go_on() {
    debugger().set_log([this](std::string_view text) {
      event("output", {{"category", "console"}, {"output", std::string(text) + "\n"}});
    });
    return debugger().go_on();
  }

  json configuration_done() {
    if (stops_on_entry_) {
      static_cast<void>(debugger());
      then([this] { stopped({}, "entry"); });
      return nullptr;
    }
    return move([this] { return go_on(); });
  }

  /// A condition may end in @all.
  static std::pair<std::string, bool> condition_of(const json& wanted) {
    std::string condition = optional_text(wanted, "condition");
    bool all = false;
    if (const std::size_t at = condition.rfind("@all"); at != std::string::npos && at + 4 == condition.size()) {
      condition.resize(at);
      all = true;
    }
    while (condition.ends_with(' ')) condition.pop_back();
    return {condition, all};
  }

  /// The line itself if it has code, else the next one that has; the line if none has.
  [[nodiscard]] std::int64_t line_with_code(const std::string& path, std::int64_t line) {
    for (const isa::SourcePosition& place : debugger().places_in(path)) {
      if (place.line >= line) return place.line;
    }
    return line;
  }

  json locations(const json& arguments) {
    const std::string path = arguments.at("source").value("path", arguments.at("source").value("name", ""));
    const std::uint64_t first = whole_in(arguments, "line") + 1 - static_cast<std::uint64_t>(lines_from_);
    const std::uint64_t last = arguments.contains("endLine")
                                   ? whole_in(arguments, "endLine") + 1 - static_cast<std::uint64_t>(lines_from_)
                                   : first;
    return breakpoint_locations(debugger(), path, first, last, lines_from_);
  }

  json disassemble(const json& arguments) {
    return disassembled(debugger(), required_text(arguments, "memoryReference"),
                        arguments.value("instructionOffset", std::int64_t{0}), whole_in(arguments, "instructionCount"),
                        lines_from_);
  }

  json completions_of(const json& arguments) {
    const std::uint64_t column = whole_in(arguments, "column");
    return completions(debugger(), required_text(arguments, "text"),
                       column < static_cast<std::uint64_t>(lines_from_) ? 0 : column - lines_from_, lines_from_);
  }

  /// The name of a variable is that by which it is looked up.
  json set_variable(const json& arguments) {
    const auto name = required_text(arguments, "name");
    const Format format = format_of(arguments);
    const Reference reference = debugger().resolve(name);
    debugger().set_word(reference, debugger().evaluate(required_text(arguments, "value")));
    json shown = leaf(debugger(), reference.symbol, reference.first,
                      reference.element.value_or(debugger().focus().element), name, format);
    return {{"value", shown["value"]}, {"type", shown["type"]}, {"variablesReference", 0}};
  }

  /// A breakpoint of a request that has been read.
  struct WantedBreakpoint {
    json given;  // the line as the client counts
    std::int64_t line = 0;
    BreakpointOptions options;
  };
  [[nodiscard]] WantedBreakpoint breakpoint_of(const json& wanted) const {
    // No file has as many lines, and sums with it stay in range.
    constexpr std::int64_t kBeyondAnyFile = std::numeric_limits<std::uint32_t>::max();
    const auto given = static_cast<std::int64_t>(std::min<std::uint64_t>(whole_in(wanted, "line"), kBeyondAnyFile));
    const auto [condition, all] = condition_of(wanted);
    return {wanted.at("line"),
            given + 1 - lines_from_,
            {condition, all, optional_text(wanted, "hitCondition"), optional_text(wanted, "logMessage")}};
  }

  /// The number of a new stop; the one that it had before a restart, if there is one.
  unsigned kept_number(unsigned number, const std::vector<unsigned>& before, std::size_t place) {
    if (place >= before.size() || before[place] == 0) return number;
    debugger().renumber(number, before[place]);
    return before[place];
  }

  /// Reads the whole request before it changes any breakpoint: a refused one changes nothing.
  json set_breakpoints(const json& arguments, const std::vector<unsigned>& before = {}) {
    const std::string path = arguments.at("source").value("path", arguments.at("source").value("name", ""));
    std::vector<WantedBreakpoint> all;
    if (arguments.contains("breakpoints")) {
      for (const json& wanted : required_list(arguments, "breakpoints")) all.push_back(breakpoint_of(wanted));
    }
    for (const unsigned number : breakpoints_[path]) debugger().remove(number);
    breakpoints_[path].clear();
    wanted_[path] = arguments;
    json set = json::array();
    for (const WantedBreakpoint& wanted : all) {
      json shown{{"verified", false}, {"line", wanted.given}};
      breakpoints_[path].push_back(0);
      try {
        const std::int64_t there = line_with_code(path, wanted.line);
        const unsigned number = kept_number(
            debugger().add_breakpoint(fmt::format("{}:{}", path, there), wanted.options), before, set.size());
        breakpoints_[path].back() = number;
        shown["verified"] = true;
        shown["id"] = number;
        shown["line"] = there - 1 + lines_from_;
      } catch (const Error& error) {
        shown["message"] = error.what();
      }
      set.push_back(std::move(shown));
    }
    return {{"breakpoints", std::move(set)}};
  }

  json data_breakpoint_info(const json& arguments) {
    const auto name = required_text(arguments, "name");
    try {
      const Reference reference = debugger().resolve(name);
      if (!reference.single())
        throw Error(fmt::format("{} has {} entries: choose one of them", name, reference.entries));
      return {{"dataId", name}, {"description", name}, {"accessTypes", {"write"}}};
    } catch (const Error& error) {
      return {{"dataId", nullptr}, {"description", error.what()}};
    }
  }

  json set_data_breakpoints(const json& arguments, const std::vector<unsigned>& before = {}) {
    struct Wanted {
      std::string name;
      std::string condition;
      std::string hits;
    };
    std::vector<Wanted> all;
    for (const json& wanted : required_list(arguments, "breakpoints")) {
      all.push_back(
          {required_text(wanted, "dataId"), optional_text(wanted, "condition"), optional_text(wanted, "hitCondition")});
    }
    for (const unsigned number : watches_) debugger().remove(number);
    watches_.clear();
    wanted_watches_ = arguments;
    json set = json::array();
    for (const auto& [name, condition, hits] : all) {
      json shown{{"verified", false}};
      watches_.push_back(0);
      try {
        if (!hits.empty()) throw Error("a data breakpoint counts no hits: a condition says when it stops");
        const unsigned number = kept_number(debugger().add_watch(name, condition), before, set.size());
        watches_.back() = number;
        shown["verified"] = true;
        shown["id"] = number;
      } catch (const Error& error) {
        shown["message"] = error.what();
      }
      set.push_back(std::move(shown));
    }
    return {{"breakpoints", std::move(set)}};
  }

  [[nodiscard]] json source_of(std::uint32_t file) {
    const std::string& name = debugger().program().files.at(file);
    json source = source_at(name);
    std::error_code ignored;
    const bool known = file < debugger().sources().size() && !debugger().sources()[file].empty();
    if (known && !std::filesystem::exists(source["path"].get<std::string>(), ignored))
      source["sourceReference"] = file + 1;
    return source;
  }

  json stack_trace() {
    json frames = json::array();
    const std::optional<Position> here = debugger().position();
    if (!here) {
      frames.push_back(
          {{"id", 0}, {"name", "the end of the run"}, {"line", 0}, {"column", 0}, {"presentationHint", "label"}});
      return {{"stackFrames", std::move(frames)}, {"totalFrames", 1}};
    }
    const CodeLine line = debugger().line_at(*here);
    const auto add = [&](const isa::SourcePosition& place, std::string name, const char* hint) {
      json frame{{"id", frames.size()},
                 {"name", std::move(name)},
                 {"line", static_cast<std::int64_t>(place.line) - 1 + lines_from_},
                 {"column", static_cast<std::int64_t>(place.column) - 1 + lines_from_}};
      if (place.file < debugger().program().files.size()) frame["source"] = source_of(place.file);
      if (hint != nullptr) frame["presentationHint"] = hint;
      frame["instructionPointerReference"] = address_of(here->section, here->line);
      frames.push_back(std::move(frame));
    };
    const isa::Program& program = debugger().program();
    std::set<std::pair<std::uint32_t, std::uint32_t>> shown;  // file and line
    for (const isa::SourceFrame& frame : program.frames_of(line.places.front())) {
      const std::string function(frame.function);
      shown.emplace(frame.position.file, frame.position.line);
      add(frame.position,
          !frames.empty()    ? function
          : function.empty() ? text_of(*here)
                             : fmt::format("{} ({})", function, text_of(*here)),
          nullptr);
    }
    for (const isa::Origin* use : program.uses_around(line.places.front())) {
      add(use->position, fmt::format("use of macro '{}'", use->macro), nullptr);
    }
    for (const isa::SourcePosition& place : std::span(line.places).subspan(1)) {
      for (const isa::SourceFrame& frame : program.frames_of(place)) {
        if (!shown.emplace(frame.position.file, frame.position.line).second) continue;
        add(frame.position, fmt::format("also in this line{}{}", frame.function.empty() ? "" : ": ", frame.function),
            "subtle");
      }
    }
    const std::size_t count = frames.size();
    return {{"stackFrames", std::move(frames)}, {"totalFrames", count}};
  }

  json evaluate(const json& arguments) {
    const auto text = required_text(arguments, "expression");
    if (arguments.value("context", "") != "repl") {
      const Format format = format_of(arguments);
      try {
        const Reference reference = debugger().resolve(text);
        if (reference.single() && !is_place_name(text)) {
          json shown = leaf(debugger(), reference.symbol, reference.first,
                            reference.element.value_or(debugger().focus().element), text, format);
          return {{"result", shown["value"]}, {"type", shown["type"]}, {"variablesReference", 0}};
        }
      } catch (const Error&) {  // it is an expression, not a name
      }
      return {{"result", text_of(debugger().evaluate(text))}, {"variablesReference", 0}};
    }
    const std::optional<Position> before = debugger().position();
    const Focus focus = debugger().focus();
    Commands commands(debugger());
    const Reply reply = commands.execute(text);
    std::string shown = reply.text;
    while (shown.ends_with('\n')) shown.pop_back();
    if (debugger().position() != before || debugger().focus() != focus) {
      then([this] { stopped({}, "goto"); });
    }
    return {{"result", shown}, {"variablesReference", 0}};
  }

  json source(const json& arguments) {
    const json inner = arguments.value("source", json::object());
    const auto reference = inner.is_object() && inner.contains("sourceReference")
                               ? whole_in(inner, "sourceReference")
                               : whole_in(arguments, "sourceReference");
    const std::vector<std::string>& sources = debugger().sources();
    if (reference < 1 || reference > sources.size()) {
      throw Error(fmt::format("sourceReference = {} is refused: it must be 1 to {}", reference, sources.size()));
    }
    return {{"content", sources[reference - 1]}};
  }

  DapLauncher launch_;
  std::function<void(std::string_view message)> send_;
  std::function<bool()> interrupted_;
  std::optional<Debugger> debugger_;
  // Numbers of breakpoints in the order of the request, 0 for those that are not set.
  std::map<std::string, std::vector<unsigned>> breakpoints_;  // by path
  std::vector<unsigned> watches_;
  std::map<std::string, json> wanted_;  // the last setBreakpoints of each path, for a restart
  json wanted_watches_;
  json launched_;  // arguments of the last launch
  std::vector<std::function<void()>> after_;
  std::int64_t sequence_ = 0;
  int lines_from_ = 1;
  bool stops_on_entry_ = true;
  bool over_ = false;
  bool terminated_ = false;  // the client has been told
};

DapServer::DapServer(DapLauncher launch, std::function<void(std::string_view message)> send,
                     std::function<bool()> interrupted)
    : impl_(std::make_unique<Impl>(std::move(launch), std::move(send), std::move(interrupted))) {}
DapServer::~DapServer() = default;

bool DapServer::handle(std::string_view message) { return impl_->handle(message); }

}  // namespace gdr::debugger
