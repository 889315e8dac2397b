// Lines as messages of the Debug Adapter Protocol, to a debugger of a small kernel, and the same bytes as a stream with
// headers: the answers are JSON, and a session ends when the client says so.
#include <nlohmann/json.hpp>

#include "fuzz.h"
#include "gdr/assembler/assembler.h"
#include "gdr/base/message_framing.h"
#include "gdr/debugger/dap.h"

namespace {

constexpr const char* kKernel =
    "kernel k\nvar vector long xi hlt flt64to72\nbvar long xj elt flt64to72\nvar vector long r rrn flt72to64 fadd\n"
    "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt r\nloop body\n  fsub xj xi $lt\n  fadd r $lt r\n";

gdr::debugger::Job job() {
  static const gdr::isa::Program program = *gdr::assembler::assemble(kKernel, "k.vsm").program;
  gdr::debugger::Job job;
  job.program = program;
  job.sources = {kKernel};
  job.device.threads = 1;
  job.i_fields = {0x3ff0000000000000, 0x4000000000000000};
  job.j_fields = {0x4008000000000000, 0x4010000000000000};
  job.records = 2;
  return job;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  std::string_view rest = fuzz::text_of(data, size);
  base::MessageFraming framing;
  fuzz::refuses([&] {
    framing.push(rest);
    while (framing.next()) {
    }
  });
  const auto send = [](std::string_view message) { FUZZ_HOLDS(nlohmann::json::accept(message)); };
  unsigned asked = 0;
  constexpr unsigned kOften = 200;  // a run goes on until it is interrupted
  debugger::DapServer server([](const debugger::DapLaunch&) { return job(); }, send, [&] { return ++asked > kOften; });
  constexpr unsigned kMostMessages = 40;
  for (unsigned n = 0; n < kMostMessages && !rest.empty(); ++n) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    static_cast<void>(debugger::dap_interrupts(rest.substr(0, end)));
    if (!server.handle(rest.substr(0, end))) break;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return 0;
}
