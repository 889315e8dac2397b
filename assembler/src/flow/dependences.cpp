// For every word the last writer and the readers since then are kept. Writers of a word keep their order even if masks
// prevent some writes, so an operation that depends on the last writer depends on all of them.
#include "dependences.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace gdr::assembler {
namespace {

using isa::Unit;

constexpr std::array kUnitsInOrder{Unit::adder, Unit::multiplier, Unit::alu, Unit::bm};

/// Consecutive numbers for words that hold values: T, flags, registers, memories. The j-record is only read.
struct ValueRange {
  std::size_t first = 0;
  std::size_t last = 0;  // one past the last
};

constexpr std::size_t kT = 0;
constexpr std::size_t kFlag = kT + 1;
constexpr std::size_t kGpr = kFlag + isa::kFlags + 1;
constexpr std::size_t kLm = kGpr + isa::kGprShortWords;
constexpr std::size_t kBm = kLm + isa::kLmShortWords;
constexpr std::size_t kWords = kBm + isa::kBmShortWords;

ValueRange range_of(const CodeAccess& access, unsigned elements) {
  const isa::WordRange words = isa::extent_of(access, elements);
  switch (access.storage) {
    case isa::Storage::t:
      return {kT, kT + 1};
    case isa::Storage::flag:
      return {kFlag + words.first, kFlag + words.last};
    case isa::Storage::gpr:
      return {kGpr + words.first, kGpr + words.last};
    case isa::Storage::lm:
      if (access.indirect) return {kLm, kBm};  // all of local memory, as docs/kernels/assembly.md says
      return {kLm + words.first, kLm + words.last};
    case isa::Storage::bm:
      return {kBm + words.first, kBm + words.last};
    case isa::Storage::record:
      break;
  }
  return {};
}

class Tracker {
 public:
  Tracker(SectionGraph& graph, const LeftOut& left_out) : graph_(graph), left_out_(left_out), words_(kWords) {}

  void expect(const Tail& tail) {
    for (std::size_t distance = 1; distance <= tail.size(); ++distance) {
      const CodeLine& line = *tail[tail.size() - distance];
      for (const CodeAccess& access : line.accesses) {
        if (!access.write || access.latency <= distance) continue;
        for_words(access, line.line.vlen, [&](Word& word) {
          word.there = std::max(word.there, access.latency - static_cast<unsigned>(distance));
        });
      }
    }
  }

  /// Adds the operations of one line: all of them read before any of them writes.
  void add_line(std::size_t first, std::size_t last) {
    for (std::size_t operation = first; operation < last; ++operation) {
      for_accesses(operation, [&](const CodeAccess& access) {
        if (!access.write && !access.defines) read(operation, access);
      });
    }
    for (std::size_t operation = first; operation < last; ++operation) {
      for_accesses(operation, [&](const CodeAccess& access) {
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
    unsigned latency = 0;  // latency of the writer
    unsigned there = 0;    // first line in which a result that had not arrived when the section began can be read
    std::vector<std::size_t> readers;
  };

  template <class Visit>
  void for_accesses(std::size_t operation, Visit visit) {
    for (const CodeAccess& access : graph_.operations[operation].from->accesses) {
      if (!belongs(access, graph_.operations[operation]) || (left_out_ && left_out_(access))) continue;
      visit(access);
    }
  }

  template <class Visit>
  void for_words(const CodeAccess& access, unsigned elements, Visit visit) {
    const ValueRange range = range_of(access, elements);
    for (std::size_t word = range.first; word < std::min(range.last, kWords); ++word) visit(words_[word]);
  }

  void read(std::size_t operation, const CodeAccess& access) {
    for_words(access, graph_.operations[operation].from->line.vlen, [&](Word& word) {
      graph_.earliest[operation] = std::max(graph_.earliest[operation], word.there);
      if (word.writer) depend(*word.writer, operation, word.latency);
      if (word.readers.empty() || word.readers.back() != operation) word.readers.push_back(operation);
    });
  }

  void write(std::size_t operation, const CodeAccess& access) {
    const unsigned latency = access.latency;
    for_words(access, graph_.operations[operation].from->line.vlen, [&](Word& word) {
      for (const std::size_t reader : word.readers) depend(reader, operation, 0);
      // The later write must also arrive later, whatever the two latencies are.
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
  const LeftOut& left_out_;
  std::vector<Word> words_;
  std::map<std::pair<std::size_t, std::size_t>, unsigned> edges_;
};

bool writes_records(const CodeLine& line, unsigned record_words) {
  constexpr unsigned kRecordsInBm = 2;  // one is filled while the other is read
  return std::any_of(line.accesses.begin(), line.accesses.end(), [&](const CodeAccess& access) {
    return access.write && access.storage == isa::Storage::bm && access.address < kRecordsInBm * 2 * record_words;
  });
}

}  // namespace

bool belongs(const CodeAccess& access, const UnitOperation& operation) {
  return access.unit == Unit::none || access.unit == operation.unit;
}

std::optional<SectionGraph> graph_of(const std::vector<CodeLine>& section, const std::vector<Tail>& tails,
                                     unsigned record_words, const LeftOut& left_out) {
  SectionGraph graph;
  Tracker tracker(graph, left_out);
  for (const Tail& tail : tails) tracker.expect(tail);
  for (std::size_t line = 0; line < section.size(); ++line) {
    if (section[line].unknown || writes_records(section[line], record_words)) return std::nullopt;
    const std::size_t first = graph.operations.size();
    const isa::Effects effects = isa::effects(section[line].line);
    for (const Unit unit : kUnitsInOrder) {
      if (effects.works(unit)) graph.operations.push_back({&section[line], line, unit});
    }
    graph.earliest.resize(graph.operations.size());
    tracker.add_line(first, graph.operations.size());
  }
  tracker.finish();
  return graph;
}

}  // namespace gdr::assembler
