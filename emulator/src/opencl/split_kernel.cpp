#include "split_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernel_text.h"
#include "line/micro_op.h"
#include "machine.h"
#include "machine_text.h"

namespace gdr::emulator::opencl {
namespace {

using jit::BodyCode;

static_assert(jit::kTurns == kPesPerBlock, "the work-items of a slot are PEs, or iterations of a call");

/// Runs `count` turns, at most TURNS, on one form; FORM makes the form's names. Returns 1 if all results are right and
/// 0 if any is refused, the same in all work-items of the group.
///
/// Values that are equal in all PEs are computed for WAYS calls at once, by one work-item for each turn, if `fills`:
/// one after the other they would keep most work-items waiting. `number`: of this call among them; bad: a bit of each.
constexpr const char* kSplitChunk = R"(
uint FORM(chunk)(__global const struct TaskCode* task, ulong first, uint count, uint leaves, uint number, uint fills,
                 __global const ulong* memory, __global const ulong* state, __global const uint* flags,
                 __local ulong* operands, __local ulong* share, __global ulong* shared, __local const ulong* words,
                 __local ulong* kept, __local uint* refused, __local uint* bad, __global ulong* results, uint lane,
                 uint part, uint slot) {
  // Barriers are outside of conditions, where compilers for CPUs take longer for them.
  if (fills && lane == 0 && slot == 0) *bad = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (fills && first + slot * TURNS < task->end_turn) {
    const ulong turn = min(first + slot * TURNS + lane, task->end_turn - 1);
    __global const ulong* records = memory + 2 * (task->record + (turn * BLOCKS + task->block) * RECORD_WORDS);
    if (!ALL(FORM(uniform_values)(records, state, shared + slot * (SHARED_WORDS * TURNS) + lane)))
      atomic_or(bad, 1u << slot);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  __global const ulong* from = shared + number * (SHARED_WORDS * TURNS) + lane;
  for (uint n = slot; n < SHARED_WORDS; n += WAYS) share[n * TURNS + lane] = from[n * TURNS];
  if (lane == 0 && slot == 0) *refused = (*bad >> number) & 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint shared_right = !*refused;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (shared_right) {
    const I right = FORM(turns)(share, count, leaves, state, flags, results, words, kept, operands, lane,
                                part * PART_ELEMENTS, slot);
    // Other PEs compute, too, because all work-items meet at barriers. Nobody looks at what they find.
    if (lane < task->live_pes && !ALL(right)) *refused = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint right = !*refused;
  barrier(CLK_LOCAL_MEM_FENCE);
  return right;
}
)";

/// The kernels. The numbers, tables and functions that they use are put before them.
///
/// Neither part of a block touches its state, since another part may stop earlier. `land` writes the words of blocks
/// whose parts got equally far. For others it only says where the first one stopped: they must run again up to there.
constexpr const char* kSplitKernels = R"(
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void run_turns(
    __global const struct TaskCode* tasks, uint first_task, __global const ulong* all_states, __global const uint* all_flags,
    __global const ulong* memory, __global ulong* scratch, __global ulong* parts_done) {
  __local ulong operands[BUFFERS * OPERAND_WORDS * WAYS * PES];
  __local ulong share[(SHARED_WORDS + 1) * TURNS];
  __local ulong words[2][CARRIED_PLANES * PES];
  __local uint refused;
  __local uint bad;
  const uint lane = get_local_id(0) % PES;
  const uint slot = get_local_id(0) / PES;
  const uint part = get_group_id(0) % PARTS;
  __global const struct TaskCode* task = tasks + first_task + get_group_id(0) / PARTS;
  __global const ulong* state = all_states + (ulong)task->place * BLOCK_WORDS;
  __global const uint* flags = all_flags + task->place * PES;
  __global ulong* results = scratch + get_group_id(0) * (ulong)PART_WORDS;
  __global ulong* shared = results + PLANES * PES;
  for (uint n = landing_begin[part][0] + slot; n < landing_end[part][0]; n += WAYS) {
    __global const ulong* row = state + landing[n][0] * PES + lane;
    __local ulong* to = words[0] + landing[n][2] * PES + lane;
    if (landing[n][1]) {
      to[0] = (row[0] << 28) | (row[PES] >> 8);
      to[PES] = row[PES] & 255;
    } else {
      to[0] = row[0] << 28;
    }
  }
  uint at = 0;  // of the words
  ulong first = task->first_turn;
  ulong end = task->end_turn;
  uint refusals = 0;  // of the quick form, one after the other
  // The turns for which `shared` has values, and the form: 0 quick, 1 robust, 2 none.
  ulong first_shared = 0;
  uint form = 2;
  while (first < end) {
    const uint count = (uint)min((ulong)TURNS, end - first);
    const uint leaves = task->ends && first + count == task->end_turn;
    uint right = 0;
    if (refusals < QUICK_REFUSALS) {
      const uint fills = form != 0 || first >= first_shared + WAYS * TURNS;
      if (fills) first_shared = first;
      form = 0;
      right = quick_chunk(task, first, count, leaves, (uint)(first - first_shared) / TURNS, fills, memory, state, flags,
                          operands, share, shared, words[at], words[1 - at], &refused, &bad, results, lane, part, slot);
      refusals = right ? 0 : refusals + 1;
    }
#if HAS_ROBUST
    if (!right) {
      const uint fills = form != 1 || first >= first_shared + WAYS * TURNS;
      if (fills) first_shared = first;
      form = 1;
      right = robust_chunk(task, first, count, leaves, (uint)(first - first_shared) / TURNS, fills, memory, state,
                           flags, operands, share, shared, words[at], words[1 - at], &refused, &bad, results, lane,
                           part, slot);
    }
#endif
    if (right) {
      first += count;
      at = 1 - at;
    } else {
      end = first;
    }
  }
  for (uint n = slot; n < CARRIED_PLANES; n += WAYS) results[n * PES + lane] = words[at][n * PES + lane];
  if (get_local_id(0) == 0) parts_done[get_group_id(0)] = first;
}

/// turns_done: of each task the turn that it reached, and 1 if its words have landed.
__kernel __attribute__((reqd_work_group_size(PES * PARTS, 1, 1))) void land(
    __global const struct TaskCode* tasks, uint first_task, __global ulong* all_states, __global uint* all_flags,
    __global const ulong* memory, __global const ulong* scratch, __global const ulong* parts_done,
    __global ulong* turns_done) {
  const uint number = get_group_id(0);
  const uint item = get_local_id(0);
  const uint lane = item % PES;
  const uint part = item / PES;
  __global const struct TaskCode* task = tasks + first_task + number;
  ulong least = parts_done[number * PARTS];
  ulong most = least;
  for (uint n = 1; n < PARTS; ++n) {
    least = min(least, parts_done[number * PARTS + n]);
    most = max(most, parts_done[number * PARTS + n]);
  }
  if (item == 0) {
    turns_done[2 * number] = least;
    turns_done[2 * number + 1] = least == most;
  }
  if (least != most || least == task->first_turn) return;
  __global ulong* state = all_states + (ulong)task->place * BLOCK_WORDS;
  __global uint* flags = all_flags + task->place * PES + lane;
  const int last = task->ends && least == task->end_turn;
  if (lane < task->live_pes) {
    __global const ulong* plane = scratch + (number * PARTS + part) * (ulong)PART_WORDS + lane;
    const uint landings = landing_end[part][last];
    for (uint n = landing_begin[part][0]; n < landings; ++n) {
      __global ulong* row = state + landing[n][0] * PES + lane;
      __global const ulong* from = plane + landing[n][2] * PES;
      row[0] = from[0] >> 28;
      if (landing[n][1]) row[PES] = ((from[0] & 0xfffffffUL) << 8) | from[PES];
    }
    const uint flags_end = last ? flags_begin[part + 1][0] : flags_begin[part][0];
    const uint first_flag = flags_begin[part][0];
    for (uint n = first_flag; n < flags_end; ++n) {
      // All flags of a PE are in one word, whichever part leaves them.
      if (plane[(PLANES - FLAG_PLANES + n - first_flag) * PES] != 0) {
        atomic_or(flags, left_flags[n][0]);
      } else {
        atomic_and(flags, ~left_flags[n][0]);
      }
    }
  }
  // Broadcast memory holds two records.
  for (ulong turn = least >= task->first_turn + 2 ? least - 2 : task->first_turn; turn < least; ++turn) {
    __global const ulong* from = memory + 2 * (task->record + (turn * BLOCKS + task->block) * RECORD_WORDS);
    __global ulong* at = state + BM_PLACE + (turn % 2 == 0 ? 0 : 2 * RECORD_WORDS);
    for (uint w = item; w < RECORD_WORDS; w += PES * PARTS) {
      at[2 * w] = from[2 * w] >> 28;
      at[2 * w + 1] = ((from[2 * w] & 0xfffffffUL) << 8) | (from[2 * w + 1] & 255);
    }
  }
}
)";

/// Buffers of operands that fit into local memory with so many ways: two, one, or none if the ways do not fit.
unsigned buffers_in(const BodyCode& quick, const BodyCode& robust, unsigned carried_planes, unsigned ways,
                    std::size_t local_memory_bytes) {
  constexpr std::size_t kSmall = 64;  // bytes of single words, and what a compiler adds
  const std::size_t shared = std::size_t{std::max(quick.shared_words, robust.shared_words) + 1} * jit::kTurns;
  const std::size_t operands = std::size_t{std::max(quick.operand_words, robust.operand_words)} * ways * kPesPerBlock;
  for (const unsigned buffers : {2U, 1U}) {
    const std::size_t words = buffers * operands + shared + std::size_t{2} * carried_planes * kPesPerBlock;
    if (words * kWordBytes + kSmall <= local_memory_bytes) return buffers;
  }
  return 0;
}

}  // namespace

BodyKernel make_split_kernel(const std::vector<jit::BodyGraph>& parts, const DeviceShape& shape,
                             const DecodedProgram& program) {
  BodyKernel kernel;
  const jit::BodyGraph& graph = parts.front();
  kernel.refusal = jit::split_body(graph).refusal;
  if (!kernel.refusal.empty()) return kernel;
  unsigned carried_planes = 0;
  for (const jit::Carried& carried : graph.carried) carried_planes += planes_of(carried.is_long);
  jit::CodeTarget target{"", 1, false, jit::CodeLanguage::opencl_c};
  BodyCode quick;
  BodyCode robust;
  unsigned buffers = 0;
  for (unsigned ways = shape.ways; ways > 1 && buffers == 0; ways /= 2) {
    if (std::size_t{ways} * kPesPerBlock > shape.largest_group) continue;
    target.ways = ways;
    quick = jit::make_body_code(graph, jit::Rounding::quick, target);
    robust = jit::make_body_code(graph, jit::Rounding::robust, target);
    kernel.refusal = quick.refusal;
    if (!kernel.refusal.empty()) return kernel;
    buffers = buffers_in(quick, robust, carried_planes, ways, shape.local_memory_bytes);
  }
  if (buffers == 0) {
    kernel.refusal = "the operands of iterations side by side do not fit into the device's local memory";
    return kernel;
  }
  const bool divided = parts.size() > 1;
  kernel.parts = divided ? static_cast<unsigned>(parts.size()) : isa::kVectorElements / graph.elements;
  Landings landings;
  for (unsigned part = 0; part < kernel.parts; ++part) {
    landings.add(parts[divided ? part : 0], quick.leaves_all, divided ? 0 : part * graph.elements);
  }
  landings.flags_begin.push_back({static_cast<unsigned>(landings.flags.size())});
  const bool has_robust = quick.text != robust.text;
  kernel.leaves_all = quick.leaves_all;
  kernel.forms = has_robust ? 2 : 1;
  kernel.ways = target.ways;
  kernel.items = kPesPerBlock * target.ways;
  const unsigned shared_words = std::max(quick.shared_words, robust.shared_words);
  const std::size_t part_words = landings.planes * kPesPerBlock + target.ways * shared_words * jit::kTurns;
  kernel.scratch_words = kernel.parts * part_words;
  std::string numbers;
  const auto define = [&](std::string_view name, std::size_t value) {
    numbers += fmt::format("#define {} {}\n", name, value);
  };
  define("WAYS", target.ways);
  define("BUFFERS", buffers);
  define("OPERAND_WORDS", std::max(quick.operand_words, robust.operand_words));
  define("PART_WORDS", part_words);
  numbers +=
      "#define RECORDS __global const ulong*\n#define SHARE __global ulong*\n#define RECORD(plane) "
      "FORM(record_##plane)\n";
  define("ITEMS", kernel.items);
  define("RECORD_WORDS", program.program.record_words);
  define("SHARED_WORDS", shared_words);
  define("CARRIED_PLANES", carried_planes);
  define("PLANES", landings.planes);
  define("FLAG_PLANES", quick.left_flags.size());
  define("PARTS", kernel.parts);
  define("PART_ELEMENTS", isa::kVectorElements / kernel.parts);
  define("HAS_ROBUST", has_robust ? 1 : 0);
  define("QUICK_REFUSALS", kQuickRefusals);
  kernel.source = std::string(kMachineTypes) + vector_names(1) + numbers + landings.text() +
                  form_text(quick, "quick", kSplitChunk) +
                  (has_robust ? form_text(robust, "robust", kSplitChunk) : "") + kSplitKernels;
  return kernel;
}

}  // namespace gdr::emulator::opencl
