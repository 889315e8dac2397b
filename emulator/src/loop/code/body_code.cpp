#include "body_code.h"

#include "body_generator.h"

namespace gdr::emulator::jit {

BodyCode make_body_code(const BodyGraph& graph, Rounding rounding, const CodeTarget& target) {
  BodyCode code;
  code.refusal = graph.refusal;
  if (!code.refusal.empty()) return code;
  const auto facts_of = [&](bool last) {
    return target.host_doubles ? make_double_facts(graph, last) : make_number_facts(graph, target.turns(), last);
  };
  if (graph.last_refusal.empty()) {
    const BodyFacts facts = facts_of(true);
    if (facts.refusal.empty()) return Generator(graph, facts, rounding, target, true).run();
  }
  const BodyFacts facts = facts_of(false);
  code.refusal = facts.refusal;
  if (!code.refusal.empty()) return code;
  return Generator(graph, facts, rounding, target, false).run();
}

}  // namespace gdr::emulator::jit
