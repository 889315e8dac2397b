#include "ir_writer.h"

namespace gdr::emulator::jit {

std::string IrWriter::declarations() const {
  std::string declared = fmt::format("declare {0} @llvm.fma.v{1}f64({0}, {0}, {0})\n", numbers_type_, lanes_);
  for (const char* which : {"smax", "smin"}) {
    declared += fmt::format("declare {0} @llvm.{2}.v{1}i64({0}, {0})\n", bits_type_, lanes_, which);
  }
  declared += fmt::format("declare {0} @llvm.masked.gather.v{1}i64.v{1}p0(<{1} x ptr>, i32, {2}, {0})\n", bits_type_,
                          lanes_, predicates_type_);
  declared += fmt::format("declare void @llvm.masked.scatter.v{1}i64.v{1}p0({0}, <{1} x ptr>, i32, {2})\n", bits_type_,
                          lanes_, predicates_type_);
  if (directed_) {
    for (const char* op : {"add", "sub", "mul"}) {
      declared += fmt::format("declare {0} @llvm.x86.avx512.{1}.pd.512({0}, {0}, i32)\n", numbers_type_, op);
    }
    declared += fmt::format("declare {0} @llvm.x86.avx512.vfmadd.pd.512({0}, {0}, {0}, i32)\n", numbers_type_);
    declared +=
        fmt::format("declare {0} @llvm.x86.avx512.mask.range.pd.512({0}, {0}, i32, {0}, i8, i32)\n", numbers_type_);
  }
  // A vector that finds no register waits on the stack, where it must not lie across two lines of the cache.
  const unsigned width = 64 * lanes_;
  return declared + fmt::format(
                        "attributes #0 = {{ nounwind alignstack=64 \"prefer-vector-width\"=\"{0}\" "
                        "\"min-legal-vector-width\"=\"{0}\" }}\n",
                        width);
}

void IrWriter::at_line(std::optional<std::uint32_t> line) {
  if (!names_lines_) return;
  location_ = line ? fmt::format(", !dbg !{}", location_number(*line, prefix_ == kUniformPrefix)) : std::string();
}

IrWriter::LanesOfMemory IrWriter::lanes_of_memory(const std::string& row, std::uint32_t further) {
  std::string lanes;
  for (unsigned lane = 0; lane < lanes_; ++lane) lanes += fmt::format("{}i64 {}", lane == 0 ? "" : ", ", lane);
  const std::string words = set("mul {} {}, {}", bits_type_, row, literal(std::uint64_t{simd::kRowWords}));
  const std::string of_lanes = set("add {} {}, <{}>", bits_type_, words, lanes);
  const std::string memory = address("%state", simd::row_place(simd::kLmRow + further));
  return {set("getelementptr i64, ptr {}, {} {}", memory, bits_type_, of_lanes),
          set("icmp sge {} {}, zeroinitializer", bits_type_, row)};
}

/// From the entry to the first turn of those that are written alone.
std::string IrWriter::several_turns(const TurnsText& parts) const {
  const SeveralTurns& several = parts.several;
  std::string loop = fmt::format(
      "  %before_last = sub i64 %count, 1\n  %rest = urem i64 %before_last, {}\n"
      "  %ns_end = sub i64 %before_last, %rest\n  %any = icmp ne i64 %ns_end, 0\n"
      "  br i1 %any, label %several, label %between\nseveral:\n  %ns = phi i64 [ 0, %entry ], [ %ns1, %several ]\n",
      several.count);
  for (std::size_t n = 0; n < several.phis.size(); ++n) {
    const Phi& phi = several.phis[n];
    loop += fmt::format("  {} = phi {} [ {}, %entry ], [ {}, %several ]\n", phi.name, type_name(phi.type), phi.initial,
                        phi.next);
  }
  const std::uint64_t words = packed_ ? lanes_ * parts.shared_words : 1;
  for (unsigned turn = 0; turn < several.count; ++turn) {
    loop += fmt::format(
        "  %turn{0} = add i64 %ns, {0}\n  %word{0} = mul i64 %turn{0}, {1}\n"
        "  %u{0} = getelementptr i64, ptr %shared, i64 %word{0}\n",
        turn, words);
  }
  loop += several.text;
  loop += fmt::format(
      "  %ns1 = add i64 %ns, {}\n  %again = icmp ult i64 %ns1, %ns_end\n"
      "  br i1 %again, label %several, label %between\nbetween:\n"
      "  %ns_done = phi i64 [ 0, %entry ], [ %ns1, %several ]\n",
      several.count);
  for (std::size_t n = 0; n < several.phis.size(); ++n) {
    const Phi& phi = parts.phis[n];
    loop += fmt::format("  {}_done = phi {} [ {}, %entry ], [ {}, %several ]\n", phi.name, type_name(phi.type),
                        phi.initial, several.phis[n].next);
  }
  return loop + "  br label %turn\n";
}

std::string IrWriter::turns_function(TurnsText parts) {
  using simd::kRowWords;
  std::string function =
      fmt::format(R"(
define i64 @turns(ptr noalias readonly %shared, i64 %count, ptr noalias {}%block, ptr noalias %all, i64 %lane, i64 %element) #0{} {{
entry:
  %state = getelementptr i64, ptr %block, i64 %lane
  %results = getelementptr i64, ptr %all, i64 %lane
  %shift = mul i64 %element, {}
  %shorts = getelementptr i64, ptr %state, i64 %shift
  %longs = getelementptr i64, ptr %shorts, i64 %shift
  %stores = getelementptr i64, ptr %results, i64 {}
)",
                  parts.scatters ? "" : "readonly ", of_function(false), kRowWords, parts.planes * kRowWords);
  function += parts.before;
  const bool several = parts.several.count > 0;
  if (several) function += several_turns(parts);
  function += several ? "turn:\n  %n = phi i64 [ %ns_done, %between ], [ %n1, %turn ]\n"
                      : "  br label %turn\nturn:\n  %n = phi i64 [ 0, %entry ], [ %n1, %turn ]\n";
  for (const Phi& phi : parts.phis) {
    const std::string before =
        several ? fmt::format("[ {}_done, %between ]", phi.name) : "[ " + phi.initial + ", %entry ]";
    function += fmt::format("  {} = phi {} {}, [ {}, %turn ]\n", phi.name, type_name(phi.type), before, phi.next);
  }
  function += fmt::format("  %first_word = mul i64 %n, {}\n  %u = getelementptr i64, ptr %shared, i64 %first_word\n",
                          packed_ ? lanes_ * parts.shared_words : 1);
  function += fmt::format("  %store_words = mul i64 %n, {}\n  %s = getelementptr i64, ptr %stores, i64 %store_words\n",
                          parts.stored_planes * kRowWords);
  function += parts.turn;
  function +=
      "  %n1 = add i64 %n, 1\n  %more = icmp ult i64 %n1, %count\n  br i1 %more, label %turn, label %exit\nexit:\n";
  // What this has written stands behind the loop.
  text.clear();
  line("ret i64 {}", lane_bits(parts.right));
  return function + parts.behind + text + "}\n";
}

std::string IrWriter::uniform_function(const std::string& right) {
  line("ret i64 {}", lane_bits(right));
  return fmt::format(
      "define i64 @uniform(ptr noalias readonly %records, ptr noalias readonly %state, ptr noalias %shared) #0{} {{\n"
      "{}}}\n",
      of_function(true), text);
}

}  // namespace gdr::emulator::jit
