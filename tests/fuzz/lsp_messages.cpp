// Lines as messages of the Language Server Protocol: the answers are JSON, whatever the client sends.
#include <nlohmann/json.hpp>

#include "fuzz.h"
#include "gdr/editor/server.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  std::string_view rest = fuzz::text_of(data, size);
  editor::LanguageServer server({}, [](std::string_view message) { FUZZ_HOLDS(nlohmann::json::accept(message)); });
  constexpr unsigned kMostMessages = 40;
  for (unsigned n = 0; n < kMostMessages && !rest.empty(); ++n) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (!server.handle(rest.substr(0, end))) break;
    server.settle();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return 0;
}
