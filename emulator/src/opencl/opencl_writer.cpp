#include "opencl_writer.h"

#include <bit>
#include <string_view>

#include "gdr/base/error.h"
#include "gdr/isa/isa.h"

namespace gdr::emulator::opencl {
namespace {

/// The C operator for an operation that LLVM calls by this name.
std::string_view integer_operator(std::string_view op) {
  if (op == "and") return "&";
  if (op == "or") return "|";
  if (op == "xor") return "^";
  if (op == "add") return "+";
  if (op == "sub") return "-";
  if (op == "shl") return "<<";
  if (op == "lshr") return ">>";
  GDR_ASSERT(false, "bodies use no other operation on bits");
}

}  // namespace

std::string OpenClWriter::literal(double value) const { return number_literal(std::bit_cast<std::uint64_t>(value)); }
std::string OpenClWriter::literal(std::uint64_t bits) const { return fmt::format("((I)({:#x}UL))", bits); }
std::string OpenClWriter::number_literal(std::uint64_t bits) const {
  return fmt::format("((D)(as_double({:#x}UL)))", bits);
}

std::string OpenClWriter::integer(const char* op, Text a, Text b) {
  if (std::string_view(op) == "ashr") return set("I", "AS_BITS(AS_SIGNED({}) >> AS_SIGNED({}))", a, b);
  return set("I", "{} {} {}", a, integer_operator(op), b);
}

std::string OpenClWriter::compare(const char* how, Text a, Text b) {
  const std::string_view relation(how);
  if (relation == "eq") return set("I", "FLAG({} == {})", a, b);
  if (relation == "ne") return set("I", "FLAG({} != {})", a, b);
  if (relation == "ult") return set("I", "FLAG({} < {})", a, b);
  if (relation == "slt") return set("I", "FLAG(AS_SIGNED({}) < AS_SIGNED({}))", a, b);
  GDR_ASSERT(relation == "sge", "bodies compare bits in no other way");
  return set("I", "FLAG(AS_SIGNED({}) >= AS_SIGNED({}))", a, b);
}

std::string OpenClWriter::extreme(const char* which, Text a, Text b) {
  const char* name = std::string_view(which) == "smax" ? "max" : "min";
  return set("I", "AS_BITS({}(AS_SIGNED({}), AS_SIGNED({})))", name, a, b);
}

std::string OpenClWriter::extreme_halves(const char* which, Text a, Text b) {
  return set("I", "AS_BITS({}(HALVES({}), HALVES({})))", std::string_view(which) == "umax" ? "max" : "min", a, b);
}

std::string OpenClWriter::compare_numbers(const char* how, Text a, Text b) {
  const std::string_view relation(how);
  if (relation == "oeq") return set("I", "FLAG({} == {})", a, b);
  if (relation == "olt") return set("I", "FLAG({} < {})", a, b);
  GDR_ASSERT(relation == "une", "bodies compare numbers in no other way");
  return set("I", "FLAG({} != {})", a, b);
}

jit::Value OpenClWriter::joined(Text upper, Text lower) {
  std::string high = set("I", "({} << 28) | ({} >> 8)", upper, lower);
  return {std::move(high), set("I", "{} & 255UL", lower)};
}

jit::Value OpenClWriter::row(std::uint32_t place, bool is_long) {
  const std::string upper = set("I", "LOAD({} + {} * PES)", is_long ? "longs" : "shorts", place);
  if (!is_long) return {widened(upper), {}};
  return joined(upper, set("I", "LOAD(longs + {} * PES)", place + 1));
}

/// Reads a word that is equal in all live PEs, from the first one.
jit::Value OpenClWriter::kept(std::uint32_t place, bool is_long) {
  const std::string upper = set("I", "(I)(state[{} * PES])", place);
  if (!is_long) return {widened(upper), {}};
  return joined(upper, set("I", "(I)(state[{} * PES])", place + 1));
}

jit::Value OpenClWriter::record(std::uint64_t plane, bool is_long) {
  Value value{set("I", "LOAD(records + {} * TURNS)", plane), {}};
  if (is_long) value.second = set("I", "LOAD(records + {} * TURNS)", plane + 1);
  return value;
}

jit::Value OpenClWriter::parameter(std::uint32_t place, bool is_long) {
  const std::string upper = set("I", "(I)(state[BM_PLACE + {}])", place);
  if (!is_long) return {widened(upper), {}};
  return joined(upper, set("I", "(I)(state[BM_PLACE + {}])", place + 1));
}

std::string OpenClWriter::flag(std::uint32_t place) {
  const std::uint32_t number = place / isa::kVectorElements;
  if (number == 0) return all_set();
  return set("I", "FLAG(((LOAD_FLAGS(flags) >> ({} + FLAGS * element)) & 1UL) != (I)(0UL))",
             isa::kFlags * (place % isa::kVectorElements) + number - 1);
}

void OpenClWriter::share(CodeType type, Text value, std::uint64_t word) {
  if (type == CodeType::number) {
    line("STORE(BITS({}), share + {} * TURNS);", value, word);
  } else {
    line("STORE({}, share + {} * TURNS);", value, word);
  }
}

std::string OpenClWriter::shared(CodeType type, std::uint64_t word) {
  if (type == CodeType::number) return set("D", "(D)(as_double(share[{} * TURNS + n]))", word);
  return set("I", "(I)(share[{} * TURNS + n])", word);
}

std::string OpenClWriter::turns_function(jit::TurnsText parts) {
  std::string function = fmt::format(R"(
I turns(__local const ulong* share, uint count, __global const ulong* state, __global const uint* flags, __global ulong* all,
        uint lane, uint element) {{
  __global const ulong* shorts = state + lane + element * PES;
  __global const ulong* longs = shorts + element * PES;
  __global ulong* results = all + lane;
  __global ulong* stores = results + {} * PES;
  flags += lane;
)",
                                     parts.layout.planes);
  function += parts.before;
  for (const jit::Phi& phi : parts.phis) {
    function += fmt::format("  {} {} = {};\n", type_name(phi.type), phi.name, phi.initial);
  }
  function += "  for (uint n = 0; ; ) {\n" + parts.turns;
  function += "  if (++n == count) {\n" + parts.behind + fmt::format("  return {};\n  }}\n", parts.right);
  // All new values are computed before any is assigned: one may be the old value of another.
  for (std::size_t n = 0; n < parts.phis.size(); ++n) {
    function += fmt::format("  const {} next{} = {};\n", type_name(parts.phis[n].type), n, parts.phis[n].next);
  }
  for (std::size_t n = 0; n < parts.phis.size(); ++n) {
    function += fmt::format("  {} = next{};\n", parts.phis[n].name, n);
  }
  function += fmt::format("  stores += {} * PES;\n  }}\n}}\n", parts.layout.stored_planes);
  return function;
}

std::string OpenClWriter::uniform_function(Text right) {
  return "\nI uniform_values(__local const ulong* records, __global const ulong* state, __local ulong* share) {\n" +
         text + fmt::format("  return {};\n}}\n", right);
}

}  // namespace gdr::emulator::opencl
