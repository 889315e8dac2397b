// What docs/machine/machine.md says of lines beside each other, asked of effects() directly: the engines' tests see
// only what the programs that they run happen to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "gdr/isa/effects.h"

namespace gdr::isa {
namespace {

Access words(Storage storage, std::uint16_t address, std::uint8_t step, Width width = Width::short_word) {
  Access access;
  access.storage = storage;
  access.address = address;
  access.step = step;
  access.width = width;
  return access;
}

TEST(Overlap, IsAWordThatBothTouchNotTheSpanBetweenTheirEnds) {
  const Access even = words(Storage::lm, 0, 2);
  const Access odd = words(Storage::lm, 1, 2);
  EXPECT_FALSE(overlap(even, 4, odd, 4)) << "every other short word";
  EXPECT_TRUE(overlap(even, 4, words(Storage::lm, 6, 0), 1)) << "the last element of the first";
  EXPECT_TRUE(overlap(words(Storage::lm, 6, 0), 1, even, 4)) << "the last element of the second";
  EXPECT_FALSE(overlap(even, 3, words(Storage::lm, 6, 0), 1)) << "behind its elements";
  EXPECT_TRUE(overlap(odd, 2, words(Storage::lm, 2, 0, Width::long_word), 1)) << "the lower half";
  EXPECT_FALSE(overlap(even, 4, words(Storage::gpr, 0, 2), 4)) << "another storage";
  EXPECT_FALSE(overlap(words(Storage::gpr, 8, 1), 4, words(Storage::gpr, 12, 1), 4)) << "neighbours";
}

TEST(Overlap, OfAnIndirectAddressReachesTheEndOfLocalMemory) {
  Access indirect = words(Storage::lm, 40, 1);
  indirect.indirect = true;
  EXPECT_EQ(words_of(indirect, 1), (WordRange{41, kLmShortWords}));
  EXPECT_TRUE(overlap(indirect, 1, words(Storage::lm, kLmShortWords - 1, 0), 1));
  EXPECT_TRUE(overlap(indirect, 1, words(Storage::lm, 40, 0), 1));
  EXPECT_FALSE(overlap(indirect, 1, words(Storage::lm, 39, 0), 1)) << "an index is no negative number";
}

TEST(Overlap, OfAShortWriteOfTIsItsWholeWord) {
  Access write = words(Storage::t, 0, 2);
  EXPECT_EQ(words_of(write, 1), (WordRange{2, 3})) << "a read of the upper half";
  write.write = true;
  EXPECT_EQ(words_of(write, 1), (WordRange{2, 4}));
}

TEST(Accesses, OfTStepALongWordForEachElement) {
  for (const Source source : {Source::t_short, Source::t_long}) {
    Line line;
    line.vlen = kVectorElements;
    line.alu = {Op::UPASSA, source, Source::none, false, false, Width::long_word, {}};
    line.t_write.source = Unit::alu;
    const Effects found = effects(line);
    ASSERT_EQ(found.reads().size(), 1u);
    ASSERT_EQ(found.writes().size(), 1u);
    for (unsigned element = 0; element < kVectorElements; ++element) {
      EXPECT_EQ(words_of(found.reads()[0], element).first, 2 * element);
      EXPECT_EQ(words_of(found.writes()[0], element), (WordRange{2 * element, 2 * element + 2}));
    }
  }
}

TEST(Accesses, AddTheIndexThatAnIndirectAddressReads) {
  Line line;
  line.vlen = 3;
  line.lm_read = {20, Width::short_word, true, true};
  line.alu = {Op::UPASSA, Source::lm, Source::none, false, false, Width::short_word, {}};
  line.lm_write = {Unit::alu, 40, true, true, {2, false, false}};
  const Effects found = effects(line);
  EXPECT_TRUE(found.indirect());
  std::vector<Storage> read;
  for (const Access& access : found.reads()) read.push_back(access.storage);
  std::ranges::sort(read);
  // T for each address, the predicate's flag, local memory.
  EXPECT_EQ(read, (std::vector{Storage::t, Storage::t, Storage::flag, Storage::lm}));
}

/// $lr0v, $lr8v and T into `op`.
Line unit_line(Unit unit, Op op) {
  Line line;
  line.vlen = kVectorElements;
  line.gpr_a = {0, Width::long_word, true, false};
  line.gpr_b = {8, Width::long_word, true, false};
  Slot& slot = slot_of(line, unit);
  slot.op = op;
  slot.a = Source::gpr_a;
  slot.b = Source::gpr_b;
  slot.width = Width::long_word;
  return line;
}

TEST(Units, OfALineAreThoseThatItsOperationsKeepBusy) {
  Line line = unit_line(Unit::alu, Op::UADD);
  line.t_write.source = Unit::alu;
  EXPECT_TRUE(effects(line).works(Unit::alu));
  EXPECT_FALSE(effects(line).works(Unit::bm));
  EXPECT_FALSE(effects(line).busy(Unit::bm));
  line.alu.b = Source::bm;
  line.bm = {.mode = BmMode::read, .address = 4, .width = Width::long_word};
  EXPECT_TRUE(effects(line).busy(Unit::bm)) << "the word feeds the ALU";
  EXPECT_FALSE(effects(line).works(Unit::bm));
  EXPECT_EQ(effects(line).bm_clocks(), 1u) << "one word for all elements";
  line.bm.vector = true;
  EXPECT_EQ(effects(line).bm_clocks(), kVectorElements);
  line.gpr_write = {Unit::bm, 16, true, false, {}};
  EXPECT_TRUE(effects(line).works(Unit::bm)) << "it moves the word, too";
  line.gpr_write = {};
  line.lm_write = {Unit::bm, 16, true, false, {}};
  EXPECT_TRUE(effects(line).works(Unit::bm));
  line.lm_write = {};
  line.t_write.source = Unit::bm;
  EXPECT_TRUE(effects(line).works(Unit::bm));
}

TEST(Units, OfALoadByItselfMoveBroadcastMemoryToAnyPort) {
  for (WritePort Line::* port : {&Line::t_write, &Line::gpr_write, &Line::lm_write}) {
    Line line;
    line.bm = {.mode = BmMode::read, .address = 6, .width = Width::long_word, .one_pe = true, .pe = 3};
    (line.*port).source = Unit::bm;
    const Effects found = effects(line);
    ASSERT_EQ(found.reads().size(), 1u);
    EXPECT_EQ(found.reads()[0].storage, Storage::bm);
    EXPECT_EQ(found.reads()[0].address, 6u);
    EXPECT_TRUE(found.reads()[0].one_pe);
    ASSERT_EQ(found.writes().size(), 1u);
    EXPECT_TRUE(found.writes()[0].one_pe);
    EXPECT_EQ(found.writes()[0].width, Width::long_word);
  }
}

TEST(Units, OfAStoreTakeAClockForEachElement) {
  Line line;
  line.vlen = 3;
  line.bm = {
      .mode = BmMode::write, .address = 6, .width = Width::long_word, .store_source = Source::t_long, .one_pe = true};
  EXPECT_EQ(effects(line).bm_clocks(), 3u) << "element after element to one place";
  EXPECT_TRUE(effects(line).writes_bm());
  EXPECT_FALSE(effects(line).reads_bm());
}

// ---- products of long words ----------------------------------------------------------------------------------------

struct Product {
  Line first = unit_line(Unit::multiplier, Op::FMULH);
  Line second = unit_line(Unit::multiplier, Op::FMULL);
  Product() {
    first.multiplier.width = Width::short_word;  // it has no destination
    second.gpr_write = {Unit::multiplier, 16, true, false, {}};
  }
};

ProductFault fault_after(const std::function<void(Product&)>& change) {
  Product product;
  change(product);
  return product_fault(&product.first, product.second, nullptr);
}

TEST(ProductOfLongWords, HasBothLinesBesideEachOther) {
  const Product product;
  const Line other;
  EXPECT_EQ(product_fault(&product.first, product.second, &other), ProductFault::none);
  EXPECT_EQ(product_fault(&other, product.first, &product.second), ProductFault::none);
  EXPECT_EQ(product_fault(&other, product.first, &other), ProductFault::no_second);
  EXPECT_EQ(product_fault(&other, product.first, nullptr), ProductFault::no_second);
  EXPECT_EQ(product_fault(&other, product.first, &product.first), ProductFault::no_second);
  EXPECT_EQ(product_fault(nullptr, product.second, &other), ProductFault::no_first);
  EXPECT_EQ(product_fault(&other, product.second, &other), ProductFault::no_first);
  EXPECT_EQ(product_fault(&product.second, product.second, &other), ProductFault::no_first);
  EXPECT_EQ(product_fault(&product.first, other, &product.second), ProductFault::none) << "neither line of one";
}

TEST(ProductOfLongWords, HasTheSameOperandsLengthAndMaskInBothLines) {
  const std::vector<std::function<void(Line&)>> changes{
      [](Line& line) { line.vlen = 3; },
      [](Line& line) { line.mask.flag = 1; },
      [](Line& line) { line.mask = {1, true}; },
      [](Line& line) { line.gpr_a.address = 2; },
      [](Line& line) { line.gpr_a.vector = false; },
      [](Line& line) { line.gpr_a.width = Width::short_word; },
      [](Line& line) { line.gpr_b.address = 10; },
      [](Line& line) { line.multiplier.negate_a = true; },
      [](Line& line) { line.multiplier.negate_b = true; },
      [](Line& line) { line.multiplier.a = Source::t_long; },
      [](Line& line) { line.multiplier.b = Source::t_long; },
      [](Line& line) { line.multiplier.a = Source::gpr_b; },
      [](Line& line) { std::swap(line.multiplier.a, line.multiplier.b); },
  };
  for (std::size_t n = 0; n < changes.size(); ++n) {
    EXPECT_EQ(fault_after([&](Product& product) { changes[n](product.first); }), ProductFault::operands) << n;
    EXPECT_EQ(fault_after([&](Product& product) { changes[n](product.second); }), ProductFault::operands) << n;
    EXPECT_EQ(fault_after([&](Product& product) {
                changes[n](product.first);
                changes[n](product.second);
              }),
              ProductFault::none)
        << n;
  }
}

TEST(ProductOfLongWords, MayReadItsOperandsThroughTheOtherPort) {
  EXPECT_EQ(fault_after([](Product& product) {
              std::swap(product.second.gpr_a, product.second.gpr_b);
              std::swap(product.second.multiplier.a, product.second.multiplier.b);
            }),
            ProductFault::none);
}

TEST(ProductOfLongWords, ComparesOfTheOtherStoragesWhatIsReadThere) {
  const auto with = [](Source source, const std::function<void(Line&)>& change) {
    return fault_after([&](Product& product) {
      for (Line* line : {&product.first, &product.second}) {
        line->multiplier.b = source;
        line->lm_read = {20, Width::long_word, true, false};
        line->bm = {.mode = BmMode::read, .address = 20, .width = Width::long_word, .vector = true};
        line->immediate = {Width::long_word, {1, 1}};
      }
      change(product.second);
    });
  };
  const auto nothing = [](Line&) {};
  for (const Source source : {Source::lm, Source::bm, Source::immediate, Source::t_long}) {
    EXPECT_EQ(with(source, nothing), ProductFault::none);
  }
  EXPECT_EQ(with(Source::lm, [](Line& line) { line.lm_read.indirect = true; }), ProductFault::operands);
  EXPECT_EQ(with(Source::bm, [](Line& line) { line.bm.address = 22; }), ProductFault::operands);
  EXPECT_EQ(with(Source::bm, [](Line& line) { line.bm.record = true; }), ProductFault::operands);
  EXPECT_EQ(with(Source::immediate, [](Line& line) { line.immediate.value.low = 2; }), ProductFault::operands);
  // What other units take through the ports does not matter, nor does the PE that a load goes to.
  EXPECT_EQ(with(Source::lm, [](Line& line) { line.bm.address = 22; }), ProductFault::none);
  EXPECT_EQ(with(Source::bm, [](Line& line) { line.lm_read.address = 22; }), ProductFault::none);
  EXPECT_EQ(with(Source::lm, [](Line& line) { line.immediate.value.low = 2; }), ProductFault::none);
  EXPECT_EQ(with(Source::bm,
                 [](Line& line) {
                   line.bm.one_pe = true;
                   line.bm.pe = 5;
                 }),
            ProductFault::none);
}

/// The first line takes a long word of BM and moves it to T, where the second finds it.
Product from_bm_through_t() {
  Product product;
  product.first.multiplier.b = Source::bm;
  product.first.bm = {.mode = BmMode::read, .address = 20, .width = Width::long_word, .vector = true};
  product.first.t_write.source = Unit::bm;
  product.second.multiplier.b = Source::t_long;
  return product;
}

TEST(ProductOfLongWords, MayFindAWordOfBroadcastMemoryInT) {
  const auto fault = [](const std::function<void(Product&)>& change) {
    Product product = from_bm_through_t();
    change(product);
    return product_fault(&product.first, product.second, nullptr);
  };
  EXPECT_EQ(fault([](Product&) {}), ProductFault::none);
  EXPECT_EQ(fault([](Product& product) { product.second.multiplier.b = Source::t_short; }), ProductFault::operands);
  EXPECT_EQ(fault([](Product& product) { product.second.multiplier.negate_b = true; }), ProductFault::operands);
  EXPECT_EQ(fault([](Product& product) { product.first.multiplier.negate_b = true; }), ProductFault::operands);
  EXPECT_EQ(
      fault([](Product& product) { product.first.multiplier.negate_b = product.second.multiplier.negate_b = true; }),
      ProductFault::none);
  EXPECT_EQ(fault([](Product& product) { product.first.bm.width = Width::short_word; }), ProductFault::operands);
  EXPECT_EQ(fault([](Product& product) { product.first.bm.one_pe = true; }), ProductFault::operands);
  EXPECT_EQ(fault([](Product& product) { product.first.t_write.predicate.flag = 1; }), ProductFault::operands);
  EXPECT_EQ(fault([](Product& product) { product.first.t_write.predicate.jvalid = true; }), ProductFault::operands);
  EXPECT_EQ(fault([](Product& product) { product.first.t_write = {}; }), ProductFault::operands);
}

TEST(ProductOfLongWords, FromTLeavesTAsItIs) {
  const auto fault = [](Unit writer) {
    return fault_after([&](Product& product) {
      product.first.multiplier.a = product.second.multiplier.a = Source::t_long;
      product.first.t_write.source = writer;
    });
  };
  EXPECT_EQ(fault(Unit::none), ProductFault::none);
  EXPECT_EQ(fault(Unit::alu), ProductFault::t_written);
  EXPECT_EQ(fault_after([](Product& product) {  // the ALU alone reads T
              product.first.alu = {Op::UPASSA, Source::t_long, Source::none, false, false, Width::long_word, {}};
              product.first.t_write.source = Unit::alu;
            }),
            ProductFault::none);
}

TEST(ProductOfLongWords, MeetsNoWriteOfTheLineBeforeItsOperandsOrMask) {
  const Product product;
  const auto fault = [&](const std::function<void(Line&)>& change, const Line& first) {
    Line before = unit_line(Unit::alu, Op::UADD);
    change(before);
    return landing_fault(effects(before), effects(first));
  };
  const auto to_gpr = [](std::uint16_t address) {
    return [=](Line& line) { line.gpr_write = {Unit::alu, address, true, false, {}}; };
  };
  EXPECT_EQ(fault(to_gpr(0), product.first), ProductFault::operand_lands) << "the first operand";
  EXPECT_EQ(fault(to_gpr(14), product.first), ProductFault::operand_lands) << "the last element of the second";
  EXPECT_EQ(fault(to_gpr(16), product.first), ProductFault::none);
  EXPECT_EQ(fault([](Line& line) { line.t_write.source = Unit::alu; }, product.first), ProductFault::none)
      << "T is there in the next line";
  Line masked = product.first;
  masked.mask.flag = 2;
  const auto to_flag = [](std::uint8_t flag) {
    return [=](Line& line) { line.alu.flag = {flag, Condition::zero, {}}; };
  };
  EXPECT_EQ(fault(to_flag(2), masked), ProductFault::mask_lands);
  EXPECT_EQ(fault(to_flag(3), masked), ProductFault::none);
  EXPECT_EQ(fault(to_flag(2), product.first), ProductFault::none);
  Line gated = product.first;  // another unit's predicate decides nothing of the product
  gated.alu = {Op::UPASSA, Source::gpr_a, Source::none, false, false, Width::long_word, {}};
  gated.lm_write = {Unit::alu, 0, true, false, {2, false, false}};
  EXPECT_EQ(fault(to_flag(2), gated), ProductFault::none);
}

TEST(ProductFaults, AreSentencesOfTheirOwn) {
  EXPECT_EQ(text_of(ProductFault::none), "");
  std::vector<std::string_view> texts;
  for (int fault = 1; fault <= static_cast<int>(ProductFault::mask_lands); ++fault) {
    texts.push_back(text_of(static_cast<ProductFault>(fault)));
    EXPECT_FALSE(texts.back().empty());
  }
  std::ranges::sort(texts);
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end());
}

// ---- sections ------------------------------------------------------------------------------------------------------

TEST(Sections, FollowThoseThatHaveLines) {
  using enum Section;
  using Sections = std::vector<Section>;
  const auto before = [](Section section, std::array<bool, kSections> has_lines) {
    Sections found = sections_before(section, has_lines);
    std::ranges::sort(found);
    return found;
  };
  EXPECT_EQ(before(initialization, {true, true, true, true}), Sections{});
  EXPECT_EQ(before(loop_initialization, {true, true, true, true}), Sections{initialization});
  EXPECT_EQ(before(loop_initialization, {false, true, true, true}), Sections{});
  EXPECT_EQ(before(loop_body, {true, true, true, true}), (Sections{loop_initialization, loop_body}));
  EXPECT_EQ(before(loop_termination, {true, true, true, true}), (Sections{loop_initialization, loop_body}))
      << "the body is left out without j-particles";
  EXPECT_EQ(before(loop_termination, {true, false, true, true}), (Sections{initialization, loop_body}));
  EXPECT_EQ(before(loop_termination, {true, true, false, true}), Sections{loop_initialization});
  EXPECT_EQ(before(loop_termination, {true, false, false, true}), Sections{initialization});
  EXPECT_EQ(before(loop_termination, {false, false, false, true}), Sections{});
}

}  // namespace
}  // namespace gdr::isa
