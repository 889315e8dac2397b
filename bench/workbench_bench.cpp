// How long an author of kernels waits: sources of 1,000 lines assembled and scheduled, and what the language server
// answers on one, each request behind a keystroke. CPU time, milliseconds.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/base/file.h"
#include "gdr/editor/server.h"

namespace gdr::bench {
namespace {

constexpr std::size_t kLines = 1000;
constexpr const char* kUri = "untitled:thousand.vsm";

/// The gravity kernel, its loop body over and over.
std::string thousand_lines() {
  const std::string kernel = base::read_file(GDR_KERNELS_DIR "/gravity.vsm");
  const std::size_t body = kernel.find('\n', kernel.find("\nloop body") + 1) + 1;
  const std::size_t end = kernel.find("\nloop termination") + 1;
  const auto lines_in = [](std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  std::string text = kernel.substr(0, body);
  while (lines_in(text) + lines_in(kernel.substr(body)) < kLines) text += kernel.substr(body, end - body);
  return text + kernel.substr(end);
}

void assemble(benchmark::State& state, assembler::ScheduleOptions schedule, bool without_warnings) {
  const std::string text = thousand_lines();
  assembler::AssembleOptions options;
  options.schedule = schedule;
  if (without_warnings) options.warnings.told.reset();
  for (auto _ : state) {
    const assembler::AssembleResult result = assembler::assemble(text, "thousand.vsm", options);
    if (!result.program) return state.SkipWithError(assembler::format_diagnostics(result).c_str());
  }
}

/// A session with the source open; every request comes behind a change of it.
class Session {
 public:
  explicit Session(std::string_view text) : server_({}, [this](std::string_view) { ++answers_; }) {
    say(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})");
    say(R"({"jsonrpc":"2.0","method":"initialized","params":{}})");
    std::string quoted;
    for (const char letter : text) {
      if (letter == '\n') {
        quoted += "\\n";
      } else {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter;
      }
    }
    say(fmt::format(R"({{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":)"
                    R"({{"uri":"{}","languageId":"gdr","version":1,"text":"{}"}}}}}})",
                    kUri, quoted));
    server_.settle();
  }

  /// A letter is typed in a comment, or taken away; its diagnostics are sent if no request follows.
  void type(bool settles) {
    const std::string range = there_ ? R"({"start":{"line":2,"character":1},"end":{"line":2,"character":2}})"
                                     : R"({"start":{"line":2,"character":1},"end":{"line":2,"character":1}})";
    say(fmt::format(R"({{"jsonrpc":"2.0","method":"textDocument/didChange","params":{{"textDocument":)"
                    R"({{"uri":"{}","version":{}}},"contentChanges":[{{"range":{},"text":"{}"}}]}}}})",
                    kUri, ++version_, range, there_ ? "" : "x"));
    there_ = !there_;
    if (settles) server_.settle();
  }

  /// False if nothing came back.
  bool ask(std::string_view method, std::string_view more) {
    const unsigned before = answers_;
    say(fmt::format(
        R"({{"jsonrpc":"2.0","id":2,"method":"textDocument/{}","params":{{"textDocument":{{"uri":"{}"}}{}}}}})", method,
        kUri, more));
    return answers_ > before;
  }

 private:
  void say(const std::string& message) { static_cast<void>(server_.handle(message)); }

  unsigned answers_ = 0;
  unsigned version_ = 1;
  bool there_ = false;
  editor::LanguageServer server_;
};

void keystroke(benchmark::State& state) {
  Session session(thousand_lines());
  for (auto _ : state) session.type(true);
}

void request(benchmark::State& state, const std::string& method, const std::string& more) {
  Session session(thousand_lines());
  for (auto _ : state) {
    session.type(false);
    if (!session.ask(method, more)) return state.SkipWithError("no answer");
  }
}

void register_all() {
  constexpr int kRounds = 15;
  const auto add = [](const std::string& name, auto&&... rest) {
    benchmark::RegisterBenchmark(name.c_str(), rest...)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1)
        ->Repetitions(kRounds)
        ->ReportAggregatesOnly();
  };
  using assembler::ScheduleLevel;
  add("assemble/without_warnings", assemble, assembler::ScheduleOptions{}, true);
  add("assemble/with_warnings", assemble, assembler::ScheduleOptions{}, false);
  add("assemble/schedule_list", assemble, assembler::ScheduleOptions{ScheduleLevel::list}, false);
  add("assemble/schedule_full", assemble, assembler::ScheduleOptions{ScheduleLevel::full}, false);
  add("lsp/diagnostics", keystroke);
  const std::string at = R"(,"position":{"line":500,"character":3})";
  const std::string all = R"(,"range":{"start":{"line":0,"character":0},"end":{"line":999,"character":0}})";
  const std::vector<std::pair<std::string, std::string>> requests{
      {"hover", at},
      {"completion", at},
      {"definition", at},
      {"references", at + R"(,"context":{"includeDeclaration":true})"},
      {"documentHighlight", at},
      {"rename", R"(,"position":{"line":500,"character":9},"newName":"renamed")"},
      {"documentSymbol", ""},
      {"codeAction", all + R"(,"context":{"diagnostics":[]})"},
      {"inlayHint", all},
      {"semanticTokens/full", ""}};
  for (const auto& [method, more] : requests) add("lsp/" + method, request, method, more);
}

}  // namespace
}  // namespace gdr::bench

int main(int argc, char** argv) {
  gdr::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
