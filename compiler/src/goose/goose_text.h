// The user's program with calls to the board in place of the marked loops.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gdr/compiler/compiler.h"
#include "gdr/isa/program.h"
#include "goose_loop.h"

namespace gdr::compiler {

struct CompiledLoop {
  const GooseLoop& loop;
  const isa::Program& program;
  const std::vector<NumberedResult>& numbered;
};

/// Lines keep their numbers, so that messages of the host's compiler refer to the user's lines. `file` is the name in
/// messages. `after_run`: lines behind each run of the board.
[[nodiscard]] std::string program_with_calls(const std::string& text, const std::string& file,
                                             const std::vector<CompiledLoop>& loops, const std::string& after_run);

}  // namespace gdr::compiler
