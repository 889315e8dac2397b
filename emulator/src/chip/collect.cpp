// Writes to all blocks, and results that come back through the reduction tree, for engines without a faster method.
#include "collect.h"

#include <algorithm>

#include "gdr/emulator/chip.h"

namespace gdr::emulator {

namespace {

WordResult reduced(isa::Op op, LongWord a, LongWord b, Width node_width) {
  GDR_ASSERT(isa::info_of(op).reduces, "a program's reductions are operations of the tree's nodes");
  return compute(op, a, b, node_width);
}

}  // namespace

LongWord reduce(isa::Op op, LongWord a, LongWord b, Width node_width, FpEvents& events) {
  const WordResult result = reduced(op, a, b, node_width);
  events += result.event;
  return result.value;
}

LongWord reduce(isa::Op op, LongWord a, LongWord b, Width node_width, JunctionEvent place, FpEvents& events,
                FirstJunctionEvents& first) {
  const WordResult result = reduced(op, a, b, node_width);
  if (result.event != FpEvent::none) {
    events += result.event;
    place.event = result.event;
    first.add(place);
  }
  return result.value;
}

void place_tree_events(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                       const JunctionEvent& place, FirstJunctionEvents& first) {
  FpEvents counted_before;
  for (std::size_t n = 0; n < blocks.front().size(); ++n) {
    std::array<LongWord, kBlocks> words;
    for (unsigned block = 0; block < kBlocks; ++block) words[block] = blocks[block][n];
    JunctionEvent node = place;
    node.result += n;
    for (unsigned distance = 1; distance < kBlocks; distance *= 2) {
      node.blocks = 2 * distance;
      for (node.first_block = 0; node.first_block < kBlocks; node.first_block += node.blocks) {
        LongWord& sum = words[node.first_block];
        sum = reduce(op, sum, words[node.first_block + distance], node_width, node, counted_before, first);
      }
    }
  }
}

namespace {

/// Sum of `words_in` over the collects of a run or a piece.
std::uint64_t summed(const isa::Program& program, std::uint64_t iterations, bool begins, bool ends,
                     unsigned (isa::CollectStep::*words_in)() const) {
  const auto words_of = [&](isa::Section section, bool first_turn) {
    std::uint64_t words = 0;
    const isa::Visitor count{[](const isa::ProgramLine&) {}, [](const isa::TransferStep&) {},
                             [&](const isa::CollectStep& collect) {
                               if (!first_turn || !collect.not_first) words += (collect.*words_in)();
                             }};
    for (const isa::Step& step : program.steps(section)) std::visit(count, step);
    return words;
  };
  std::uint64_t words = 0;
  if (begins) words += words_of(isa::Section::loop_initialization, false);
  if (iterations > 0) {
    words += words_of(isa::Section::loop_body, begins);
    words += words_of(isa::Section::loop_body, false) * (iterations - 1);
  }
  if (ends) words += words_of(isa::Section::loop_termination, false);
  return words;
}

}  // namespace

std::uint64_t collected_words(const isa::Program& program, std::uint64_t iterations, bool begins, bool ends) {
  return summed(program, iterations, begins, ends, &isa::CollectStep::words);
}

std::uint64_t words_out(const isa::Program& program, std::uint64_t iterations, bool begins, bool ends) {
  return summed(program, iterations, begins, ends, &isa::CollectStep::words_out);
}

std::vector<Collected> collects_of(const isa::Program& program, std::uint64_t iterations, bool begins, bool ends) {
  std::vector<Collected> collects;
  std::size_t first = 0;
  std::size_t first_out = 0;
  const auto add = [&](isa::Section section, bool first_turn) {
    const isa::Visitor take{[](const isa::ProgramLine&) {}, [](const isa::TransferStep&) {},
                            [&](const isa::CollectStep& collect) {
                              if (collect.not_first && first_turn) return;
                              collects.push_back({&program.variables[collect.variable], collect.blocks, first,
                                                  collect.words(), first_out, collect.words_out()});
                              first += collect.words();
                              first_out += collect.words_out();
                            }};
    for (const isa::Step& step : program.steps(section)) std::visit(take, step);
  };
  if (begins) add(isa::Section::loop_initialization, false);
  for (std::uint64_t n = 0; n < iterations; ++n) add(isa::Section::loop_body, begins && n == 0);
  if (ends) add(isa::Section::loop_termination, false);
  return collects;
}

void pass_blocks(const Collected& batch, std::span<const std::span<const LongWord>> blocks, std::span<LongWord> out) {
  switch (batch.blocks.kind) {
    case isa::BlockChoice::Kind::reduced:
      std::ranges::copy(blocks[batch.result->block], out.begin());
      break;
    case isa::BlockChoice::Kind::one:
      std::ranges::copy(blocks[batch.blocks.block], out.begin());
      break;
    case isa::BlockChoice::Kind::each:
      auto to = out.begin();
      for (const std::span<const LongWord> words : blocks) to = std::copy(words.begin(), words.end(), to);
      break;
  }
}

void Chip::do_reduce_blocks(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                            std::span<LongWord> sums, FpEvents& events) const {
  for (std::size_t n = 0; n < sums.size(); ++n) {
    std::array<LongWord, kBlocks> words;
    for (unsigned block = 0; block < kBlocks; ++block) words[block] = blocks[block][n];
    for (unsigned distance = 1; distance < kBlocks; distance *= 2) {
      for (unsigned block = 0; block < kBlocks; block += 2 * distance) {
        words[block] = reduce(op, words[block], words[block + distance], node_width, events);
      }
    }
    sums[n] = words[0];
  }
}

std::vector<LongWord> Chip::do_collect(const Collection& collection, FpEvents& events) const {
  const unsigned per_pe = collection.where.count;
  std::vector<LongWord> results;
  results.reserve(collection.results);
  for (unsigned pe = 0; results.size() < collection.results; ++pe) {
    std::array<std::vector<LongWord>, kBlocks> words;
    const unsigned blocks = collection.reduction ? kBlocks : 1;
    const unsigned first = collection.reduction ? 0 : collection.block;
    for (unsigned n = 0; n < blocks; ++n) words[n] = do_read_pe(first + n, pe, collection.where);
    for (unsigned n = 0; n < per_pe && results.size() < collection.results; ++n) {
      for (unsigned distance = 1; distance < blocks; distance *= 2) {
        for (unsigned block = 0; block < blocks; block += 2 * distance) {
          words[block][n] =
              reduce(*collection.reduction, words[block][n], words[block + distance][n], collection.node_width, events);
        }
      }
      results.push_back(words[0][n]);
    }
  }
  return results;
}

void Chip::do_write_pes(BlockRange blocks, unsigned first_pe, const PeWords& where, std::span<const LongWord> words) {
  for (unsigned pe = first_pe; !words.empty(); ++pe, words = words.subspan(where.count)) {
    for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block)
      do_write_pe(block, pe, where, words.first(where.count));
  }
}

}  // namespace gdr::emulator
