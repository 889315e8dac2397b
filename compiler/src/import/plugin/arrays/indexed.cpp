// Arrays at indices that are known only when the kernel runs: comparisons of the index choose the entry.
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "import/plugin/function_reader.h"
#include "pair/bounds.h"

namespace gdr::compiler {
namespace {

constexpr std::size_t kMostEntries = 128;

/// The type of the word that begins `place` bytes behind the beginning of a type; null if none does.
const llvm::Type* word_at(const llvm::Type& type, std::int64_t place, const llvm::DataLayout& layout) {
  const llvm::Type* inner = &type;
  auto left = static_cast<std::uint64_t>(place);
  while (inner != nullptr && inner->isAggregateType()) {
    if (left >= layout.getTypeAllocSize(const_cast<llvm::Type*>(inner)).getFixedValue()) return nullptr;
    if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(inner)) {
      inner = array->getElementType();
      left %= layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    } else {
      auto* structure = llvm::cast<llvm::StructType>(const_cast<llvm::Type*>(inner));
      const llvm::StructLayout& members = *layout.getStructLayout(structure);
      const unsigned member = members.getElementContainingOffset(left);
      inner = structure->getElementType(member);
      left -= members.getElementOffset(member).getFixedValue();
    }
  }
  return left == 0 ? inner : nullptr;
}

}  // namespace

std::string FunctionReader::name_of(const llvm::GlobalVariable& variable) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
  variable.getDebugInfo(described);
  if (described.empty()) return "'" + variable.getName().str() + "'";
  const llvm::DIGlobalVariable& source = *described.front()->getVariable();
  return "'" + source.getName().str() + "' of line " + std::to_string(source.getLine());
}

/// A variable of the host, at the first place that uses it.
int FunctionReader::refuse_variable(const llvm::GlobalVariable& variable, const llvm::Instruction& at) {
  if (!refused_.insert(&variable).second) return -1;
  return refuse(at, "variable " + name_of(variable) + " is outside of the records: PEs have no memory of the host; " +
                        (is_written(variable) ? "make it a result"
                                              : "pass it in the parameters, or declare it const if it never changes"));
}

/// True if this function writes at an address, or at one that is made of it.
bool FunctionReader::is_written(const llvm::Value& address) const {
  return llvm::any_of(address.users(), [&](const llvm::User* user) {
    if (llvm::isa<llvm::GEPOperator>(user)) return is_written(*user);
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    return store != nullptr && store->getPointerOperand() == &address && store->getFunction() == &function_;
  });
}

/// Base, constant distance from it, and what indices add to that.
FunctionReader::Address FunctionReader::address_of(const llvm::Value* pointer) const {
  Address address{pointer, 0, {}};
  while (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(address.base)) {
    llvm::APInt distance(64, 0);
    llvm::MapVector<llvm::Value*, llvm::APInt> indices;
    if (!step->collectOffset(function_.getParent()->getDataLayout(), 64, indices, distance)) break;
    address.offset += distance.getSExtValue();
    for (const Index& index : indices_of(*step, function_.getParent()->getDataLayout()))
      address.indices.push_back(index);
    address.base = step->getPointerOperand();
  }
  return address;
}

Bounds FunctionReader::bounds_where(llvm::Value& index, const llvm::Instruction& at) {
  const Extent extent = ranges_.where(index, at);
  const auto* range = std::get_if<llvm::ConstantRange>(&extent);
  if (range == nullptr || range->isEmptySet()) return {};  // nothing comes there
  return {static_cast<double>(range->getSignedMin().getSExtValue()),
          static_cast<double>(range->getSignedMax().getSExtValue())};
}

/// The sum of all indices in units of `unit` bytes, as one number; nothing after an error.
std::optional<FunctionReader::Indexed> FunctionReader::sum_of(const Address& address, std::int64_t unit,
                                                              const llvm::Instruction& at) {
  int sum = -1;
  Bounds known{0, 0};
  for (const auto& [index, bytes, entries] : address.indices) {
    const llvm::Value* narrow = index;
    bool is_signed = true;
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(index)) {
      const bool extends = llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast);
      if (extends && !cast->getSrcTy()->isIntegerTy(1)) {
        narrow = cast->getOperand(0);
        is_signed = llvm::isa<llvm::SExtInst>(cast);
      }
    }
    int number = as_number(value(narrow, at), narrow->getType()->getIntegerBitWidth(), is_signed);
    if (number < 0) return std::nullopt;
    const Bounds there = bounds_where(*index, at);
    const Bounds own{std::max(bounds(number).low, there.low), std::min(bounds(number).high, there.high)};
    const auto scale = static_cast<double>(bytes) / static_cast<double>(unit);
    known.low += scale * (entries == 0 ? own.low : std::max(own.low, 0.0));
    known.high += scale * (entries == 0 ? own.high : std::min(own.high, static_cast<double>(entries) - 1));
    if (bytes != unit) number = constant_product(number, llvm::APInt(64, static_cast<std::uint64_t>(bytes / unit)));
    if (sum >= 0) {
      const Type one = result_.nodes[static_cast<std::size_t>(sum)].type;
      const Type other = result_.nodes[static_cast<std::size_t>(number)].type;
      const Type both = is_long(one) ? one : other;
      number = add(Act::iadd, both, {resized(sum, both), resized(number, both)});
    }
    sum = number;
  }
  return Indexed{sum, unit, {std::max(known.low, bounds(sum).low), std::min(known.high, bounds(sum).high)}};
}

/// Entries by the index that each belongs to; the caller adds those that the index may have.
std::optional<FunctionReader::Indexed> FunctionReader::indexed(const Address& address, const llvm::Instruction& at) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 32;
  std::int64_t unit = 0;
  for (const auto& [index, bytes, entries] : address.indices) {
    if (bytes < 1 || bytes > kMostBytes || index->getType()->isIntegerTy(1)) {
      refuse(at, "an index of data steps by elements of no size, or of more than 2^32 bytes, or is a truth value");
      return std::nullopt;
    }
    unit = std::gcd(unit, bytes);
  }
  return sum_of(address, unit, at);
}

/// The index at which a word stands `place` bytes behind the base; nothing if there is none.
std::optional<std::int64_t> FunctionReader::index_at(const Indexed& all, const Address& address,
                                                     std::int64_t place) const {
  const std::int64_t distance = place - address.offset;
  if (distance % all.unit != 0) return std::nullopt;
  const auto index = static_cast<double>(distance / all.unit);
  if (index < all.known.low || index > all.known.high) return std::nullopt;
  return distance / all.unit;
}

int FunctionReader::is_index(const Indexed& all, std::int64_t index) {
  const Type type = result_.nodes[static_cast<std::size_t>(all.index)].type;
  return conditions_.comparison(Act::int_equal, all.index, integer(type, index));
}

int FunctionReader::chosen_entry(const Indexed& all, const std::vector<std::pair<std::int64_t, int>>& entries,
                                 const llvm::Instruction& at) {
  // The value that most entries have needs no comparison.
  const auto same = [&](int one, int other) {
    const Node& a = result_.nodes[static_cast<std::size_t>(one)];
    const Node& b = result_.nodes[static_cast<std::size_t>(other)];
    return one == other || (a.act == Act::constant && b.act == Act::constant && a.type == b.type &&
                            a.number == b.number && a.integer == b.integer);
  };
  const auto times = [&](const std::pair<std::int64_t, int>& entry) {
    return std::ranges::count_if(entries, [&](const auto& other) { return same(entry.second, other.second); });
  };
  const int usual = std::ranges::max_element(entries, {}, times)->second;
  int chosen = usual;
  for (const auto& [index, entry] : entries) {
    if (!same(entry, usual)) chosen = choice(at, is_index(all, index), entry, chosen);
  }
  return chosen;
}

/// An entry of a constant array, or a constant variable.
int FunctionReader::read_global(const llvm::GlobalVariable& variable, const Address& address,
                                const llvm::Instruction& at) {
  if (!is_constant(variable)) return refuse_variable(variable, at);
  const llvm::DataLayout& layout = function_.getParent()->getDataLayout();
  llvm::Constant& content = const_cast<llvm::Constant&>(*variable.getInitializer());  // which LLVM does not change
  const auto read = [&](std::int64_t place) {
    const llvm::APInt bytes(64, static_cast<std::uint64_t>(place));
    const llvm::Constant* found = llvm::ConstantFoldLoadFromConst(&content, at.getType(), bytes, layout);
    return found == nullptr ? refuse(at, kTypes) : constant(*found, at);
  };
  if (address.indices.empty()) return read(address.offset);
  const std::optional<Indexed> all = indexed(address, at);
  if (!all) return -1;
  const auto size = static_cast<std::int64_t>(layout.getTypeAllocSize(content.getType()).getFixedValue());
  const auto bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(at.getType()).getFixedValue());
  // Indices of the variable's words of this type, as far as the index may have them.
  std::vector<std::int64_t> indices;
  for (const bool of_type : {true, false}) {  // a union has words of other types
    for (std::int64_t place = ((address.offset % all->unit) + all->unit) % all->unit; place + bytes <= size;
         place += all->unit) {
      const std::optional<std::int64_t> index = index_at(*all, address, place);
      if (index && (!of_type || word_at(*content.getType(), place, layout) == at.getType())) indices.push_back(*index);
    }
    if (!indices.empty()) break;
  }
  if (indices.empty()) return refuse(at, "array " + name_of(variable) + " is read outside of its entries");
  if (indices.size() > kMostEntries) {
    return refuse(at, "array " + name_of(variable) + " has " + std::to_string(indices.size()) +
                          " entries for an index that is known only when the kernel runs: one of up to " +
                          std::to_string(kMostEntries) +
                          " is chosen by comparisons, two operations each; compute the value, or take fewer entries");
  }
  std::vector<std::pair<std::int64_t, int>> entries;
  for (const std::int64_t index : indices) {
    const int entry = read(address.offset + index * all->unit);
    if (entry < 0) return -1;
    entries.emplace_back(index, entry);
  }
  return chosen_entry(*all, entries, at);
}

/// Words of a record's type that an index may mean, with their indices. Elements of arrays alone: C++ has no other.
std::vector<std::pair<std::int64_t, FunctionReader::Slot>> FunctionReader::slots_of(const Indexed& all,
                                                                                    const Address& address,
                                                                                    Record record,
                                                                                    const llvm::Type& type) const {
  std::vector<std::pair<std::int64_t, Slot>> found;
  const std::optional<Type> wanted = type_of(type);
  const auto& fields = result_.records[static_cast<std::size_t>(record)];
  for (unsigned n = 0; n < fields.size() && wanted; ++n) {
    const Field& field = fields[n];
    if (field.bits > 0 || field.type != *wanted || type.getPrimitiveSizeInBits() != 8 * field.bytes) continue;
    for (unsigned element = 0; element < field.count; ++element) {
      const auto place = static_cast<std::int64_t>(field.offset) + static_cast<std::int64_t>(element) * field.bytes;
      if (const auto index = index_at(all, address, place)) found.emplace_back(*index, Slot{n, element});
    }
  }
  return found;
}

/// An element of an array in a record.
int FunctionReader::read_element(const Address& address, Record record, const llvm::Instruction& at) {
  const std::optional<Indexed> all = indexed(address, at);
  if (!all) return -1;
  const auto slots = slots_of(*all, address, record, *at.getType());
  if (slots.empty()) return refuse(at, "an array is read outside of its record, or in another type than it has");
  if (slots.size() > kMostEntries)
    return refuse(at, "an array of " + std::to_string(slots.size()) +
                          " words has an index that is known only when the kernel runs: one of up to " +
                          std::to_string(kMostEntries) + " is chosen by comparisons");
  std::vector<std::pair<std::int64_t, int>> entries;
  for (const auto& [index, slot] : slots) {
    const auto stored = record == changed_ ? memory_.find(slot) : memory_.end();
    entries.emplace_back(index, stored != memory_.end() ? stored->second : input(record, slot));
  }
  return chosen_entry(*all, entries, at);
}

/// A change of the element of an array of results that an index of data says: of each under the condition that it is
/// that one.
void FunctionReader::change_element(Act act, const Address& address, int value, const llvm::Type& type,
                                    const llvm::Instruction& at) {
  const std::optional<Indexed> all = indexed(address, at);
  if (!all || value < 0) return;
  const auto& fields = result_.records[static_cast<std::size_t>(Record::result)];
  bool any = false;
  for (const auto& [index, slot] : slots_of(*all, address, Record::result, type)) {
    if (!fields[slot.first].array) continue;
    any = true;
    const auto known = memory_.find(slot);
    const int before = known == memory_.end() ? input(Record::result, slot) : known->second;
    write(slot, add(act, *type_of(type), {before, value}), at, is_index(*all, index));
  }
  if (!any) refuse(at, "an array of results is changed outside of its elements, or in another type than it has");
}

/// An element of an array in the state of an experiment.
void FunctionReader::store_element(const Address& address, const llvm::StoreInst& next) {
  const std::optional<Indexed> all = indexed(address, next);
  const int stored = value(next.getValueOperand(), next);
  if (!all || stored < 0) return;
  const auto slots = slots_of(*all, address, Record::state, *next.getValueOperand()->getType());
  for (const auto& [index, slot] : slots) write(slot, stored, next, is_index(*all, index));
  if (slots.empty()) refuse(next, "an array of the state is changed outside of it, or in another type than it has");
}

}  // namespace gdr::compiler
