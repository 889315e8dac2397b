#include "body_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "body_parts.h"
#include "kernel_text.h"
#include "line/micro_op.h"
#include "machine.h"
#include "machine_text.h"
#include "split_kernel.h"

namespace gdr::emulator::opencl {
namespace {

using jit::BodyCode;

/// Runs `count` turns, at most TURNS, on one form; FORM makes the form's names. Returns 1 if all results are right and
/// 0 if any is refused, the same in all work-items of the group.
constexpr const char* kTurnsChunk = R"(
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
constexpr const char* kTurnsKernel = R"(
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void run_turns(
    __global const struct TaskCode* tasks, uint first_task, __global ulong* all_states, __global uint* all_flags,
    __global const ulong* memory, __global ulong* collected, __global ulong* scratch, __global ulong* turns_done) {
  __local ulong records[(RECORD_PLANES + 1) * TURNS];
  __local ulong share[(SHARED_WORDS + 1) * TURNS];
  __local uint refused;
  const uint item = get_local_id(0);
  const uint lane = item % (PES / LANES) * LANES;
  const uint group = item / (PES / LANES);
  __global const struct TaskCode* task = tasks + first_task + get_group_id(0);
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

BodyKernel make_body_kernel(const jit::BodyGraph& graph, const DeviceShape& shape, const DecodedProgram& program) {
  const unsigned lanes = shape.lanes;
  // A device without vectors has work-items to spare, and an element alone needs fewer registers.
  const std::vector<jit::BodyGraph> parts = lanes == 1 ? element_parts(graph) : std::vector{graph};
  if (lanes == 1 && shape.ways > 1) {
    BodyKernel split = make_split_kernel(parts, shape, program);
    if (split.refusal.empty()) return split;
  }
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
  define("ITEMS", kernel.items);
  numbers +=
      "#define RECORDS __local const ulong*\n#define SHARE __local ulong*\n"
      "#define RECORD(plane) LOAD(records + (plane) * TURNS)\n";
  define("GROUPS", groups);
  define("GROUP_ELEMENTS", isa::kVectorElements / groups);
  define("GROUP_WORDS", group_words);
  define("HAS_ROBUST", has_robust ? 1 : 0);
  define("QUICK_REFUSALS", kQuickRefusals);
  kernel.source = std::string(kMachineTypes) + vector_names(lanes) + numbers + landings.text() +
                  table("bm_steps", bm_steps, 6) + form_text(quick, "quick", kTurnsChunk) +
                  (has_robust ? form_text(robust, "robust", kTurnsChunk) : "") + kTurnsKernel;
  return kernel;
}

}  // namespace gdr::emulator::opencl
