#include "loop_jit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "dead_lanes.h"
#include "debugger_entry.h"
#include "exactness_watch.h"
#include "gdr/base/error.h"
#include "loop/graph/loop_edges.h"
#include "perf_map.h"
#include "source_lines.h"
#include "trust.h"

namespace gdr::emulator::jit {
namespace {

using simd::kRowWords;
using simd::row_place;

// Numbers of interactions from which on it pays to look for code in the cache, and to compile. The interpreter takes 17
// ns for an interaction, a compiled body 5; compiling takes about 0.1 s.
constexpr std::uint64_t kWorthLooking = 200'000;
constexpr std::uint64_t kWorthCompiling = 2'000'000;

// Iterations side by side in the function for PEs whose elements are alike. In calls of no more iterations it saves
// nothing.
constexpr unsigned kTurnsAtOnce = 4;

std::atomic<std::uint64_t> turns_run{0};
std::atomic<std::uint64_t> packed_turns_run{0};
std::atomic<std::uint64_t> alike_turns_run{0};

/// A word that iterations leave.
struct PlaneWord {
  unsigned row = 0;    // for the first group
  unsigned plane = 0;  // in a group's results
  bool is_long = false;

  [[nodiscard]] unsigned rows() const { return is_long ? 2 : 1; }
  [[nodiscard]] unsigned row_of(unsigned group, unsigned elements) const { return row + group * elements * rows(); }
};

struct Buffers {
  std::vector<std::uint64_t> records;  // [plane][CodeTarget::plane_words()]
  std::vector<std::uint64_t> shared;   // [word][CodeTarget::plane_words()]; if packed, once for each iteration
  std::vector<std::uint64_t> results;  // [plane][kPesPerBlock], for each group of each state that has PEs
  unsigned done_again = 0;             // vectors of a packed call that were run again
  unsigned scattered_pes = 0;          // PEs of the block that have run these iterations
};

/// Lanes of state `n` that have PEs.
unsigned lanes_in_state(const PackedTurns& turns, unsigned n, unsigned lanes) {
  return std::min(kPesPerBlock, turns.vectors * lanes - n * kPesPerBlock);
}
unsigned states_of(const PackedTurns& turns, unsigned lanes) {
  return (turns.vectors * lanes + kPesPerBlock - 1) / kPesPerBlock;
}

}  // namespace

std::uint64_t compiled_turns() { return turns_run.load(std::memory_order_relaxed); }
std::uint64_t alike_turns() { return alike_turns_run.load(std::memory_order_relaxed); }
std::uint64_t packed_turns() { return packed_turns_run.load(std::memory_order_relaxed); }

struct LoopJit::Form {
  BodyCode code;
  std::optional<LoadedCode> loaded;
  std::optional<DebuggerEntry> shown;
  std::size_t record_planes = 0;
  std::size_t carried_planes = 0;
  std::size_t left_planes = 0;
  std::size_t stored_planes = 0;        // of an iteration; those of its scatters come last
  std::vector<std::uint32_t> plane_of;  // by stored word: its first plane in an iteration
  std::vector<PlaneWord> handed_on;     // the carried words
  std::vector<PlaneWord> at_once;       // words left that are written to the state at the end of the call
  std::vector<PlaneWord> waiting;       // words left in rows that only the body uses; they need not be written then
  simd::RowSet late;                    // rows of `waiting`
  simd::RowSet landed;                  // rows of all words carried and left
  std::vector<Left> flags_left;         // of all groups
  /// Words to compare to find out whether elements are alike, if such elements may have a form of their own.
  std::optional<std::vector<Copied>> alike_words;
  Trust trust;
  mutable std::atomic<bool> dead_lanes_refuse{false};  // lanes beside the live PEs were the reason of a refusal
  bool failed = false;                                 // no code will ever be made

  enum class Outcome : std::uint8_t {
    right,
    refused,
    inexact  // refused because of an inexact step that has to be exact in every form
  };
  /// Functions that run some of the vectors in place of this form.
  struct Others {
    const Form* alike = nullptr;   // runs the last vector, if its PEs have elements that are alike
    const Form* robust = nullptr;  // runs vectors that this form refuses, on the shared values of this form
  };
  [[nodiscard]] Outcome run(const BlockTurns& turns, const Others& /*others*/) const;
  [[nodiscard]] Outcome run(const PackedTurns& turns, const Others& others) const;
  /// As in LoopJit.
  void land_late(const PackedTurns& turns) const;
  void land_again(const PackedTurns& turns) const;
  /// Finds which of the words left wait: those in rows of `of_body`.
  void find_landing(const simd::RowSet& of_body);
  /// True if the words that an iteration takes over are equal in all elements of the last vector's PEs.
  [[nodiscard]] bool last_elements_are_alike(const PackedTurns& turns) const;
  /// True if this form takes over and leaves the same words as the other, in the same places.
  [[nodiscard]] bool fits(const Form& other) const;
  /// As run(), but a refusal cannot be due to lanes beside the live PEs.
  [[nodiscard]] Outcome run_live(const BlockTurns& turns, const Others& others) const;
  [[nodiscard]] Outcome run_live(const PackedTurns& turns, const Others& others) const { return run(turns, others); }
  [[nodiscard]] unsigned lanes() const { return code.target.lanes; }

 private:
  void make_room(Buffers& buffers, std::size_t states) const;
  [[nodiscard]] Outcome outcome(const ExactnessWatch& watch, bool right) const {
    return !watch.all_exact() ? Outcome::inexact : right ? Outcome::right : Outcome::refused;
  }
  // The next functions return false, or another outcome than `right`, if a word is refused.
  [[nodiscard]] bool take_records(const BlockTurns& turns, Buffers& buffers) const;
  /// Takes the records of a vector's lanes. If `even`, they are `step` long words apart; else of_lane(lane) tells where
  /// each is.
  template <class OfLane>
  [[nodiscard]] bool take_vector(const isa::LongWord* record, std::size_t step, bool even, unsigned record_words,
                                 OfLane of_lane, std::uint64_t* to) const;
  /// Also takes the records, iteration by iteration, so that the converted words are still near when they are read.
  [[nodiscard]] Outcome work_out_shared(const PackedTurns& turns, Buffers& buffers) const;
  [[nodiscard]] bool run_turns(const PackedTurns& turns, const Others& others, Buffers& buffers) const;
  [[nodiscard]] bool work_out_shared(const BlockTurns& turns, Buffers& buffers) const;
  [[nodiscard]] bool run_turns(const BlockTurns& turns, Buffers& buffers) const;
  void take_back(const BlockTurns& turns, const Buffers& buffers) const;
  void land(const BlockTurns& turns, const std::uint64_t* results) const;
  /// For one group: writes flags, and the rows that wait.
  void land_late(const BlockTurns& turns, unsigned group, const std::uint64_t* results) const;
  void land_words(const BlockTurns& turns, unsigned group, const std::vector<PlaneWord>& words,
                  const std::uint64_t* results) const;
  void land_flags(const BlockTurns& turns, unsigned group, const std::uint64_t* results) const;
  /// Calls function(iterations of a state, group, its results) for all that packed iterations leave.
  template <class Function>
  void for_each_group(const PackedTurns& turns, const std::vector<std::uint64_t>& results, Function function) const {
    const std::uint64_t* of_group = results.data();
    for (unsigned state = 0; state < states_of(turns, lanes()); ++state) {
      BlockTurns own;
      own.state = turns.states + state * turns.state_words;
      own.live_pes = lanes_in_state(turns, state, lanes());
      for (unsigned group = 0; group < groups(); ++group, of_group += group_words()) function(own, group, of_group);
    }
  }
  void run_bm_steps(const BlockTurns& turns, const Buffers& buffers) const;
  [[nodiscard]] std::uint64_t all_lanes() const { return (std::uint64_t{1} << lanes()) - 1; }
  [[nodiscard]] unsigned groups() const { return isa::kVectorElements / code.elements; }
  /// Shared words of one packed iteration.
  [[nodiscard]] std::size_t turn_words() const { return std::size_t{code.shared_words} * code.target.plane_words(); }
  /// Words in a group's results.
  [[nodiscard]] std::size_t group_words() const {
    return (carried_planes + left_planes + code.target.turns() * stored_planes + 1) * kRowWords;
  }
};

namespace {

using TwoWords [[gnu::vector_size(2 * sizeof(std::uint64_t))]] = std::uint64_t;

/// High and low plane of a long word. The bits beside the low plane are undefined.
TwoWords planes_of(const isa::LongWord& word) {
  static_assert(sizeof(word) == sizeof(TwoWords) && offsetof(isa::LongWord, low) == sizeof(std::uint64_t) &&
                std::endian::native == std::endian::little);
  TwoWords planes;
  std::memcpy(&planes, &word, sizeof planes);
  return planes;
}

/// Copies words of `count` records, `step` long words apart, to planes at `to`, and moves `to` past them. Returns false
/// if a word that must be a double is none.
template <unsigned count>
bool take_words(const RecordWord& at, const isa::LongWord* record, std::size_t step, std::uint64_t*& to,
                std::size_t plane_words) {
  const isa::LongWord* from = record + at.address / 2;
  if (!at.is_long) {
    for (unsigned n = 0; n < count; ++n, from += step) {
      to[n] = (at.address % 2 == 0 ? from->upper() : from->lower()).bits << simd::kShortShift;
    }
    to += plane_words;
    return true;
  }
  constexpr std::uint64_t kLow = 0xff;
  TwoWords all{};
  for (unsigned n = 0; n < count; n += 2, from += 2 * step) {
    const TwoWords a = planes_of(from[0]);
    const TwoWords b = planes_of(from[step]);
    const TwoWords high = __builtin_shufflevector(a, b, 0, 2);
    std::memcpy(to + n, &high, sizeof high);
    all |= a | b;
    if (at.is_double) continue;
    const TwoWords low = __builtin_shufflevector(a, b, 1, 3) & kLow;
    std::memcpy(to + plane_words + n, &low, sizeof low);
  }
  to += at.planes() * plane_words;
  return !at.is_double || (all[1] & kLow) == 0;
}

/// Takes one vector of every plane.
template <unsigned count>
bool take_record_words(const BodyCode& code, const isa::LongWord* record, std::size_t step, std::uint64_t* to) {
  bool right = true;
  for (const RecordWord& at : code.record_words) {
    right = take_words<count>(at, record, step, to, code.target.plane_words()) && right;
  }
  return right;
}

/// The host's own prefetching loses a stream of records at every step from one iteration to the next.
void prefetch(std::span<const isa::LongWord> words) {
  constexpr std::size_t kWordsOfLine = 64 / sizeof(isa::LongWord);
  for (std::size_t n = 0; n < words.size(); n += kWordsOfLine) __builtin_prefetch(words.data() + n);
}

}  // namespace

template <class OfLane>
bool LoopJit::Form::take_vector(const isa::LongWord* record, std::size_t step, bool even, unsigned record_words,
                                OfLane of_lane, std::uint64_t* to) const {
  std::vector<isa::LongWord> whole;
  if (!even) {
    for (unsigned lane = 0; lane < lanes(); ++lane) {
      const isa::LongWord* const from = of_lane(lane);
      whole.insert(whole.end(), from, from + record_words);
    }
    record = whole.data();
    step = record_words;
  }
  return lanes() == kMostLanes ? take_record_words<kMostLanes>(code, record, step, to)
                               : take_record_words<kMostLanes / 2>(code, record, step, to);
}

bool LoopJit::Form::take_records(const BlockTurns& turns, Buffers& buffers) const {
  bool right = true;
  for (unsigned turn = 0; turn < turns.turns; turn += lanes()) {
    const isa::LongWord* const record = turns.record + turn * turns.record_step;
    const unsigned count = std::min(lanes(), turns.turns - turn);
    // The remaining lanes repeat the last iteration.
    const auto of_lane = [&](unsigned lane) { return record + std::min(lane, count - 1) * turns.record_step; };
    right = take_vector(record, turns.record_step, count == lanes(), turns.record_words, of_lane,
                        buffers.records.data() + turn) &&
            right;
  }
  return right;
}

bool LoopJit::Form::work_out_shared(const BlockTurns& turns, Buffers& buffers) const {
  std::uint64_t right = all_lanes();
  for (unsigned turn = 0; turn < turns.turns; turn += lanes()) {
    right &= loaded->uniform(buffers.records.data() + turn, turns.state, buffers.shared.data() + turn);
  }
  return (right & all_lanes()) == all_lanes();
}

bool LoopJit::Form::run_turns(const BlockTurns& turns, Buffers& buffers) const {
  for (unsigned group = 0; group < groups(); ++group) {
    std::uint64_t* const results = buffers.results.data() + group * group_words();
    for (unsigned pe = 0; pe < turns.live_pes; pe += lanes()) {
      const std::uint64_t live = all_lanes() >> (turns.live_pes - pe >= lanes() ? 0 : lanes() - (turns.live_pes - pe));
      const std::uint64_t right = loaded->turns(buffers.shared.data(), turns.turns, turns.state, results, pe,
                                                group * code.elements, turns.ends);
      buffers.scattered_pes = pe + lanes();
      if ((right & live) != live) return false;
    }
  }
  return true;
}

/// Restores what iterations have scattered to, last iteration first.
void LoopJit::Form::take_back(const BlockTurns& turns, const Buffers& buffers) const {
  if (code.scatters == 0) return;
  const std::uint64_t* const of_turns = buffers.results.data() + (carried_planes + left_planes) * kRowWords;
  std::uint64_t* const memory = turns.state + row_place(simd::kLmRow);
  for (unsigned turn = turns.turns; turn-- > 0;) {
    const std::uint64_t* const end = of_turns + (turn + 1) * stored_planes * kRowWords;
    for (unsigned scatter = 1; scatter <= code.scatters; ++scatter) {
      const std::uint64_t* const rows = end - scatter * code.scatter_planes * kRowWords;
      for (unsigned pe = 0; pe < buffers.scattered_pes; ++pe) {
        if (rows[pe] >= isa::kLmShortWords) continue;
        for (unsigned word = 0; word + 1 < code.scatter_planes; ++word) {
          memory[(rows[pe] + word) * kRowWords + pe] = rows[(word + 1) * kRowWords + pe];
        }
      }
    }
  }
}

void LoopJit::Form::land(const BlockTurns& turns, const std::uint64_t* results) const {
  for (unsigned group = 0; group < groups(); ++group, results += group_words()) {
    land_words(turns, group, handed_on, results);
    if (!turns.ends) continue;
    land_words(turns, group, at_once, results);
    land_late(turns, group, results);
  }
}

void LoopJit::Form::land_late(const BlockTurns& turns, unsigned group, const std::uint64_t* results) const {
  land_words(turns, group, waiting, results);
  land_flags(turns, group, results);
}

void LoopJit::Form::land_words(const BlockTurns& turns, unsigned group, const std::vector<PlaneWord>& words,
                               const std::uint64_t* results) const {
  const unsigned end = (turns.live_pes + lanes() - 1) / lanes() * lanes();
  for (const PlaneWord& word : words) {
    const std::uint64_t* from = results + word.plane * kRowWords;
    for (unsigned row = word.row_of(group, code.elements), left = word.rows(); left > 0; ++row, --left) {
      std::uint64_t* const to = turns.state + row_place(row);
      // In pieces of a size that the compiler knows.
      constexpr unsigned kAtOnce = 4;
      for (unsigned lane = 0; lane < end; lane += kAtOnce) {
        std::memcpy(to + lane, from + lane, kAtOnce * sizeof *to);
      }
      from += kRowWords;
    }
  }
}

void LoopJit::Form::land_flags(const BlockTurns& turns, unsigned group, const std::uint64_t* results) const {
  const std::uint64_t* plane = results + (carried_planes + left_planes - code.left_flags.size()) * kRowWords;
  for (const Left& left : code.left_flags) {
    const unsigned place = left.place + group * code.elements;
    std::uint64_t& flags = turns.state[simd::flag_place(place / isa::kVectorElements) + place % isa::kVectorElements];
    for (unsigned pe = 0; pe < turns.live_pes; pe += lanes()) {
      flags = (flags & ~(all_lanes() << pe)) | (plane[pe] << pe);
    }
    plane += kRowWords;
  }
}

/// Does the stores of the iterations, and collects the words that they send to the tree.
void LoopJit::Form::run_bm_steps(const BlockTurns& turns, const Buffers& buffers) const {
  if (code.bm_steps.empty()) return;
  isa::LongWord* to = turns.collected;
  std::uint64_t* const bm = turns.state + simd::place::kBm;
  const std::size_t before = (carried_planes + left_planes) * kRowWords;
  for (unsigned turn = 0; turn < turns.turns; ++turn) {
    const std::uint64_t* const planes = buffers.results.data() + before + turn * stored_planes * kRowWords;
    for (const BmStep& step : code.bm_steps) {
      std::uint64_t* const at = bm + step.address;
      if (step.collects) {
        if (step.not_first && turns.begins && turn == 0) continue;
        for (unsigned n = 0; n < step.words; ++n) {
          const std::uint64_t down = at[2 * n + 1];
          *to++ = {(at[2 * n] << simd::kShortShift) | (down >> 8), static_cast<std::uint8_t>(down)};
        }
        continue;
      }
      if (step.pe >= turns.live_pes) continue;
      const std::uint64_t* const word = planes + plane_of[step.stored] * kRowWords + step.pe;
      at[0] = word[0] >> simd::kShortShift;
      if (code.stored[step.stored].is_long) at[1] = ((word[0] << 8) | word[kRowWords]) & isa::kShortMask;
    }
  }
}

/// Leaves room after the last words, because up to the widest vector may be read there.
void LoopJit::Form::make_room(Buffers& buffers, std::size_t states) const {
  const auto make = [](std::vector<std::uint64_t>& words, std::size_t count) {
    if (words.size() < count) words.resize(count);
  };
  make(buffers.records, (record_planes + 1) * code.target.plane_words());
  const unsigned turns = code.target.packed ? code.target.turns() : 1;
  make(buffers.shared, turns * turn_words() + code.target.plane_words());
  make(buffers.results, states * groups() * group_words());
}

namespace {

Buffers& buffers_of_thread() {
  thread_local Buffers buffers;
  return buffers;
}

}  // namespace

LoopJit::Form::Outcome LoopJit::Form::run(const BlockTurns& turns, const Others& /*others*/) const {
  Buffers& buffers = buffers_of_thread();
  make_room(buffers, 1);
  if (!take_records(turns, buffers)) return Outcome::inexact;

  const ExactnessWatch watch(code.target);
  buffers.scattered_pes = 0;
  const bool right = work_out_shared(turns, buffers) && run_turns(turns, buffers);
  if (const Outcome found = outcome(watch, right); found != Outcome::right) {
    take_back(turns, buffers);
    return found;
  }
  land(turns, buffers.results.data());
  run_bm_steps(turns, buffers);
  turns_run.fetch_add(turns.turns, std::memory_order_relaxed);
  return Outcome::right;
}

LoopJit::Form::Outcome LoopJit::Form::run_live(const BlockTurns& turns, const Others& others) const {
  DeadLanes dead(turns, lanes(), code.rows);
  Outcome found = Outcome::refused;
  const bool fills_first = dead.count() > 0 && dead_lanes_refuse.load(std::memory_order_relaxed);
  if (!fills_first) found = run(turns, others);
  if (found != Outcome::right && dead.count() > 0) {
    dead.fill();
    found = run(turns, others);
    dead.restore();
    if (found == Outcome::right) dead_lanes_refuse.store(true, std::memory_order_relaxed);
  }
  return found;
}

// ---- packed blocks -------------------------------------------------------------------------------------------------

LoopJit::Form::Outcome LoopJit::Form::work_out_shared(const PackedTurns& turns, Buffers& buffers) const {
  std::uint64_t right = all_lanes();
  for (unsigned turn = 0; turn < turns.turns; ++turn) {
    const isa::LongWord* const record = turns.record + turn * turns.record_step;
    if (turn + 1 < turns.turns) prefetch({record + turns.record_step, std::size_t{turns.blocks} * turns.record_words});
    const auto of_lane = [&](unsigned lane) {
      return record + std::min(lane % turns.places, turns.blocks - 1) * turns.record_words;
    };
    if (!take_vector(record, turns.record_words, turns.blocks == lanes(), turns.record_words, of_lane,
                     buffers.records.data())) {
      return Outcome::inexact;
    }
    right &= loaded->uniform(buffers.records.data(), turns.states, buffers.shared.data() + turn * turn_words());
  }
  return (right & all_lanes()) == all_lanes() ? Outcome::right : Outcome::refused;
}

bool LoopJit::Form::last_elements_are_alike(const PackedTurns& turns) const {
  if (!alike_words) return false;
  const unsigned state = states_of(turns, lanes()) - 1;
  const unsigned first = lanes_in_state(turns, state, lanes()) - lanes();
  const std::uint64_t* const words = turns.states + state * turns.state_words + first;
  const auto same = [&](unsigned a, unsigned b) {
    return std::memcmp(words + row_place(a), words + row_place(b), lanes() * sizeof *words) == 0;
  };
  const auto half = [&](unsigned row, unsigned lane) {
    const std::uint64_t* const pair = words + row_place(row & ~1U) + lane;
    const isa::LongWord word{pair[0], static_cast<std::uint8_t>(pair[kRowWords])};
    return row % 2 == 0 ? word.upper() : word.lower();
  };
  return std::ranges::all_of(*alike_words, [&](const Copied& each) {
    if (!each.is_half) return same(each.row, each.from) && (!each.is_long || same(each.row + 1, each.from + 1));
    for (unsigned lane = 0; lane < lanes(); ++lane) {
      if (half(each.row, lane).bits != half(each.from, lane).bits) return false;
    }
    return true;
  });
}

bool LoopJit::Form::fits(const Form& other) const {
  const auto same_carried = [](const Carried& a, const Carried& b) { return a.row == b.row && a.is_long == b.is_long; };
  const auto same_left = [](const Left& a, const Left& b) { return a.place == b.place && a.is_long == b.is_long; };
  return code.uniform == other.code.uniform && code.elements == other.code.elements &&
         code.leaves_all == other.code.leaves_all &&
         std::ranges::equal(code.carried, other.code.carried, same_carried) &&
         std::ranges::equal(code.left, other.code.left, same_left) &&
         std::ranges::equal(code.left_flags, other.code.left_flags, same_left);
}

bool LoopJit::Form::run_turns(const PackedTurns& turns, const Others& others, Buffers& buffers) const {
  buffers.done_again = 0;
  std::uint64_t* results = buffers.results.data();
  for (unsigned state = 0; state < states_of(turns, lanes()); ++state) {
    const unsigned end = lanes_in_state(turns, state, lanes());
    for (unsigned group = 0; group < groups(); ++group, results += group_words()) {
      for (unsigned lane = 0; lane < end; lane += lanes()) {
        const bool is_last = state + 1 == states_of(turns, lanes()) && lane + lanes() == end;
        const auto run_on = [&](const Form& form) {
          const std::uint64_t right =
              form.loaded->turns(buffers.shared.data(), turns.turns, turns.states + state * turns.state_words, results,
                                 lane, group * code.elements, turns.ends);
          return (right & all_lanes()) == all_lanes();
        };
        if (run_on(others.alike != nullptr && is_last ? *others.alike : *this)) continue;
        if (others.robust == nullptr || !run_on(*others.robust)) return false;
        ++buffers.done_again;
      }
    }
  }
  return true;
}

LoopJit::Form::Outcome LoopJit::Form::run(const PackedTurns& turns, const Others& others) const {
  Buffers& buffers = buffers_of_thread();
  make_room(buffers, states_of(turns, lanes()));

  const ExactnessWatch watch(code.target);
  Outcome found = work_out_shared(turns, buffers);
  if (found == Outcome::right) found = outcome(watch, run_turns(turns, others, buffers));
  if (found != Outcome::right) return watch.all_exact() ? found : Outcome::inexact;
  if (2 * buffers.done_again > turns.vectors * groups()) trust.refused(true);  // the robust form alone would be faster
  for_each_group(turns, buffers.results, [&](const BlockTurns& state, unsigned group, const std::uint64_t* results) {
    land_words(state, group, handed_on, results);
    if (!turns.ends) return;
    land_words(state, group, at_once, results);
    if (turns.late == nullptr) land_late(state, group, results);
  });
  if (turns.ends && turns.late != nullptr) std::swap(buffers.results, *turns.late);
  const std::uint64_t run = std::uint64_t{turns.turns} * turns.blocks;
  turns_run.fetch_add(run, std::memory_order_relaxed);
  packed_turns_run.fetch_add(run, std::memory_order_relaxed);
  if (others.alike != nullptr) alike_turns_run.fetch_add(run, std::memory_order_relaxed);
  return Outcome::right;
}

void LoopJit::Form::land_late(const PackedTurns& turns) const {
  for_each_group(turns, *turns.late, [&](const BlockTurns& state, unsigned group, const std::uint64_t* results) {
    land_late(state, group, results);
  });
}

void LoopJit::Form::land_again(const PackedTurns& turns) const {
  for_each_group(turns, *turns.late, [&](const BlockTurns& state, unsigned group, const std::uint64_t* results) {
    land_words(state, group, handed_on, results);
    land_words(state, group, at_once, results);
  });
}

// ---- what is compiled, and when ------------------------------------------------------------------------------------

LoopJit::LoopJit(const DecodedProgram& program, const simd::Schedule& schedule, simd::KernelSet kernels, JitUse use,
                 const simd::RowSet& of_body)
    : program_(program),
      schedule_(schedule),
      target_(code_target(kernels.isa).value_or(CodeTarget{})),
      use_(use),
      of_body_(of_body) {
  target_.host_doubles = kernels.arithmetic == simd::Arithmetic::host;
  const auto refuse = [this] {
    for (Functions& each : functions_) each.refused = true;
  };
  if (lines_of(program.steps(isa::Section::loop_body)).empty() || use == JitUse::never || !code_target(kernels.isa)) {
    refuse();
    return;
  }
  names_code_ = is_on(kPerfMapVariable);
  target_.names_lines = is_on(kDebuggerVariable);
  const LoopEdges edges = loop_edges(program);
  may_begin_ = edges.may_begin;
  refusal_ = edges.refusal;
  if (!refusal_.empty()) refuse();
  for (const DecodedStep& step : program.steps(isa::Section::loop_body)) {
    const auto* const collect = std::get_if<isa::CollectStep>(&step);
    if (collect == nullptr) continue;
    collected_a_turn_ += collect->words();
    if (collect->not_first) not_first_ += collect->words();
  }
}

LoopJit::~LoopJit() = default;

bool LoopJit::ready(std::uint64_t interactions) const { return ready(Filling::one_block, interactions); }
bool LoopJit::ready_packed(std::uint64_t interactions) const { return ready(Filling::packed, interactions); }

bool LoopJit::ready(Filling filling, std::uint64_t interactions) const {
  if (form(filling, Rounding::quick) != nullptr) return true;
  Functions& own = functions(filling);
  if (own.refused.load(std::memory_order_relaxed)) return false;
  const std::uint64_t before = own.interactions.fetch_add(interactions, std::memory_order_relaxed);
  const std::uint64_t all = before + interactions;
  const bool compiles = use_ == JitUse::always || all >= kWorthCompiling;
  const bool looks = compiles || (before < kWorthLooking && all >= kWorthLooking);
  if (looks) prepare(filling, Rounding::quick, compiles);
  return form(filling, Rounding::quick) != nullptr;
}

std::size_t LoopJit::collected_words(unsigned turns, bool begins) const {
  return turns * collected_a_turn_ - (turns > 0 && begins ? not_first_ : 0);
}

bool LoopJit::may_end() const {
  const Form* quick = form(Filling::one_block, Rounding::quick);
  return quick != nullptr && quick->code.leaves_all;
}

bool LoopJit::may_end_packed() const {
  const Form* quick = form(Filling::packed, Rounding::quick);
  return quick != nullptr && quick->code.leaves_all;
}

const std::vector<Left>& LoopJit::flags_left() const { return form(Filling::packed, Rounding::quick)->flags_left; }
const simd::RowSet& LoopJit::late() const { return form(Filling::packed, Rounding::quick)->late; }
const simd::RowSet& LoopJit::landed() const { return form(Filling::packed, Rounding::quick)->landed; }

// All forms for packed iterations leave the same words in the same places.
void LoopJit::land_late(const PackedTurns& turns) const { form(Filling::packed, Rounding::quick)->land_late(turns); }
void LoopJit::land_again(const PackedTurns& turns) const { form(Filling::packed, Rounding::quick)->land_again(turns); }

void LoopJit::prepare(Filling filling, Rounding rounding, bool compiles) const {
  // Other threads go on with the interpreter meanwhile. If bodies are always compiled, they wait.
  std::unique_lock lock(preparing_, std::defer_lock);
  if (use_ == JitUse::always) {
    lock.lock();
  } else if (!lock.try_lock()) {
    return;
  }
  const auto at = static_cast<std::size_t>(rounding);
  Functions& own = functions(filling);
  std::unique_ptr<Form>& form = own.forms[at];
  if (own.ready[at].load(std::memory_order_relaxed) != nullptr || (form != nullptr && form->failed)) return;
  try {
    if (form == nullptr) {
      form = std::make_unique<Form>();
      make(*form, filling, rounding);
    }
    if (!form->code.refusal.empty()) throw Error(form->code.refusal);
    const CodeCache cache = CodeCache::of_user();
    std::optional<CodeBytes> code;
    if (!target_.names_lines) code = cache.find(form->code.text, target_.cpu);
    if (!code && !compiles) return;
    if (!code) {
      code = compile(form->code.text, target_.cpu, target_.names_lines);
      if (!target_.names_lines) cache.keep(form->code.text, target_.cpu, *code);
    }
    form->loaded.emplace(*code);
    if (names_code_) add_to_perf_map(*form->loaded, name_of_body(filling, rounding));
    if (target_.names_lines) form->shown.emplace(std::move(code->object), form->loaded->begin());
    form->code.text.clear();
    own.ready[at].store(form.get(), std::memory_order_release);
  } catch (const Error& error) {
    form->failed = true;
    if (filling == Filling::one_block) refusal_ = error.what();
    if (rounding == Rounding::quick) own.refused = true;
  }
}

std::string LoopJit::name_of_body(Filling filling, Rounding rounding) const {
  const char* const kind = target_.host_doubles ? "native" : rounding == Rounding::quick ? "quick" : "robust";
  const char* const several = filling == Filling::one_block ? ""
                              : filling == Filling::packed  ? ", blocks side by side"
                                                            : ", blocks side by side, elements alike";
  return fmt::format("gdr {} loop body, {}{}", program_.program.kernel, kind, several);
}

void LoopJit::make(Form& form, Filling filling, Rounding rounding) const {
  CodeTarget target = target_;
  target.packed = filling != Filling::one_block;
  if (filling == Filling::packed_alike) {
    target.own_elements = 1;
    target.turns_at_once = kTurnsAtOnce;
  }
  form.code = make_body_code(make_body_graph(program_, schedule_, target), rounding, target);
  if (target.names_lines) form.code.text += source_lines(program_.program, name_of_body(filling, rounding));
  if (target.packed && form.code.refusal.empty() && (!form.code.bm_steps.empty() || form.code.reads_flags)) {
    form.code.refusal = "it stores to broadcast memory, or reads flags that it does not write";
  }
  if (filling == Filling::packed && rounding == Rounding::quick && form.code.refusal.empty() &&
      form.code.elements == isa::kVectorElements && form.code.stored.empty() && form.code.scatters == 0) {
    target.own_elements = 1;
    BodyGraph alike = make_body_graph(program_, schedule_, target);
    if (alike.refusal.empty()) form.alike_words = std::move(alike.copied);
  }
  if (filling == Filling::packed_alike && form.code.refusal.empty() &&
      !form.fits(*this->form(Filling::packed, rounding))) {
    form.code.refusal = "its elements differ";
  }
  for (const RecordWord& word : form.code.record_words) form.record_planes += word.planes();
  for (const Carried& carried : form.code.carried) form.carried_planes += carried.is_long ? 2 : 1;
  for (const Left& left : form.code.left) form.left_planes += left.is_long ? 2 : 1;
  form.left_planes += form.code.left_flags.size();
  for (const Stored& stored : form.code.stored) {
    form.plane_of.push_back(static_cast<std::uint32_t>(form.stored_planes));
    form.stored_planes += stored.is_long ? 2 : 1;
  }
  form.stored_planes += std::size_t{form.code.scatters} * form.code.scatter_planes;
  form.find_landing(target.packed ? of_body_ : simd::RowSet());
}

void LoopJit::Form::find_landing(const simd::RowSet& of_body) {
  unsigned plane = 0;
  const auto word_at = [&](unsigned row, bool is_long) {
    const PlaneWord word{row, plane, is_long};
    plane += word.rows();
    return word;
  };
  const auto rows_of = [&](const PlaneWord& word) {
    simd::RowSet rows;
    for (unsigned group = 0; group < groups(); ++group) rows.add({word.row_of(group, code.elements), word.rows()});
    return rows;
  };
  for (const Carried& carried : code.carried) {
    handed_on.push_back(word_at(carried.row, carried.is_long));
    landed |= rows_of(handed_on.back());
  }
  for (const Left& left : code.left) {
    const PlaneWord word = word_at(left.place, left.is_long);
    const simd::RowSet rows = rows_of(word);
    const bool waits = rows.within(of_body, {});
    (waits ? waiting : at_once).push_back(word);
    if (waits) late |= rows;
    landed |= rows;
  }
  for (unsigned group = 0; group < groups(); ++group) {
    for (Left left : code.left_flags) {
      left.place += group * code.elements;
      flags_left.push_back(left);
    }
  }
}

std::string LoopJit::refusal() const {
  const std::lock_guard lock(preparing_);
  return refusal_;
}

template <class Turns>
bool LoopJit::run_on_forms(Filling filling, const Turns& turns, const Form* alike) const {
  using Outcome = Form::Outcome;
  const auto run_on = [&](const Form& form, const Form::Others& others) {
    if (!form.trust.given()) return Outcome::refused;
    const Outcome outcome = form.run_live(turns, others);
    outcome == Outcome::right ? form.trust.passed() : form.trust.refused(outcome == Outcome::refused);
    return outcome;
  };
  const Form* quick = form(filling, Rounding::quick);
  if (quick == nullptr) return false;
  const Form* robust = form(filling, Rounding::robust);
  const bool may_mix = robust != nullptr && robust->code.shared == quick->code.shared &&
                       robust->code.shared_words == quick->code.shared_words;
  const Outcome outcome = run_on(*quick, {alike, may_mix ? robust : nullptr});
  if (outcome != Outcome::refused || target_.host_doubles) return outcome == Outcome::right;
  if (robust == nullptr && (use_ == JitUse::always || quick->trust.often_refused())) {
    prepare(filling, Rounding::robust, true);
    robust = form(filling, Rounding::robust);
  }
  return robust != nullptr && run_on(*robust, {}) == Outcome::right;
}

bool LoopJit::run(const BlockTurns& turns) const { return run_on_forms(Filling::one_block, turns, nullptr); }

bool LoopJit::run(const PackedTurns& turns) const {
  const Form* const quick = form(Filling::packed, Rounding::quick);
  if (quick == nullptr) return false;
  const std::uint64_t interactions = std::uint64_t{turns.turns} * turns.vectors * target_.lanes * isa::kVectorElements;
  // If a run's i-particles do not fill their PEs, the last PE holds repeats of one.
  const bool repeats =
      turns.turns > kTurnsAtOnce && quick->last_elements_are_alike(turns) && ready(Filling::packed_alike, interactions);
  return run_on_forms(Filling::packed, turns, repeats ? form(Filling::packed_alike, Rounding::quick) : nullptr);
}

}  // namespace gdr::emulator::jit
