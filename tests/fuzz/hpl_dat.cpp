// Any text as HPL.dat: refused by gdr::Error, or parameters whose combinations are as many as their product, each one
// that HPL can run.
#include "gdr/hostlib/hpl_dat.h"
#include "fuzz.h"

namespace {

void check(const gdr::HplDat& dat) {
  std::vector<gdr::HplRun> runs;
  if (gdr::fuzz::refuses([&] { runs = dat.runs(); })) return;
  FUZZ_HOLDS(runs.size() == dat.n.size() * dat.nb.size() * dat.grids.size() * dat.panels.size() * dat.narrowest.size() *
                                dat.parts.size() * dat.recursive.size() * dat.broadcasts.size() * dat.depths.size());
  for (const gdr::HplRun& run : runs) {
    FUZZ_HOLDS(run.nb >= 1 && run.parts >= 2 && run.narrowest >= 1);
    FUZZ_HOLDS(run.grid.rows >= 1 && run.grid.columns >= 1);
    FUZZ_HOLDS(run.variant().size() >= 8);  // W, R or C, depth, broadcast, two factorisations with a number each
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gdr::fuzz::refuses([&] { check(gdr::parse_hpl_dat(gdr::fuzz::text_of(data, size), "fuzz.dat")); });
  return 0;
}
