// Every word keeps its last writer and the readers since. Writers of a word keep their order whether or not masks let
// them write, so that what depends on the last depends on all.
#include "dependences.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "line_merger.h"

namespace gdr::assembler {
namespace {

using isa::Unit;

constexpr std::array kUnitsInOrder{Unit::adder, Unit::multiplier, Unit::alu, Unit::bm};

unsigned latency_of(const Access& write) {
  const isa::UnitInfo& unit = isa::info_of(write.unit);
  return write.kind == OperandKind::t ? unit.forward_latency : unit.register_latency;
}

/// Words that hold values, numbered through: T, flags, registers, memories. The j-record is only read.
struct WordRange {
  std::size_t first = 0;
  std::size_t last = 0;  // one past
};

constexpr std::size_t kT = 0;
constexpr std::size_t kFlag = kT + 1;
constexpr std::size_t kGpr = kFlag + isa::kFlags + 1;
constexpr std::size_t kLm = kGpr + isa::kGprShortWords;
constexpr std::size_t kBm = kLm + isa::kLmShortWords;
constexpr std::size_t kWords = kBm + isa::kBmShortWords;

WordRange range_of(const Access& access, unsigned elements) {
  const std::size_t length = std::size_t{short_words(access.width)} * (access.vector ? elements : 1);
  switch (access.kind) {
    case OperandKind::t:
      return {kT, kT + 1};
    case OperandKind::flag:
      return {kFlag + access.address, kFlag + access.address + 1};
    case OperandKind::gpr:
      return {kGpr + access.address, kGpr + access.address + length};
    case OperandKind::lm:
      // The proof takes an indirect access to stay in its variable; the machine does not hold it there.
      if (access.indirect) return {kLm, kBm};
      return {kLm + access.address, kLm + access.address + length};
    case OperandKind::bm:
      return {kBm + access.address, kBm + access.address + length};
    default:
      return {};
  }
}

class Tracker {
 public:
  explicit Tracker(SectionGraph& graph) : graph_(graph), words_(kWords) {}

  void expect(const Tail& tail) {
    for (std::size_t distance = 1; distance <= tail.size(); ++distance) {
      const CodeLine& line = *tail[tail.size() - distance];
      for (const Access& access : line.accesses) {
        if (!access.write || latency_of(access) <= distance) continue;
        for_words(access, line.line.vlen, [&](Word& word) {
          word.there = std::max(word.there, latency_of(access) - static_cast<unsigned>(distance));
        });
      }
    }
  }

  /// Operations of one line: all read before any writes.
  void add_line(std::size_t first, std::size_t last) {
    for (std::size_t operation = first; operation < last; ++operation) {
      for_accesses(operation, [&](const Access& access) {
        if (!access.write && !access.defines) read(operation, access);
      });
    }
    for (std::size_t operation = first; operation < last; ++operation) {
      for_accesses(operation, [&](const Access& access) {
        if (access.write) write(operation, access);
      });
    }
  }

  void finish() {
    for (const auto& [ends, lines] : edges_) graph_.dependences.push_back({ends.first, ends.second, lines});
  }

 private:
  struct Word {
    std::optional<std::size_t> writer;
    unsigned latency = 0;  // of the writer
    unsigned there = 0;    // first line in which what was on the way into the section can be read
    std::vector<std::size_t> readers;
  };

  template <class Visit>
  void for_accesses(std::size_t operation, Visit visit) {
    for (const Access& access : graph_.operations[operation].from->accesses) {
      if (belongs(access, graph_.operations[operation])) visit(access);
    }
  }

  template <class Visit>
  void for_words(const Access& access, unsigned elements, Visit visit) {
    const WordRange range = range_of(access, elements);
    for (std::size_t word = range.first; word < std::min(range.last, kWords); ++word) visit(words_[word]);
  }

  void read(std::size_t operation, const Access& access) {
    for_words(access, graph_.operations[operation].from->line.vlen, [&](Word& word) {
      graph_.earliest[operation] = std::max(graph_.earliest[operation], word.there);
      if (word.writer) depend(*word.writer, operation, word.latency);
      if (word.readers.empty() || word.readers.back() != operation) word.readers.push_back(operation);
    });
  }

  void write(std::size_t operation, const Access& access) {
    const unsigned latency = latency_of(access);
    for_words(access, graph_.operations[operation].from->line.vlen, [&](Word& word) {
      for (const std::size_t reader : word.readers) depend(reader, operation, 0);
      // The later write lands later, however long each is on its way.
      if (word.writer) depend(*word.writer, operation, word.latency > latency ? word.latency - latency + 1 : 1);
      word.readers.clear();
      word.writer = operation;
      word.latency = latency;
    });
  }

  void depend(std::size_t before, std::size_t after, unsigned lines) {
    if (before == after) return;
    unsigned& least = edges_[{before, after}];
    least = std::max(least, lines);
  }

  SectionGraph& graph_;
  std::vector<Word> words_;
  std::map<std::pair<std::size_t, std::size_t>, unsigned> edges_;
};

bool writes_records(const CodeLine& line, unsigned record_words) {
  constexpr unsigned kRecordsInBm = 2;  // one is filled while the other is in use
  return std::any_of(line.accesses.begin(), line.accesses.end(), [&](const Access& access) {
    return access.write && access.kind == OperandKind::bm && access.address < kRecordsInBm * 2 * record_words;
  });
}

}  // namespace

bool belongs(const Access& access, const UnitOperation& operation) {
  return access.operation == Unit::none || access.operation == operation.unit;
}

std::optional<SectionGraph> graph_of(const std::vector<CodeLine>& section, const std::vector<Tail>& tails,
                                     unsigned record_words) {
  SectionGraph graph;
  Tracker tracker(graph);
  for (const Tail& tail : tails) tracker.expect(tail);
  for (std::size_t line = 0; line < section.size(); ++line) {
    if (section[line].unknown || writes_records(section[line], record_words)) return std::nullopt;
    const std::size_t first = graph.operations.size();
    for (const Unit unit : kUnitsInOrder) {
      if (works(section[line].line, unit)) graph.operations.push_back({&section[line], line, unit});
    }
    graph.earliest.resize(graph.operations.size());
    tracker.add_line(first, graph.operations.size());
  }
  tracker.finish();
  return graph;
}

}  // namespace gdr::assembler
