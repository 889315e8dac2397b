#include "ir_writer.h"

namespace gdr::emulator::jit {

std::string IrWriter::declarations() const {
  std::string declared = fmt::format("declare {0} @llvm.fma.v{1}f64({0}, {0}, {0})\n", numbers_type_, lanes_);
  for (const char* which : {"smax", "smin"}) {
    declared += fmt::format("declare {0} @llvm.{2}.v{1}i64({0}, {0})\n", bits_type_, lanes_, which);
  }
  for (const char* which : {"umax", "umin"}) {
    declared += fmt::format("declare {0} @llvm.{2}.v{1}i32({0}, {0})\n", halves_type_, 2 * lanes_, which);
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
  // Vectors that have no register are kept on the stack, where they must not cross a boundary of cache lines.
  const unsigned width = 64 * lanes_;
  // Where elements stand side by side, LLVM's scheduler assumes more registers than there are: on AVX2 and NEON it adds
  // instructions that move words to and from the stack (docs/machine/engine.md says how many).
  const char* const order = directed_ ? "" : "\"gdr-in-order\" ";
  return declared + fmt::format(
                        "attributes #0 = {{ nounwind alignstack=64 {1}\"prefer-vector-width\"=\"{0}\" "
                        "\"min-legal-vector-width\"=\"{0}\" }}\n",
                        width, order);
}

void IrWriter::at_line(std::optional<std::uint32_t> line) {
  if (!names_lines_) return;
  location_ = line ? fmt::format(", !dbg !{}", location_number(*line, function_of(part_))) : std::string();
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

/// Addresses of an iteration's shared values and of its stores, in variables whose names end in `names`.
std::string IrWriter::places_of_turn(const TurnsLayout& layout, const std::string& names,
                                     const std::string& turn) const {
  return fmt::format(
      "  %u{0}at = mul i64 {1}, {2}\n  %u{0} = getelementptr i64, ptr %shared, i64 %u{0}at\n"
      "  %s{0}at = mul i64 {1}, {3}\n  %s{0} = getelementptr i64, ptr %stores, i64 %s{0}at\n",
      names, turn, packed_ ? lanes_ * layout.shared_words : 1, layout.stored_planes * simd::kRowWords);
}

/// The loop over iterations before `%looped`.
std::string IrWriter::loop_of(const TurnsText& parts) const {
  std::string loop = "  %any = icmp ne i64 %looped, 0\n  br i1 %any, label %turn, label %looped_all\nturn:\n";
  loop += "  %n = phi i64 [ 0, %entry ], [ %n_after, %turn ]\n";
  for (const std::vector<Phi>* phis : {&parts.phis, &parts.crossing}) {
    for (const Phi& phi : *phis) {
      loop += fmt::format("  {} = phi {} [ {}, %entry ], [ {}, %turn ]\n", handed_on(phi.name, TurnPart::loop),
                          type_name(phi.type), phi.initial, phi.next);
    }
  }
  if (parts.at_once == 1) loop += places_of_turn(parts.layout, {letter_of(Part::loop)}, "%n");
  for (unsigned turn = 0; parts.at_once > 1 && turn < parts.at_once; ++turn) {
    loop += fmt::format("  %n{0} = add i64 %n, {0}\n", turn);
    loop += places_of_turn(parts.layout, fmt::format("{}{}", letter_of(Part::loop), turn), fmt::format("%n{}", turn));
  }
  if (!parts.crossing.empty()) {  // after the last iteration, the last one again
    loop += "  %n_next = add i64 %n, 1\n  %in_run = icmp ult i64 %n_next, %last_n\n";
    loop += "  %n_ahead = select i1 %in_run, i64 %n_next, i64 %last_n\n";
    loop += places_of_turn(parts.layout, {letter_of(Part::ahead)}, "%n_ahead");
  }
  loop += parts.turns;
  loop += fmt::format("  %n_after = add i64 %n, {}\n  %more = icmp ult i64 %n_after, %looped\n", parts.at_once);
  return loop + "  br i1 %more, label %turn, label %looped_all\n";
}

/// Values that the last iteration hands on, after the loop.
std::string IrWriter::behind_loop(const TurnsText& parts) const {
  std::string rest = "looped_all:\n";
  for (const Phi& phi : parts.phis) {
    rest += fmt::format("  {} = phi {} [ {}, %entry ], [ {}, %turn ]\n", handed_on(phi.name, TurnPart::behind),
                        type_name(phi.type), phi.initial, phi.next);
  }
  return rest;
}

/// Calls last_turns() if iterations are left, and passes carried words through memory. Otherwise the function goes on.
std::string IrWriter::call_of_last_turns(const Ending& ending, const std::vector<Phi>& phis) {
  text.clear();
  for (std::size_t n = 0; n < phis.size(); ++n) {
    const std::string at = set("getelementptr i8, ptr %handed, i64 {}", n * step_of_handed());
    line("store {} {}, ptr {}, align {}", type_name(phis[n].type), handed_on(phis[n].name, TurnPart::behind), at,
         step_of_handed());
  }
  const std::string before = lane_bits(ending.right);
  at_line(0);  // LLVM requires a location for each call
  const std::string last =
      set("call i64 @last_turns(ptr %shared, i64 %count, ptr %block, ptr %all, i64 %lane, i64 %element, i64 %looped, "
          "ptr %handed)");
  at_line(std::nullopt);
  line("ret i64 {}", set("and i64 {}, {}", before, last));
  return "  %left = icmp ult i64 %looped, %count\n  br i1 %left, label %ending, label %ended\nending:\n" + ending.text +
         taken() + "ended:\n";
}

/// The head of a function, with the addresses of its inputs and results.
std::string IrWriter::head_of_turns(const char* name, const char* last_argument, const TurnsLayout& layout) const {
  using simd::kRowWords;
  const BodyFunction function = function_of(part_);
  return fmt::format(R"(
define i64 @{}(ptr noalias readonly %shared, i64 %count, ptr noalias {}%block, ptr noalias %all, i64 %lane, i64 %element, {}) #0{} {{
entry:
  %state = getelementptr i64, ptr %block, i64 %lane
  %results = getelementptr i64, ptr %all, i64 %lane
  %shift = mul i64 %element, {}
  %shorts = getelementptr i64, ptr %state, i64 %shift
  %longs = getelementptr i64, ptr %shorts, i64 %shift
  %stores = getelementptr i64, ptr %results, i64 {}
)",
                     name, layout.scatters ? "" : "readonly ", last_argument, of_function(function), kRowWords,
                     layout.planes * kRowWords);
}

std::string IrWriter::turns_function(TurnsText parts) {
  std::string function = head_of_turns("turns", "i64 %last", parts.layout);
  const std::size_t words = parts.phis.size() - parts.checks;
  function += fmt::format("  %most = sub i64 %count, {}\n", parts.ending ? "%last" : "0");
  function += fmt::format("  %rest = urem i64 %most, {}\n  %looped = sub i64 %most, %rest\n", parts.at_once);
  if (parts.ending) {
    function += fmt::format("  %handed = alloca [{} x i8], align {}\n", words * step_of_handed(), step_of_handed());
  }
  if (!parts.crossing.empty())
    function += places_of_turn(parts.layout, {letter_of(Part::before)}, "0") + "  %last_n = sub i64 %count, 1\n";
  function += parts.before + loop_of(parts) + behind_loop(parts);
  if (parts.ending) {
    parts.phis.resize(words);
    function += call_of_last_turns(*parts.ending, parts.phis);
  }
  text.clear();
  line("ret i64 {}", lane_bits(parts.right));
  return function + parts.behind + taken() + "}\n";
}

std::string IrWriter::last_turns_function(LastTurnsText parts) {
  text.clear();
  for (std::size_t n = 0; n + parts.checks < parts.phis.size(); ++n) {
    Phi& phi = parts.phis[n];
    const std::string at = set("getelementptr i8, ptr %handed, i64 {}", n * step_of_handed());
    phi.initial = set("load {}, ptr {}, align {}", type_name(phi.type), at, step_of_handed());
  }
  std::string function = head_of_turns("last_turns", "i64 %first, ptr noalias readonly %handed", parts.layout);
  function += taken() + parts.before + "  br label %turn\nturn:\n  %n = phi i64 [ %first, %entry ]";
  function += parts.repeats ? ", [ %n_after, %turn ]\n" : "\n";
  for (const Phi& phi : parts.phis) {
    function += fmt::format("  {} = phi {} [ {}, %entry ]", handed_on(phi.name, TurnPart::last), type_name(phi.type),
                            phi.initial);
    function += parts.repeats ? fmt::format(", [ {}, %turn ]\n", phi.next) : "\n";
  }
  function += places_of_turn(parts.layout, {letter_of(Part::last)}, "%n") + parts.turn;
  if (parts.repeats) {
    function += "  %n_after = add i64 %n, 1\n  %more = icmp ult i64 %n_after, %count\n";
    function += "  br i1 %more, label %turn, label %behind\nbehind:\n";
  }
  line("ret i64 {}", lane_bits(parts.right));
  return function + parts.behind + taken() + "}\n";
}

std::string IrWriter::uniform_function(const std::string& right) {
  line("ret i64 {}", lane_bits(right));
  return fmt::format(
      "define i64 @uniform(ptr noalias readonly %records, ptr noalias readonly %state, ptr noalias %shared) #0{} {{\n"
      "{}}}\n",
      of_function(BodyFunction::uniform), text);
}

}  // namespace gdr::emulator::jit
