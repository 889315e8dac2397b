#include "kernel_text.h"

#include <fmt/format.h>

#include "machine.h"

namespace gdr::emulator::opencl {

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
  define("FLAGS", std::to_string(isa::kFlags));
  define("TURNS", std::to_string(jit::kTurns));
  define("BM_PLACE", std::to_string(kBmPlace));
  define("BLOCK_WORDS", std::to_string(kBlockWords));
  return text;
}

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

std::string form_text(const jit::BodyCode& code, std::string_view name, std::string_view chunk) {
  std::vector<std::vector<unsigned>> recorded;
  unsigned plane = 0;
  std::string planes;
  const auto define = [&](unsigned number, const std::string& value) {
    planes += fmt::format("#define {}_record_{} ({})\n", name, number, value);
  };
  for (const jit::RecordWord& word : code.record_words) {
    const std::string high = fmt::format("records[{}]", word.address / 2 * 2);
    const std::string low = fmt::format("(records[{}] & 255)", word.address / 2 * 2 + 1);
    if (word.is_long) {
      define(plane, high);
      define(plane + 1, low);
    } else {
      define(plane,
             word.address % 2 == 0 ? high + " & ~0xfffffffUL" : fmt::format("({} << 36) | ({} << 28)", high, low));
    }
    recorded.push_back({word.address, word.is_long ? 1U : 0U});
    plane += planes_of(word.is_long);
  }
  return fmt::format(
             "#define FORM(name) {0}_##name\n#define turns {0}_turns\n#define uniform_values {0}_uniform_values\n"
             "#define {0}_record_words {1}\n",
             name, recorded.size()) +
         planes + table(fmt::format("{}_recorded", name), recorded, 2) + code.text + std::string(chunk) +
         "#undef FORM\n#undef turns\n#undef uniform_values\n";
}

unsigned record_planes(const jit::BodyCode& code) {
  unsigned planes = 0;
  for (const jit::RecordWord& word : code.record_words) planes += planes_of(word.is_long);
  return planes;
}

void Landings::add(const jit::BodyGraph& graph, bool leaves_all, unsigned element) {
  planes = 0;
  const auto add_word = [&](unsigned row, bool is_long) {
    words.push_back({row + (is_long ? 2 * element : element), is_long ? 1U : 0U, planes});
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

std::string Landings::text() const {
  return table("landing", words, 3) + table("landing_begin", begin, 1) + table("landing_end", end, 2) +
         table("left_flags", flags, 1) + table("flags_begin", flags_begin, 1);
}

}  // namespace gdr::emulator::opencl
