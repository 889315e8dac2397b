// Results without a reduction whose words differ from block to block: the host gets those of block 0 alone. In a kernel
// of Type I each block has its share of the j-records, so what depends on the record, or counts the iterations,
// differs; so does what depends on the block's number, and in a kernel of Type II on i-data.
#include <fmt/format.h>

#include <algorithm>

#include "warn.h"

namespace gdr::assembler {
namespace {

using isa::Op;
using isa::Section;
using isa::Storage;
using isa::Unit;

class OneBlock {
 public:
  OneBlock(const Flow& flow, const SectionCode& code, const Declared& declared, Reporter& reporter)
      : flow_(flow), declared_(declared), reporter_(reporter), differs_(flow.definitions(), false) {
    for (const auto& section : code) {
      for (const CodeStep& step : section) {
        is_type2_ = is_type2_ || !std::holds_alternative<CodeLine>(step);
        const auto* collect = std::get_if<CodeCollect>(&step);
        if (collect != nullptr && !collect->step.blocks.is_separate()) collected_.push_back(collect);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (Definition definition = kFromHost + 1; definition < flow.definitions(); ++definition) {
        if (differs_[definition] || !made_different(definition)) continue;
        differs_[definition] = changed = true;
      }
    }
  }

  void run() {
    for (const isa::Variable& variable : declared_.program.variables) {
      if (variable.transfer != isa::Transfer::rrn || variable.reduction) continue;
      const Symbol* result = declared_.symbols.find(variable.name);
      if (result == nullptr || result->block_chosen) continue;
      if (const auto definition = first_of(*result)) tell(*result, variable, flow_.write(*definition));
    }
  }

 private:
  /// The first definition in a result's words that differs from block to block.
  [[nodiscard]] std::optional<Definition> first_of(const Symbol& result) const {
    if (result.memory == isa::Memory::bm) return first_of_collected(result);
    const isa::WordRange words = numbered_words(result);
    for (unsigned word = words.first; word < words.last; ++word) {
      for (const Definition definition : flow_.leaving(Section::loop_termination, word)) {
        if (differs_[definition]) return definition;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Definition> first_of_collected(const Symbol& result) const {
    for (const CodeCollect* collect : collected_) {
      if (collect->symbol != &result) continue;
      const isa::WordRange words = numbered_words(*collect, declared_);
      for (Definition definition = kFromHost + 1; definition < flow_.definitions(); ++definition) {
        const Flow::Write& write = flow_.write(definition);
        const unsigned elements = flow_.lines()[write.line].line->line.vlen;
        if (!differs_[definition] || write.access->storage != Storage::bm) continue;
        for (unsigned element = 0; element < elements; ++element) {
          if (numbered_words(*write.access, element).meets(words)) return definition;
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool made_different(Definition definition) const {
    const Flow::Write& write = flow_.write(definition);
    const Unit unit = write.access->unit;
    const FlowLine& at = flow_.lines()[write.line];
    if (differs_for(*at.line, unit)) return true;
    if (unit == Unit::bm || unit == Unit::none) return false;
    const isa::Slot& slot = isa::slot_of(at.line->line, unit);
    if (slot.a == isa::Source::bb_id || slot.b == isa::Source::bb_id) return true;
    const bool second = unit == Unit::multiplier && isa::info_of(slot.op).half == isa::ProductHalf::second;
    if (second && write.line > 0 && differs_for(*flow_.lines()[write.line - 1].line, unit)) return true;
    return at.section == Section::loop_body && accumulates(*at.line, definition);
  }

  [[nodiscard]] bool differs_for(const CodeLine& line, Unit unit) const {
    return std::ranges::any_of(line.accesses, [&](const CodeAccess& read) {
      const bool own = !read.write && !read.defines && (read.unit == unit || read.unit == Unit::none);
      if (!own) return false;
      if (read.storage == Storage::record) return true;
      return std::ranges::any_of(flow_.reaching(read), [&](Definition found) {
        return found == kFromHost ? is_type2_ && !read.indirect && reads_i_data(read) : differs_[found];
      });
    });
  }

  /// The host's words are i-data and parameters.
  [[nodiscard]] bool reads_i_data(const CodeAccess& read) const {
    return read.storage == Storage::lm || read.storage == Storage::gpr;
  }

  /// True if an operation reads what it wrote in the iteration before, of which blocks have different numbers.
  [[nodiscard]] bool accumulates(const CodeLine& line, Definition definition) const {
    if (declared_.program.record_words == 0) return false;
    const Unit unit = flow_.write(definition).access->unit;
    const Op op = isa::slot_of(line.line, unit).op;
    if (!isa::info_of(op).reduces) return false;
    return std::ranges::any_of(line.accesses, [&](const CodeAccess& read) {
      if (read.write || read.unit != unit || read.purpose != isa::Purpose::value) return false;
      const auto found = flow_.reaching(read);
      return std::ranges::find(found, definition) != found.end();
    });
  }

  /// The reduction that adds up, or chooses, as the operation that writes the result does.
  [[nodiscard]] std::optional<Op> reduction_like(const Flow::Write& write, const isa::Variable& variable) const {
    const Unit unit = write.access->unit;
    if (unit == Unit::bm || unit == Unit::none) return std::nullopt;
    Op op = isa::slot_of(flow_.lines()[write.line].line->line, unit).op;
    if (op == Op::FSUB) op = Op::FADD;
    if (op == Op::USUB) op = Op::UADD;
    return isa::info_of(op).reduces && isa::can_reduce(op, *variable.conversion) ? std::optional(op) : std::nullopt;
  }

  void tell(const Symbol& result, const isa::Variable& variable, const Flow::Write& write) {
    const std::optional<Op> op = reduction_like(write, variable);
    const std::string reduction =
        op ? fmt::format("write '{}' after its conversion", isa::info_of(*op).mnemonic) : "give it a reduction";
    const bool told = reporter_.warning(
        Code::one_block, result.where,
        fmt::format(
            "result '{}' has no reduction, so the host gets the words of block 0, and each of the {} blocks has "
            "other ones; {}, or 'select 0' if those of block 0 are meant",
            result.title(), isa::kBlocks, reduction));
    if (told) reporter_.note(write.access->where, fmt::format("'{}' is written here", write.access->text));
  }

  const Flow& flow_;
  const Declared& declared_;
  Reporter& reporter_;
  bool is_type2_ = false;
  std::vector<bool> differs_;                  // of every definition: other words in other blocks
  std::vector<const CodeCollect*> collected_;  // with words that the tree combines, or of one block
};

}  // namespace

void warn_of_one_block(const Flow& flow, const SectionCode& code, const Declared& declared, Reporter& reporter) {
  OneBlock(flow, code, declared, reporter).run();
}

}  // namespace gdr::assembler
