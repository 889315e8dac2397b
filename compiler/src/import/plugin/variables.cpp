// Variables of the source: their names for values, and which value each has where.
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "function_reader.h"
#include "records.h"

namespace gdr::compiler {

void FunctionReader::names() {
  for (const llvm::BasicBlock& block : function_) {
    for (const llvm::Instruction& at : block) {
      for (const llvm::DbgVariableRecord& record : llvm::filterDbgVars(at.getDbgRecordRange())) {
        if (record.getNumVariableLocationOps() != 1 || record.getVariable()->isParameter()) continue;
        const auto known = values_.find(record.getVariableLocationOp(0));
        if (known == values_.end()) continue;
        Node& node = result_.nodes[static_cast<std::size_t>(known->second)];
        if (!node.name.empty() || node.act == Act::input || node.act == Act::constant) continue;
        const auto fragment = record.getExpression()->getFragmentInfo();
        if (record.getExpression()->getNumElements() != (fragment ? 3U : 0U)) continue;
        node.name = record.getVariable()->getName().str();
        if (fragment && node.type != Type::truth) {
          node.name += std::to_string(fragment->OffsetInBits / (8 * bytes_of(node.type)));
        }
      }
    }
  }
  hold();
}

namespace {

/// A number in a variable: how it is written behind the variable's name, and its type.
struct VariablePart {
  std::string name;
  const llvm::DIBasicType* type = nullptr;  // null: not known
};

VariablePart part_at(const llvm::DIType* type, std::uint64_t offset) {
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    if (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type ||
        derived->getTag() == llvm::dwarf::DW_TAG_reference_type)
      return {};
    type = derived->getBaseType();
  }
  if (const auto* basic = llvm::dyn_cast_or_null<llvm::DIBasicType>(type)) return {"", basic};
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
  if (composite == nullptr) return {};
  if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {  // an entry is a variable of its own
    const llvm::DIType* entry = composite->getBaseType();
    const std::uint64_t bits = entry == nullptr ? 0 : entry->getSizeInBits();
    if (bits == 0) return {};
    const VariablePart inside = part_at(entry, offset % bits);
    return {std::to_string(offset / bits) + inside.name, inside.type};
  }
  for (const llvm::DINode* element : composite->getElements()) {
    const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (member == nullptr || member->isStaticMember() || member->isBitField()) continue;
    if (offset < member->getOffsetInBits() || offset >= member->getOffsetInBits() + member->getSizeInBits()) continue;
    const VariablePart inside = part_at(member->getBaseType(), offset - member->getOffsetInBits());
    // What a class of the library keeps is reached otherwise: an std::array's entries by its own name.
    const bool hidden = member->getTag() == llvm::dwarf::DW_TAG_inheritance || member->getName().starts_with("_");
    return {(hidden ? "" : "." + member->getName().str()) + inside.name, inside.type};
  }
  return {};
}

/// True if control comes from a block to another one, which does more than return, also by ways without the block.
bool ways_meet_after(const llvm::BasicBlock& block, const llvm::DominatorTree& dominators) {
  return llvm::any_of(llvm::depth_first(&block), [&](const llvm::BasicBlock* after) {
    return !dominators.dominates(&block, after) &&
           !llvm::isa<llvm::ReturnInst>(*after->getFirstNonPHIOrDbgOrLifetime());
  });
}

}  // namespace

/// Which variable has which value where. A name is that of the function's own variable; functions that are called have
/// other variables of that name.
void FunctionReader::hold() {
  struct Record {
    int node = -1;  // none: the variable is there what no operation computes
    const llvm::BasicBlock* block = nullptr;
    const llvm::Value* value = nullptr;  // of the node
  };
  struct Variable {
    std::string name;
    std::string whole;  // the name without members
    bool own = false;
    const llvm::DIBasicType* type = nullptr;  // null: not known
    std::vector<Record> records;
  };
  using Key = std::tuple<const llvm::DILocalVariable*, const llvm::DILocation*, std::uint64_t>;
  std::map<Key, std::size_t> known;
  std::vector<Variable> variables;
  for (const llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_)) {
    for (const llvm::Instruction& at : *block) {
      for (const llvm::DbgVariableRecord& record : llvm::filterDbgVars(at.getDbgRecordRange())) {
        const llvm::DILocalVariable* variable = record.getVariable();
        const llvm::DILocation* call = record.getDebugLoc()->getInlinedAt();
        if ((variable->isParameter() && call == nullptr) || variable->getName().empty()) continue;
        const auto fragment = record.getExpression()->getFragmentInfo();
        const bool plain = record.getExpression()->getNumElements() == (fragment ? 3U : 0U);
        const auto [place, is_new] =
            known.try_emplace({variable, call, fragment ? fragment->OffsetInBits : 0}, variables.size());
        if (is_new) {
          const VariablePart part = part_at(variable->getType(), fragment ? fragment->OffsetInBits : 0);
          variables.push_back(
              {variable->getName().str() + part.name, variable->getName().str(), call == nullptr, part.type, {}});
        }
        Variable& held = variables[place->second];
        const auto value =
            record.getNumVariableLocationOps() == 1 ? values_.find(record.getVariableLocationOp(0)) : values_.end();
        const Node* node = !plain || value == values_.end() || value->second < 0
                               ? nullptr
                               : &result_.nodes[static_cast<std::size_t>(value->second)];
        const bool computed =
            node != nullptr && node->act != Act::input && node->act != Act::constant && node->type != Type::truth;
        held.records.push_back({computed ? value->second : -1, block, computed ? value->first : nullptr});
      }
    }
  }
  std::map<const llvm::BasicBlock*, bool> met;
  const auto meets_others = [&](const llvm::BasicBlock& block) {
    const auto [known, is_new] = met.try_emplace(&block, false);
    if (is_new) known->second = ways_meet_after(block, dominators_);
    return known->second;
  };
  std::map<std::string, std::pair<unsigned, unsigned>> of_name;  // variables of the function, and of others
  for (const Variable& variable : variables)
    ++(variable.own ? of_name[variable.name].first : of_name[variable.name].second);
  std::set<std::string> computed;
  const auto held_by = [](const Variable& variable, bool certain) {
    Holder holder{variable.name, certain};
    if (variable.type == nullptr || variable.type->getEncoding() == llvm::dwarf::DW_ATE_float) return holder;
    const auto encoding = variable.type->getEncoding();
    holder.bits = static_cast<std::uint8_t>(std::min<std::uint64_t>(variable.type->getSizeInBits(), 64));
    holder.is_unsigned = encoding == llvm::dwarf::DW_ATE_unsigned || encoding == llvm::dwarf::DW_ATE_unsigned_char ||
                         encoding == llvm::dwarf::DW_ATE_boolean || encoding == llvm::dwarf::DW_ATE_UTF;
    return holder;
  };
  for (const Variable& variable : variables) {
    const auto& [own, others] = of_name[variable.name];
    if (!variable.own && (own > 0 || others > 1)) continue;
    std::map<int, const llvm::BasicBlock*> blocks;  // where the variable gets the value first
    for (const Record& record : variable.records) {
      if (record.node >= 0) blocks.try_emplace(record.node, record.block);
    }
    const bool changes = blocks.size() > 1 ||
                         std::ranges::any_of(variable.records, [](const Record& record) { return record.node < 0; });
    for (std::size_t n = 0; n < variable.records.size(); ++n) {
      const Record& record = variable.records[n];
      if (record.node < 0 || blocks.at(record.node) != record.block) continue;
      // Operations of all ways are computed: where ways meet again, control may have come by another one, or LLVM chose
      // one of two values of the variable and made one block of both ways.
      bool certain = !changes || !meets_others(*record.block);
      certain = certain && llvm::none_of(record.value->users(), [&](const llvm::User* user) {
                  const auto* choice = llvm::dyn_cast<llvm::SelectInst>(user);
                  return choice != nullptr && llvm::any_of(variable.records, [&](const Record& other) {
                           return other.value != nullptr && other.value != record.value &&
                                  (other.value == choice || llvm::is_contained(choice->operands(), other.value));
                         });
                });
      // What no operation computes takes its place.
      for (std::size_t next = n + 1; certain && next < variable.records.size(); ++next) {
        const Record& other = variable.records[next];
        if (other.node >= 0) break;
        certain = !post_dominators_.dominates(other.block, record.block);
      }
      computed.insert(variable.name);
      result_.nodes[static_cast<std::size_t>(record.node)].holders.push_back(held_by(variable, certain));
    }
  }
  std::set<std::string> wordless;
  for (const Variable& variable : variables) {
    if (!computed.contains(variable.name)) wordless.insert(variable.name);
    if (!computed.contains(variable.whole)) wordless.insert(variable.whole);
  }
  result_.wordless.assign(wordless.begin(), wordless.end());
}

}  // namespace gdr::compiler
