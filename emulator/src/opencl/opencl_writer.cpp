#include "opencl_writer.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

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
  Value value{set("I", "RECORD({})", plane), {}};
  if (is_long) value.second = set("I", "RECORD({})", plane + 1);
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

jit::Value OpenClWriter::carried(std::uint64_t plane, bool is_long) {
  Value value{set("I", "LOAD(words + {} * PES)", plane), {}};
  if (is_long) value.second = set("I", "LOAD(words + {} * PES)", plane + 1);
  return value;
}

namespace {

using jit::ChainText;

/// Chains with the same steps, written once.
struct ChainKind {
  std::vector<const ChainText*> chains;
  unsigned first_operand = 0;
  unsigned first_owner = 0;  // the work-item of the first chain; the others follow

  [[nodiscard]] const ChainText& text() const { return *chains.front(); }
  [[nodiscard]] unsigned operands() const { return static_cast<unsigned>(text().operands.size()); }
};

bool are_alike(const ChainText& a, const ChainText& b) {
  const auto same_word = [](const jit::Phi& x, const jit::Phi& y) { return x.type == y.type && x.next == y.next; };
  return a.step == b.step && a.leaving.empty() && b.leaving.empty() && a.operand_types == b.operand_types &&
         std::ranges::equal(a.words, b.words, same_word);
}

std::vector<ChainKind> kinds_of(const std::vector<ChainText>& chains, unsigned ways) {
  std::vector<ChainKind> kinds;
  for (const ChainText& chain : chains) {
    const auto known =
        std::ranges::find_if(kinds, [&](const ChainKind& kind) { return are_alike(kind.text(), chain); });
    (known == kinds.end() ? kinds.emplace_back() : *known).chains.push_back(&chain);
  }
  unsigned operand = 0;
  std::size_t chain = 0;
  for (ChainKind& kind : kinds) {
    kind.first_operand = operand;
    kind.first_owner = static_cast<unsigned>(chain % ways);
    operand += kind.operands() * static_cast<unsigned>(kind.chains.size());
    chain += kind.chains.size();
  }
  return kinds;
}

const char* type_of(jit::CodeType type) { return type == jit::CodeType::number ? "D" : "I"; }

/// Text for each chain of the kind, run by the work-items that own it: `write` gets the chain, and the name of one of
/// its words in these work-items.
template <class Write>
std::string for_owners(const std::vector<ChainKind>& kinds, unsigned ways, Write write) {
  std::string text;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    for (std::size_t n = 0; n < kinds[k].chains.size(); ++n) {
      const auto name = [&](const std::string& word) { return fmt::format("k{}r{}{}", k, n / ways, word); };
      text += fmt::format("  if (slot == {}) {{\n", (kinds[k].first_owner + n) % ways);
      text += write(*kinds[k].chains[n], name) + "  }\n";
    }
  }
  return text;
}

/// The steps of the chains of a kind that a work-item owns.
std::string steps_of(const ChainKind& kind, std::size_t number, unsigned ways) {
  const ChainText& chain = kind.text();
  std::string text;
  for (std::size_t round = 0; round * ways < kind.chains.size(); ++round) {
    const auto name = [&](const std::string& word) { return fmt::format("k{}r{}{}", number, round, word); };
    text += fmt::format("  {{\n  const uint chain = (slot + {}) % WAYS + {};\n  if (chain < {}) {{\n",
                        ways - kind.first_owner, round * ways, kind.chains.size());
    text += fmt::format("  __local const ulong* from = taken + ({} + chain * {}) * WAYS * PES;\n", kind.first_operand,
                        kind.operands());
    for (const jit::Phi& word : chain.words) {
      text += fmt::format("  {} {} = {};\n", type_of(word.type), word.name, name(word.name));
    }
    text += "  for (uint k = 0; k < most; ++k) {\n  const uint n = base + k;\n";
    for (unsigned n = 0; n < kind.operands(); ++n) {
      text +=
          fmt::format("  const {0} {1} = {2}(from[({3} * WAYS + k) * PES]);\n", type_of(chain.operand_types[n]),
                      chain.operand_names[n], chain.operand_types[n] == jit::CodeType::number ? "NUMBERS" : "(I)", n);
    }
    text += chain.step;
    if (!chain.leaving.empty()) text += "  if (leaves && n == count - 1) {\n" + chain.leaving + "  }\n";
    // All new values are computed before any is assigned: one may be the old value of another.
    for (std::size_t n = 0; n < chain.words.size(); ++n) {
      text += fmt::format("  const {} next{} = {};\n", type_of(chain.words[n].type), n, chain.words[n].next);
    }
    for (std::size_t n = 0; n < chain.words.size(); ++n)
      text += fmt::format("  {} = next{};\n", chain.words[n].name, n);
    text += "  }\n";
    for (const jit::Phi& word : chain.words) text += fmt::format("  {} = {};\n", name(word.name), word.name);
    text += "  }\n  }\n";
  }
  return text;
}

}  // namespace

std::string OpenClWriter::split_function(jit::SplitText parts, unsigned& operand_words) {
  const std::vector<ChainKind> kinds = kinds_of(parts.chains, parts.ways);
  operand_words = kinds.empty() ? 0
                                : kinds.back().first_operand +
                                      kinds.back().operands() * static_cast<unsigned>(kinds.back().chains.size());
  std::string function = R"(
I turns(__local const ulong* share, uint count, uint leaves, __global const ulong* state, __global const uint* flags,
        __global ulong* all, __local const ulong* all_words, __local ulong* all_kept, __local ulong* all_operands,
        uint lane, uint element, uint slot) {
  __global const ulong* shorts = state + lane + element * PES;
  __global const ulong* longs = shorts + element * PES;
  __global ulong* results = all + lane;
  __local const ulong* words = all_words + lane;
  __local ulong* kept = all_kept + lane;
  flags += lane;
)";
  function += parts.before;
  for (const jit::Phi& check : parts.checks) {
    function += fmt::format("  {} {} = {};\n", type_name(check.type), check.name, check.initial);
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    for (std::size_t round = 0; round * parts.ways < kinds[k].chains.size(); ++round) {
      for (const jit::Phi& word : kinds[k].text().words) {
        function += fmt::format("  {} k{}r{}{} = 0;\n", type_name(word.type), k, round, word.name);
      }
    }
  }
  function += for_owners(kinds, parts.ways, [&](const ChainText& chain, const auto& name) {
    std::string text = chain.begin;
    for (const jit::Phi& word : chain.words) text += fmt::format("  {} = {};\n", name(word.name), word.initial);
    return text;
  });
  // Two buffers: no work-item may overwrite operands that another one still takes.
  function += R"(  for (uint base = 0; base < count; base += WAYS) {
  __local ulong* const taken = all_operands + lane + base / WAYS % BUFFERS * (OPERAND_WORDS * WAYS * PES);
  {
  const uint n = base + slot;
  if (n < count) {
)";
  function += parts.own;
  for (const ChainKind& kind : kinds) {
    for (std::size_t n = 0; n < kind.chains.size(); ++n) {
      for (unsigned at = 0; at < kind.operands(); ++at) {
        function += fmt::format("  taken[({} * WAYS + slot) * PES] = AS_BITS({});\n",
                                kind.first_operand + n * kind.operands() + at, kind.chains[n]->operands[at]);
      }
    }
  }
  if (!parts.leaving.empty()) function += "  if (leaves && n == count - 1) {\n" + parts.leaving + "  }\n";
  function += R"(  }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint most = min((uint)WAYS, count - base);
)";
  for (std::size_t k = 0; k < kinds.size(); ++k) function += steps_of(kinds[k], k, parts.ways);
  function += "  if (BUFFERS == 1) barrier(CLK_LOCAL_MEM_FENCE);\n  }\n";
  function += for_owners(kinds, parts.ways, [&](const ChainText& chain, const auto& name) {
    std::string text;
    for (const jit::Phi& word : chain.words) {
      text += fmt::format("  const {} {} = {};\n", type_name(word.type), word.name, name(word.name));
    }
    return text + chain.give;
  });
  return function + parts.behind + fmt::format("  return {};\n}}\n", parts.right);
}

std::string OpenClWriter::uniform_function(Text right) {
  return "\nI uniform_values(RECORDS records, __global const ulong* state, SHARE share) {\n" + text +
         fmt::format("  return {};\n}}\n", right);
}

}  // namespace gdr::emulator::opencl
