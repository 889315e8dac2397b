// Dispatches requests to the functions that answer them.
#include "gdr/web/playground.h"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "answers.h"
#include "gdr/base/error.h"
#include "gdr/debugger/commands.h"
#include "gdr/editor/server.h"

namespace gdr::web {
namespace {

using Request = nlohmann::json;

/// A field of a request; `otherwise` if it is missing. Throws gdr::Error with its name if it has another type.
template <class Value>
Value field(const Request& request, const char* name, const Value& otherwise) {
  if (!request.contains(name)) return otherwise;
  try {
    const Request& value = request.at(name);
    if constexpr (std::is_unsigned_v<Value>) {
      if (!value.is_number_unsigned()) throw Error("");
    }
    return value.get<Value>();
  } catch (const std::exception&) {
    throw Error(fmt::format("request: {}: {} is refused", name, request.at(name).dump()));
  }
}

Source source_of(const Request& request) {
  Source source;
  source.name = field<std::string>(request, "name", "kernel.vsm");
  if (std::ranges::any_of(source.name, [](unsigned char c) { return c < ' ' || c == 0x7f; })) {
    throw Error(fmt::format("request: name: {} is refused: a file's name has no control characters here",
                            request.at("name").dump()));
  }
  source.text = field<std::string>(request, "source", "");
  const auto packing = field<std::string>(request, "schedule", "none");
  using assembler::ScheduleLevel;
  if (packing == "list") {
    source.options.schedule.level = ScheduleLevel::list;
  } else if (packing == "full") {
    source.options.schedule.level = ScheduleLevel::full;
  } else if (packing != "none") {
    throw Error(fmt::format("request: schedule: '{}' is refused: it must be none, list or full", packing));
  }
  const auto effort = field<std::uint64_t>(request, "effort", source.effort);
  if (effort < 1 || effort > 3) {
    throw Error(fmt::format("request: effort: {} is refused: it must be 1, 2 or 3", effort));
  }
  source.effort = static_cast<unsigned>(effort);
  return source;
}

RunRequest run_request(const Request& request) {
  RunRequest run{source_of(request), {}, {}};
  run.data.model = model_named(field<std::string>(request, "model", "plummer"));
  run.data.ni = field<std::uint64_t>(request, "ni", run.data.ni);
  run.data.nj = field<std::uint64_t>(request, "nj", run.data.nj);
  run.data.seed = field<std::uint64_t>(request, "seed", run.data.seed);
  run.data.eps2 = field<double>(request, "eps2", run.data.eps2);
  run.data.own_i = field<std::string>(request, "own_i", "");
  run.data.own_j = field<std::string>(request, "own_j", "");
  const Request parameters = request.value("parameters", Request::object());
  for (const auto& [name, value] : parameters.items()) {
    if (!value.is_number()) throw Error(fmt::format("request: parameter {}: {} is refused", name, value.dump()));
    run.parameters.emplace_back(name, value.get<double>());
  }
  return run;
}

}  // namespace

class Playground::Impl {
 public:
  Json answer(const Request& request) {
    const auto call = field<std::string>(request, "call", "");
    if (call == "check") return check(source_of(request));
    if (call == "run") return run(run_request(request), files_);
    if (call == "file") return file(field<std::string>(request, "name", ""));
    if (call == "debug") return start(request);
    if (call == "command") return command(field<std::string>(request, "line", ""));
    if (call == "explain") return explain(field<std::uint64_t>(request, "number", 0));
    if (call == "language") return language(request);
    if (call == "exercises") return exercises();
    if (call == "judge") {
      return judge(field<std::string>(request, "exercise", ""), source_of(request),
                   field<std::uint64_t>(request, "seed", 1));
    }
    throw Error(fmt::format(
        "request: call '{}' is unknown: it must be check, run, file, debug, command, explain, language, exercises or "
        "judge",
        call));
  }

 private:
  [[nodiscard]] Json file(const std::string& name) const {
    if (name == "i.csv") return {{"text", files_.i}};
    if (name == "j.csv") return {{"text", files_.j}};
    if (name == "results.csv") return {{"text", files_.results}};
    throw Error(fmt::format("file '{}' is unknown: it must be i.csv, j.csv or results.csv", name));
  }

  Json start(const Request& request) {
    commands_.reset();
    debugger_.reset();
    debugger_ = std::make_unique<debugger::Debugger>(debug(run_request(request)));
    commands_.emplace(*debugger_);
    return state_of(*debugger_);
  }

  Json command(const std::string& line) {
    if (!debugger_) throw Error("no kernel is being stepped through");
    std::string reply;
    std::string refused;
    try {
      reply = commands_->execute(line).text;
    } catch (const Error& error) {  // the debugger's position has not changed
      refused = error.what();
    }
    Json state = state_of(*debugger_);
    state["reply"] = reply;
    state["refused"] = refused;
    return state;
  }

  /// Passes a message to the language server and returns what that sends.
  Json language(const Request& request) {
    if (!request.contains("message") || !request.at("message").is_object()) {
      throw Error("request: message: it must be an object, a message of the Language Server Protocol");
    }
    if (!server_) {
      server_.emplace(assembler::AssembleOptions{}, [this](std::string_view message) { sent_.emplace_back(message); });
    }
    if (!server_->handle(request.at("message").dump())) server_.reset();
    Json messages = Json::array();
    for (const std::string& message : std::exchange(sent_, {})) messages.push_back(message);
    return {{"messages", messages}};
  }

  RunFiles files_;
  std::vector<std::string> sent_;
  std::optional<editor::LanguageServer> server_;
  std::unique_ptr<debugger::Debugger> debugger_;
  std::optional<debugger::Commands> commands_;
};

Playground::Playground() : impl_(std::make_unique<Impl>()) {}
Playground::~Playground() = default;

std::string Playground::answer(std::string_view request) {
  const auto refused = [](std::string_view why) { return Json{{"error", why}}.text(Json::kCompact); };
  try {
    const Request asked = Request::parse(request);
    if (!asked.is_object()) return refused("request: it must be a JSON object");
    return impl_->answer(asked).text(Json::kCompact);
  } catch (const nlohmann::json::exception& error) {
    return refused(fmt::format("request: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return refused("there is not enough memory for this");
  } catch (const std::exception& error) {
    return refused(error.what());
  }
}

}  // namespace gdr::web
