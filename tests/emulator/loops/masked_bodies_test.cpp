// Compiled bodies whose lines are under a mask, as steps of experiments are: scratch words that are written before they
// are read are no reason to refuse, and neither is what elements would compute that the mask keeps out.
#include <gtest/gtest.h>

#include <vector>

#include "compiled_loops_testing.h"
#include "gdr/emulator/conversion.h"
#include "kernel_data.h"

namespace gdr::tests {
namespace {

using emulator::Chip;
using emulator::kBlocks;
using emulator::kPesPerBlock;
using isa::LongWord;
using isa::Width;

/// sum <- sum + 1 / sqrt(x), as many times as `left` says, by Newton's method in scratch registers, of which $r8v holds
/// bits as well as numbers.
constexpr std::string_view kSums = R"(kernel sums
bvar long step elt
var vector long x hlt
var vector long left hlt fix64to72
var vector long sum rrn fadd
var vector long read rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
  upassa $lt read
  uxor $r16v $r16v $r16v
loop body
  usub il"0" left $ok1
  nop
  mask 1
  usub left il"1" left
  fpassa x $r4v
  uxor $r12v $r12v $r12v
  ulsr $r4v is"1" $t
  usub hs"5fe6eb3bd" $ti $r8v
  nop
  repeat round = 1..4
    fmul $r8v $r8v $t
    fmul $r4v $ti $t
    fsub fs"3" $ti $t
    fmul $r8v $ti $t
    fmul $ti fs"0.5" $r8v
    nop
  end
  fadd $r12v $r8v $r12v
  nop
  fadd sum $r12v sum
  fadd $r12v $r12v $r16v
  mask 0
  nop
  fadd read $r16v read                   # in all elements, also those in which it was written long ago
  nop
)";

TEST_F(CompiledLoops, ScratchWordsUnderAMaskAreNotRefused) {
  const isa::Program program = program_of(kSums);
  constexpr unsigned kTurns = 70;
  constexpr unsigned kBlocksUsed = 2;
  const std::vector<LongWord> records(std::size_t{kTurns} * kBlocks * program.record_words);
  const auto prepare = [&](Chip& chip) {
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
        std::vector<LongWord> words;
        for (unsigned n = 0; n < isa::kVectorElements; ++n) {
          const unsigned place = pe * isa::kVectorElements + n;
          // Every third place is masked from the beginning.
          const bool works = place % 3 != 0;
          words.push_back(variable->name == "left" ? LongWord::from_bits(works ? 1 + place / 2 : 0)
                                                   : emulator::flt64to72(1 + place / 7.0).value);
        }
        const emulator::PeWords where{variable->memory, variable->address, variable->width, isa::kVectorElements};
        for (unsigned block = 0; block < kBlocksUsed; ++block) chip.write_pe(block, pe, where, words);
      }
    }
  };
  const emulator::LoopRun run{{records, program.record_words, std::uint64_t{kTurns} * kBlocks}, kPesPerBlock};
  const Outcome outcome = compare(program, run, kBlocksUsed, prepare, emulator::make_reference_chip());
  EXPECT_TRUE(outcome.equal);
  EXPECT_GT(outcome.compiled, 0U);
  EXPECT_TRUE(compare_native(program, run, kBlocksUsed, prepare).equal);
}

}  // namespace
}  // namespace gdr::tests
