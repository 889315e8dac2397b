// Any text as a history: refused by gdr::Error, or one that is written and read back the same.
#include "fuzz.h"
#include "gdr/selftest/history.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr::selftest;
  History history;
  if (gdr::fuzz::refuses([&] { history = parse_history(gdr::fuzz::text_of(data, size), "fuzz"); })) return 0;
  FUZZ_HOLDS(parse_history(text_of(history), "again") == history);
  return 0;
}
