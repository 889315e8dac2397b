// Sources of random lines that are legal together.
#pragma once

#include <string>

#include "gdr/assembler/assembler.h"
#include "gdr/selftest/random_program.h"

namespace gdr::kernels::testing {

/// A kernel of random lines, of which each was kept if the kernel is legal with it.
class RandomKernel {
 public:
  /// `results`: the first registers and local memory words of it are results, and what begins them is drawn: plain,
  /// under a flag, or under a flag and its complement.
  RandomKernel(std::uint64_t seed, bool indirect, bool results = false) : random_(seed) {
    shape_.record_words = kRecordWords;
    shape_.registers = kRegisters;
    shape_.indirect = indirect;
    begin_ = "kernel random\nbvar long field[2] elt\n";
    if (results) {
      begin_ += "var vector long in hlt\nvar vector long out[2] rrn flt72to64 fadd\nvar vector long sum rrn in gpr\n";
    }
    begin_ += results ? "loop initialization\n  fsub in f\"0\" $lok1\n  uadd in il\"0\" $lok2.z\n" : "initialization\n";
    for (unsigned word = 0; word < kRegisters; word += 8) {
      const std::string value = "  upassa il\"" + std::to_string(word) + "\" ";
      const std::string lr = "$lr" + std::to_string(word) + "v";
      const std::string lm = "$lm" + std::to_string(word) + "v";
      const std::string flag = " $lt $ok" + std::to_string(1 + word / 8 % 4) + "\n";
      if (!results) {
        begin_ += value + lr + " " + lm + flag;
        continue;
      }
      const auto gate = [&] {
        return "/" + std::string(random_.one_in(2) ? "!" : "") + std::to_string(1 + random_.below(2));
      };
      if (word == 0) begin_ += "  upassa il\"0\" $lt $ok3\n  upassa il\"5\" $ok4.z\n";
      const bool masked = random_.one_in(3);
      begin_ += value + lr + (masked ? gate() : "") + "\n" + value + "$lm" + std::to_string(word + 8) + "v" +
                (random_.one_in(4) ? gate() : "") + "\n";
      if (masked && random_.one_in(2)) {
        begin_ += "  uadd in il\"1\" " + lr + "/1\n  uadd in il\"2\" " + lr + "/!1\n";
      }
    }
    if (results) begin_ += "  uxor $lt $lt $lt\n  upassa $lt sum\n  upassa $lt out[0]\n  upassa $lt out[1]\n";
    begin_ += "  nop\n";
    for (unsigned word = kFirstStored; word < kLastStored; word += 2) {
      begin_ += "  bm $lr8 $lb" + std::to_string(word) + " @1\n";
    }
    begin_ += "  nop\nloop body\n";
    // What broadcast memory holds in the end, to where the outcome shows it.
    end_ = "loop termination\n  nop\n";
    for (unsigned word = kFirstStored; word < kLastStored && !results; word += 2) {
      end_ += "  vlen 1 ; bm $lb" + std::to_string(word) + " $lm" + std::to_string(kDump + word) + "\n";
    }
  }

  [[nodiscard]] std::string source(unsigned candidates) {
    assembler::AssembleOptions quick;
    quick.warnings.told.reset();
    std::string body;
    for (unsigned candidate = 0; candidate < candidates; ++candidate) {
      const isa::Op op = isa::operations()[random_.below(isa::operations().size())].op;
      std::string longer = body;
      for (const isa::Line& line : random_.lines_with(op, isa::Section::loop_body, shape_)) {
        longer += "  " + isa::print(line) + "\n";
      }
      if (random_.one_in(4)) longer += "  nop\n";
      if (assembler::assemble(begin_ + longer + end_, "random", quick).program) body = longer;
    }
    return begin_ + body + end_;
  }

 private:
  static constexpr unsigned kRecordWords = 2;
  static constexpr unsigned kRegisters = 48;
  static constexpr unsigned kFirstStored = 2 * 2 * kRecordWords;  // behind the two j-records
  static constexpr unsigned kLastStored = 24;
  static constexpr unsigned kDump = 400;
  selftest::RandomPrograms random_;
  selftest::ProgramShape shape_;
  std::string begin_;
  std::string end_;
};

}  // namespace gdr::kernels::testing
