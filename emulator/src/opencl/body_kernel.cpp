#include "body_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "body_parts.h"
#include "gdr/base/error.h"
#include "line/micro_op.h"
#include "machine.h"
#include "machine_text.h"

namespace gdr::emulator::opencl {
namespace {

using jit::BodyCode;

/// After so many successive refusals of the quick form a work-group has only the robust form for its remaining turns.
constexpr unsigned kQuickRefusals = 3;

/// Definitions of the names that the functions use, for vectors of this width.
std::string vector_names(unsigned lanes) {
  std::string text =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "#pragma OPENCL FP_CONTRACT OFF\n";
  const auto define = [&](std::string_view name, const std::string& value) {
    text += fmt::format("#define {} {}\n", name, value);
  };
  const std::string width = lanes == 1 ? "" : std::to_string(lanes);
  define("LANES", std::to_string(lanes));
  define("D", "double" + width);
  define("I", "ulong" + width);
  define("BITS", "as_ulong" + width);
  define("AS_BITS", "as_ulong" + width);
  define("AS_SIGNED", "as_long" + width);
  define("HALVES", fmt::format("as_uint{}", 2 * lanes));
  define("NUMBERS", "as_double" + width);
  if (lanes == 1) {
    define("FLAG(c)", "(0UL - (ulong)(c))");
    define("LOAD(p)", "(*(p))");
    define("STORE(v, p)", "(*(p) = (v))");
    define("LOAD_FLAGS(p)", "((ulong)*(p))");
    define("LANE_NUMBERS", "0UL");
    define("ALL(flags)", "((flags) != 0)");
  } else {
    define("FLAG(c)", fmt::format("as_ulong{}(c)", lanes));
    define("LOAD(p)", fmt::format("vload{}(0, p)", lanes));
    define("STORE(v, p)", fmt::format("vstore{}(v, 0, p)", lanes));
    define("LOAD_FLAGS(p)", fmt::format("convert_ulong{0}(vload{0}(0, p))", lanes));
    std::string numbers;
    for (unsigned lane = 0; lane < lanes; ++lane) numbers += fmt::format("{}{}UL", lane == 0 ? "" : ", ", lane);
    define("LANE_NUMBERS", fmt::format("(ulong{})({})", lanes, numbers));
    define("ALL(flags)", fmt::format("all(as_long{}(flags))", lanes));
  }
  define("PES", std::to_string(kPesPerBlock));
  define("ITEMS", "(PES / LANES * GROUPS)");
  define("BLOCKS", std::to_string(kBlocks));
  define("FLAGS", std::to_string(isa::kFlags));
  define("TURNS", std::to_string(jit::kTurns));
  define("BM_PLACE", std::to_string(kBmPlace));
  define("BLOCK_WORDS", std::to_string(kBlockWords));
  return text;
}

unsigned planes_of(bool is_long) { return is_long ? 2 : 1; }

/// A table in constant memory. OpenCL C has no empty tables.
std::string table(std::string_view name, const std::vector<std::vector<unsigned>>& rows, unsigned columns) {
  std::string text = fmt::format("__constant uint {}[][{}] = {{", name, columns);
  if (rows.empty()) text += "{0}";
  for (const std::vector<unsigned>& row : rows) {
    text += "{";
    for (const unsigned each : row) text += fmt::format("{},", each);
    text += "},";
  }
  return text + "};\n";
}

/// Runs `count` turns, at most TURNS, on one form; FORM makes the form's names. Returns 1 if all results are right and
/// 0 if any is refused, the same in all work-items of the group.
constexpr const char* kChunk = R"(
uint FORM(chunk)(__global const struct TaskCode* task, ulong first, uint count, __global const ulong* memory,
                 __global const ulong* state, __global const uint* flags, __local ulong* records, __local ulong* share,
                 __local uint* refused, __global ulong* results, uint lane, uint group) {
  const uint item = get_local_id(0);
  for (uint turn = item; turn < TURNS; turn += ITEMS) {
    const ulong record = (first + min(turn, count - 1)) * BLOCKS + task->block;
    __global const ulong* from = memory + 2 * (task->record + record * RECORD_WORDS);
    for (uint n = 0, plane = 0; n < FORM(record_words); ++n) {
      const uint address = FORM(recorded)[n][0];
      const ulong high = from[2 * (address / 2)];
      const ulong low = from[2 * (address / 2) + 1] & 255;
      if (FORM(recorded)[n][1]) {
        records[plane++ * TURNS + turn] = high;
        records[plane++ * TURNS + turn] = low;
      } else {
        records[plane++ * TURNS + turn] = address % 2 == 0 ? high & ~0xfffffffUL : (high << 36) | (low << 28);
      }
    }
  }
  if (item == 0) *refused = 0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (group == 0 && !ALL(FORM(uniform_values)(records + lane, state, share + lane))) *refused = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint shared_right = !*refused;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (shared_right && lane < task->live_pes) {
    const I live = FLAG(LANE_NUMBERS + (I)(lane) < (I)(task->live_pes));
    const I right = FORM(turns)(share, count, state, flags, results, lane, group * GROUP_ELEMENTS);
    if (!ALL(right | ~live)) *refused = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint right = !*refused;
  barrier(CLK_LOCAL_MEM_FENCE);
  return right;
}
)";

/// The kernel. The numbers, tables and functions that it uses are put before it.
constexpr const char* kKernel = R"(
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void run_turns(
    __global const struct TaskCode* tasks, __global ulong* all_states, __global uint* all_flags,
    __global const ulong* memory, __global ulong* collected, __global ulong* scratch, __global ulong* turns_done) {
  __local ulong records[(RECORD_PLANES + 1) * TURNS];
  __local ulong share[(SHARED_WORDS + 1) * TURNS];
  __local uint refused;
  const uint item = get_local_id(0);
  const uint lane = item % (PES / LANES) * LANES;
  const uint group = item / (PES / LANES);
  __global const struct TaskCode* task = tasks + get_group_id(0);
  __global ulong* state = all_states + (ulong)task->place * BLOCK_WORDS;
  __global ulong* bm = state + BM_PLACE;
  __global uint* flags = all_flags + task->place * PES;
  __global ulong* results = scratch + (get_group_id(0) * GROUPS + group) * (ulong)GROUP_WORDS;
  __global ulong* to = collected + 2 * task->collected;
  ulong first = task->first_turn;
  ulong end = task->end_turn;
  uint refusals = 0;  // of the quick form, one after the other
  while (first < end) {
    const uint count = (uint)min((ulong)TURNS, end - first);
    uint right = 0;
    if (refusals < QUICK_REFUSALS) {
      right = quick_chunk(task, first, count, memory, state, flags, records, share, &refused, results, lane, group);
      refusals = right ? 0 : refusals + 1;
    }
#if HAS_ROBUST
    if (!right) {
      right = robust_chunk(task, first, count, memory, state, flags, records, share, &refused, results, lane, group);
    }
#endif
    if (!right) {
      end = first;
    } else {
      const int last = task->ends && first + count == task->end_turn;
      if (lane < task->live_pes) {
        __global const ulong* plane = results + lane;
        const uint landings = landing_end[group][last];
        for (uint n = landing_begin[group][0]; n < landings; ++n) {
          __global ulong* row = state + landing[n][0] * PES + lane;
          const I high = LOAD(plane);
          STORE(high >> 28, row);
          plane += PES;
          if (landing[n][1]) {
            const I lower = ((high & 0xfffffffUL) << 8) | LOAD(plane);
            STORE(lower, row + PES);
            plane += PES;
          }
        }
        const uint flags_end = last ? flags_begin[group + 1][0] : flags_begin[group][0];
        for (uint n = flags_begin[group][0]; n < flags_end; ++n, plane += PES) {
          for (uint of_item = 0; of_item < LANES; ++of_item) {
            // All flags of a PE are in one word, whichever group leaves them.
            if (plane[of_item] != 0) {
              atomic_or(flags + lane + of_item, left_flags[n][0]);
            } else {
              atomic_and(flags + lane + of_item, ~left_flags[n][0]);
            }
          }
        }
      }
      // Broadcast memory, in the machine's order.
      for (uint turn = 0; BM_STEPS > 0 && item == 0 && turn < count; ++turn) {
        __global const ulong* planes = results + (PLANES + turn * STORED_PLANES) * PES;
        for (uint n = 0; n < BM_STEPS; ++n) {
          __constant uint* step = bm_steps[n];
          __global ulong* at = bm + step[2];
          if (step[0]) {
            if (step[1] && task->begins && first + turn == 0) continue;
            for (uint w = 0; w < step[3]; ++w) {
              *to++ = (at[2 * w] << 28) | (at[2 * w + 1] >> 8);
              *to++ = at[2 * w + 1] & 255;
            }
          } else if (step[5] < task->live_pes) {
            __global const ulong* word = planes + step[3] * PES + step[5];
            at[0] = word[0] >> 28;
            if (step[4]) at[1] = ((word[0] & 0xfffffffUL) << 8) | word[PES];
          }
        }
      }
      first += count;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (item == 0) {
    turns_done[get_group_id(0)] = first;
    // Broadcast memory holds two records.
    for (ulong turn = first >= task->first_turn + 2 ? first - 2 : task->first_turn; turn < first; ++turn) {
      __global const ulong* from = memory + 2 * (task->record + (turn * BLOCKS + task->block) * RECORD_WORDS);
      __global ulong* at = bm + (turn % 2 == 0 ? 0 : 2 * RECORD_WORDS);
      for (uint w = 0; w < RECORD_WORDS; ++w) {
        at[2 * w] = from[2 * w] >> 28;
        at[2 * w + 1] = ((from[2 * w] & 0xfffffffUL) << 8) | (from[2 * w + 1] & 255);
      }
    }
  }
}
)";

/// The functions of a form under names that begin with the form's.
std::string form_text(const BodyCode& code, std::string_view name) {
  std::vector<std::vector<unsigned>> recorded;
  for (const jit::RecordWord& word : code.record_words) recorded.push_back({word.address, word.is_long ? 1U : 0U});
  return fmt::format(
             "#define FORM(name) {0}_##name\n#define turns {0}_turns\n#define uniform_values {0}_uniform_values\n"
             "#define {0}_record_words {1}\n",
             name, recorded.size()) +
         table(fmt::format("{}_recorded", name), recorded, 2) + code.text + kChunk +
         "#undef FORM\n#undef turns\n#undef uniform_values\n";
}

unsigned record_planes(const BodyCode& code) {
  unsigned planes = 0;
  for (const jit::RecordWord& word : code.record_words) planes += planes_of(word.is_long);
  return planes;
}

/// Tables of the places in the state to which the results of a chunk go, for each group: the work-items with the same
/// vector elements.
struct Landings {
  std::vector<std::vector<unsigned>> words;        // row, and 1 if it is long
  std::vector<std::vector<unsigned>> begin;        // of each group, in `words`
  std::vector<std::vector<unsigned>> end;          // of carried words, and of those that the last turn leaves
  std::vector<std::vector<unsigned>> flags;        // a flag's bit in the word of a PE
  std::vector<std::vector<unsigned>> flags_begin;  // of each group, in `flags`, and their end
  unsigned planes = 0;                             // of a group

  /// `element`: the group's first, counted from those of the graph.
  void add(const jit::BodyGraph& graph, bool leaves_all, unsigned element) {
    planes = 0;
    const auto add_word = [&](unsigned row, bool is_long) {
      words.push_back({row + (is_long ? 2 * element : element), is_long ? 1U : 0U});
      planes += planes_of(is_long);
    };
    const auto count = [](const auto& list) { return static_cast<unsigned>(list.size()); };
    begin.push_back({count(words)});
    flags_begin.push_back({count(flags)});
    for (const jit::Carried& carried : graph.carried) add_word(carried.row, carried.is_long);
    const unsigned end_of_carried = count(words);
    if (leaves_all) {
      for (const jit::Left& left : graph.left) add_word(left.place, left.is_long);
      for (const jit::Left& left : graph.left_flags) {
        const unsigned place = left.place + element;
        flags.push_back({1U << (isa::kFlags * (place % isa::kVectorElements) + place / isa::kVectorElements - 1)});
        ++planes;
      }
    }
    end.push_back({end_of_carried, count(words)});
  }
};

unsigned planes_stored(const BodyCode& code) {
  unsigned planes = 0;
  for (const jit::Stored& stored : code.stored) planes += planes_of(stored.is_long);
  return planes;
}

std::vector<std::vector<unsigned>> steps_in_bm(const BodyCode& code) {
  std::vector<unsigned> plane_of_stored;
  unsigned plane = 0;
  for (const jit::Stored& stored : code.stored) {
    plane_of_stored.push_back(plane);
    plane += planes_of(stored.is_long);
  }
  std::vector<std::vector<unsigned>> steps;
  for (const jit::BmStep& step : code.bm_steps) {
    const bool is_long = !step.collects && code.stored[step.stored].is_long;
    steps.push_back({step.collects ? 1U : 0U, step.not_first ? 1U : 0U, step.address,
                     step.collects ? step.words : plane_of_stored[step.stored], is_long ? 1U : 0U, step.pe});
  }
  return steps;
}

}  // namespace

BodyKernel make_body_kernel(const jit::BodyGraph& graph, unsigned lanes, const DecodedProgram& program) {
  // A device without vectors has work-items to spare, and an element alone needs fewer registers.
  const std::vector<jit::BodyGraph> parts = lanes == 1 ? element_parts(graph) : std::vector{graph};
  const jit::CodeTarget target{"", lanes, false, jit::CodeLanguage::opencl_c};
  const BodyCode quick = jit::make_body_code(parts.front(), jit::Rounding::quick, target);
  const BodyCode robust = jit::make_body_code(parts.front(), jit::Rounding::robust, target);
  BodyKernel kernel;
  kernel.refusal = quick.refusal;
  kernel.leaves_all = quick.leaves_all;
  if (!kernel.refusal.empty()) return kernel;

  const bool divided = parts.size() > 1;
  const unsigned groups = divided ? isa::kVectorElements : isa::kVectorElements / graph.elements;
  Landings landings;
  for (unsigned group = 0; group < groups; ++group) {
    landings.add(parts[divided ? group : 0], quick.leaves_all, divided ? 0 : group * graph.elements);
  }
  landings.flags_begin.push_back({static_cast<unsigned>(landings.flags.size())});
  const std::vector<std::vector<unsigned>> bm_steps = steps_in_bm(quick);
  // In a body without short results nothing is near a tie, and both forms are the same.
  const bool has_robust = quick.text != robust.text;
  const unsigned group_words = (landings.planes + jit::kTurns * planes_stored(quick)) * kPesPerBlock;
  kernel.forms = has_robust ? 2 : 1;
  kernel.items = kPesPerBlock / lanes * groups;
  kernel.scratch_words = std::size_t{groups} * group_words;

  std::string numbers;
  const auto define = [&](std::string_view name, std::size_t value) {
    numbers += fmt::format("#define {} {}\n", name, value);
  };
  define("RECORD_WORDS", program.program.record_words);
  define("RECORD_PLANES", std::max(record_planes(quick), record_planes(robust)));
  define("SHARED_WORDS", std::max(quick.shared_words, robust.shared_words));
  define("PLANES", landings.planes);
  define("STORED_PLANES", planes_stored(quick));
  define("BM_STEPS", bm_steps.size());
  define("GROUPS", groups);
  define("GROUP_ELEMENTS", isa::kVectorElements / groups);
  define("GROUP_WORDS", group_words);
  define("HAS_ROBUST", has_robust ? 1 : 0);
  define("QUICK_REFUSALS", kQuickRefusals);
  kernel.source = std::string(kMachineTypes) + vector_names(lanes) + numbers + table("landing", landings.words, 2) +
                  table("landing_begin", landings.begin, 1) + table("landing_end", landings.end, 2) +
                  table("left_flags", landings.flags, 1) + table("flags_begin", landings.flags_begin, 1) +
                  table("bm_steps", bm_steps, 6) + form_text(quick, "quick") +
                  (has_robust ? form_text(robust, "robust") : "") + kKernel;
  return kernel;
}

}  // namespace gdr::emulator::opencl
