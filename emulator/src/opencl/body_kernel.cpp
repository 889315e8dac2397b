#include "body_kernel.h"

#include <fmt/format.h>

#include "machine.h"
#include "machine_text.h"
#include "simd/micro_op.h"

namespace gdr::emulator::opencl {
namespace {

using jit::BodyCode;

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
  define("BLOCKS", std::to_string(kBlocks));
  define("TURNS", std::to_string(jit::kTurns));
  define("BM_PLACE", std::to_string(kBmPlace));
  define("BLOCK_WORDS", std::to_string(kBlockWords));
  return text;
}

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

/// The kernel. The numbers and tables that it uses are put before it.
constexpr const char* kKernel = R"(
__kernel __attribute__((reqd_work_group_size(PES / LANES, 1, 1))) void run_turns(
    __global const struct TaskCode* tasks, __global ulong* all_states, __global uint* all_flags,
    __global const ulong* memory, __global ulong* collected, __global ulong* scratch, __global ulong* turns_done) {
  __local ulong records[(RECORD_PLANES + 1) * TURNS];
  __local ulong share[(SHARED_WORDS + 1) * TURNS];
  __local uint refused;
  const uint item = get_local_id(0);
  const uint lane = item * LANES;
  __global const struct TaskCode* task = tasks + get_group_id(0);
  __global ulong* state = all_states + (ulong)task->place * BLOCK_WORDS;
  __global ulong* bm = state + BM_PLACE;
  __global uint* flags = all_flags + task->place * PES;
  __global ulong* results = scratch + get_group_id(0) * (ulong)(GROUPS * GROUP_WORDS);
  const I live = FLAG(LANE_NUMBERS + (I)(lane) < (I)(task->live_pes));
  __global ulong* to = collected + 2 * task->collected;
  ulong first = task->first_turn;
  ulong end = task->end_turn;
  while (first < end) {
    const uint count = (uint)min((ulong)TURNS, end - first);
    for (uint turn = item; turn < TURNS; turn += PES / LANES) {
      const ulong record = (first + min(turn, count - 1)) * BLOCKS + task->block;
      __global const ulong* from = memory + 2 * (task->record + record * RECORD_WORDS);
      for (uint n = 0, plane = 0; n < RECORDED; ++n) {
        const ulong high = from[2 * (recorded[n][0] / 2)];
        const ulong low = from[2 * (recorded[n][0] / 2) + 1] & 255;
        if (recorded[n][1]) {
          records[plane++ * TURNS + turn] = high;
          records[plane++ * TURNS + turn] = low;
        } else {
          records[plane++ * TURNS + turn] = recorded[n][0] % 2 == 0 ? high & ~0xfffffffUL : (high << 36) | (low << 28);
        }
      }
    }
    if (item == 0) refused = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!ALL(uniform_values(records + lane, state, share + lane))) refused = 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!refused && lane < task->live_pes) {
      for (uint group = 0; group < GROUPS; ++group) {
        const I right = turns(share, count, state, flags, results + group * GROUP_WORDS, lane, group * GROUP_ELEMENTS);
        if (!ALL(right | ~live)) refused = 1;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (refused) {
      end = first;
    } else {
      const int last = task->ends && first + count == task->end_turn;
      for (uint group = 0; group < GROUPS && lane < task->live_pes; ++group) {
        __global const ulong* plane = results + group * GROUP_WORDS + lane;
        for (uint n = 0; n < CARRIED + (last ? LEFT : 0); ++n) {
          const uint is_long = landing[n][1];
          __global ulong* row = state + (landing[n][0] + (group * GROUP_ELEMENTS << is_long)) * PES + lane;
          const I high = LOAD(plane);
          STORE(high >> 28, row);
          plane += PES;
          if (is_long) {
            const I lower = ((high & 0xfffffffUL) << 8) | LOAD(plane);
            STORE(lower, row + PES);
            plane += PES;
          }
        }
        for (uint n = 0; last && n < LEFT_FLAGS; ++n, plane += PES) {
          for (uint of_item = 0; of_item < LANES; ++of_item) {
            const uint bit = 1u << (left_flags[n][0] + 4 * group * GROUP_ELEMENTS);
            flags[lane + of_item] = plane[of_item] != 0 ? flags[lane + of_item] | bit : flags[lane + of_item] & ~bit;
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

unsigned planes_of(bool is_long) { return is_long ? 2 : 1; }

}  // namespace

BodyKernel make_body_kernel(const jit::BodyGraph& graph, jit::Rounding rounding, unsigned lanes,
                            const DecodedProgram& program) {
  BodyKernel kernel;
  kernel.lanes = lanes;
  const jit::CodeTarget target{"", lanes, false, jit::CodeLanguage::opencl_c};
  const BodyCode code = jit::make_body_code(graph, rounding, target);
  kernel.refusal = code.refusal;
  kernel.leaves_all = code.leaves_all;
  if (!code.refusal.empty()) return kernel;

  unsigned record_planes = 0;
  unsigned planes = 0;
  unsigned stored_planes = 0;
  std::vector<std::vector<unsigned>> recorded;
  std::vector<std::vector<unsigned>> landing;
  std::vector<std::vector<unsigned>> left_flags;
  std::vector<std::vector<unsigned>> bm_steps;
  std::vector<unsigned> plane_of_stored;
  for (const jit::RecordWord& word : code.record_words) {
    recorded.push_back({word.address, word.is_long ? 1U : 0U});
    record_planes += planes_of(word.is_long);
  }
  for (const jit::Carried& carried : code.carried) {
    landing.push_back({carried.row, carried.is_long ? 1U : 0U});
    planes += planes_of(carried.is_long);
  }
  for (const jit::Left& left : code.left) {
    landing.push_back({left.place, left.is_long ? 1U : 0U});
    planes += planes_of(left.is_long);
  }
  for (const jit::Left& left : code.left_flags) {
    const unsigned flag = left.place / isa::kVectorElements;
    left_flags.push_back({isa::kFlags * (left.place % isa::kVectorElements) + flag - 1});
    ++planes;
  }
  for (const jit::Stored& stored : code.stored) {
    plane_of_stored.push_back(stored_planes);
    stored_planes += planes_of(stored.is_long);
  }
  for (const jit::BmStep& step : code.bm_steps) {
    const bool is_long = !step.collects && code.stored[step.stored].is_long;
    bm_steps.push_back({step.collects ? 1U : 0U, step.not_first ? 1U : 0U, step.address,
                        step.collects ? step.words : plane_of_stored[step.stored], is_long ? 1U : 0U, step.pe});
  }
  const unsigned groups = isa::kVectorElements / code.elements;
  const unsigned group_words = (planes + jit::kTurns * stored_planes) * kPesPerBlock;
  kernel.scratch_words = std::size_t{groups} * group_words;

  std::string numbers;
  const auto define = [&](std::string_view name, std::size_t value) {
    numbers += fmt::format("#define {} {}\n", name, value);
  };
  define("RECORD_WORDS", program.program.record_words);
  define("RECORD_PLANES", record_planes);
  define("RECORDED", recorded.size());
  define("SHARED_WORDS", code.shared_words);
  define("CARRIED", code.carried.size());
  define("LEFT", code.left.size());
  define("LEFT_FLAGS", left_flags.size());
  define("PLANES", planes);
  define("STORED_PLANES", stored_planes);
  define("BM_STEPS", bm_steps.size());
  define("GROUPS", groups);
  define("GROUP_ELEMENTS", code.elements);
  define("GROUP_WORDS", group_words);
  kernel.source = std::string(kMachineTypes) + vector_names(lanes) + numbers + table("recorded", recorded, 2) +
                  table("landing", landing, 2) + table("left_flags", left_flags, 1) + table("bm_steps", bm_steps, 6) +
                  code.text + kKernel;
  return kernel;
}

}  // namespace gdr::emulator::opencl
