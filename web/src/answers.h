// Answers of the playground: one function for each kind of request.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data.h"
#include "gdr/assembler/assembler.h"
#include "gdr/base/json.h"
#include "gdr/debugger/debugger.h"
#include "gdr/hostlib/device.h"

namespace gdr::web {

using base::Json;

/// Source that is not on disk: a kernel in LSUMP's language if the name ends in `.lsump`, else assembly.
struct Source {
  std::string name;
  std::string text;
  assembler::AssembleOptions options;  // of assembly
  unsigned effort = 2;                 // of LSUMP, as in compiler::CompileOptions
};

/// What the assembler made of a source; in between, of one in LSUMP, the compiler.
struct Built {
  assembler::AssembleResult assembled;  // the compiler's diagnostics have number 0
  std::string messages;                 // all diagnostics, as the command line prints them
  std::string assembly;                 // that the compiler wrote; else empty
  std::uint32_t own_file = 0;           // the page's source among `assembled.files`
};

[[nodiscard]] Built built(const Source& source);

/// Diagnostics; for a kernel without errors also results of the prover and the analyser for its loop.
[[nodiscard]] Json check(const Source& source);

/// All exercises of the course with their tasks and hints.
[[nodiscard]] Json exercises();
/// The verdict on a source that is to solve an exercise: the one of `gdr judge`, with the same hash. Throws gdr::Error
/// for an unknown exercise.
[[nodiscard]] Json judge(const std::string& exercise, const Source& source, std::uint64_t seed);

/// The long text of a diagnostic in Markdown. Throws gdr::Error if there is none with this number.
[[nodiscard]] Json explain(std::uint64_t number);

struct RunRequest {
  Source source;
  DataOptions data;
  std::vector<std::pair<std::string, double>> parameters;
};

/// Files with which `gdr run` does the same run.
struct RunFiles {
  std::string i;  // CSV
  std::string j;
  std::string results;
};

/// Runs on one board with the vector engine. Throws gdr::Error if the source has errors or the kernel cannot run.
[[nodiscard]] Json run(const RunRequest& request, RunFiles& files);

/// The assembled kernel with its data. Throws as run().
[[nodiscard]] debugger::Debugger debug(const RunRequest& request);
/// Position of the debugger, and the words of its element.
[[nodiscard]] Json state_of(const debugger::Debugger& debugger);

}  // namespace gdr::web
