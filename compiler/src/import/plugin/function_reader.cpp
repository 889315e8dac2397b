#include "function_reader.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "loops/unrolling.h"
#include "pair/bounds.h"
#include "preparation/passes.h"
#include "preparation/places.h"
#include "records.h"

namespace gdr::compiler {
namespace {

constexpr std::size_t kMostNodes = 20000;

constexpr int kNotChosen = -2;
constexpr int kNowhere = -3;  // control never comes there, or does not matter there
constexpr const char* kIndexOfData =
    "an element is written at an index that is known only when the kernel runs: use constants, or loops with a fixed "
    "number of turns that clang unrolls, or change one result by += there; "
    "choose between results by if, not by a reference";

}  // namespace

FunctionReader::FunctionReader(llvm::Function& function, std::vector<Record> roles, PairFunction& result,
                               std::vector<Message>& errors, Record changed)
    : function_(function),
      roles_(std::move(roles)),
      result_(result),
      errors_(errors),
      changed_(changed),
      dominators_(function),
      post_dominators_(function),
      ranges_(function, dominators_),
      conditions_(result) {}

void FunctionReader::read() {
  if (read_blocks() == nullptr) return;
  for (const auto& [slot, value] : memory_) {
    if (inputs_.contains({changed_, slot}) && inputs_.at({changed_, slot}) == value) continue;
    result_.stores.push_back({slot.first, slot.second, as_member(slot, value), stored_at_[slot], changed_});
  }
  names();
}

/// What a member keeps of a value. Whoever reads a member of the state, or receives a result, takes it for a number of
/// its type. Results of pairs are sums of such numbers, which do not wrap.
int FunctionReader::as_member(Slot slot, int value) {
  const auto& field = result_.records[static_cast<std::size_t>(changed_)][slot.first];
  const bool of_experiment = std::ranges::find(roles_, Record::state) != roles_.end();
  if (!of_experiment || is_float(field.type) || field.type == Type::truth) return value;
  place_ = stored_at_[slot];
  return as_number(value, 8 * field.bytes, field.is_signed);
}

int FunctionReader::read_condition(const FunctionReader& before) {
  memory_ = before.memory_;
  stored_at_ = before.stored_at_;
  inputs_ = before.inputs_;
  const llvm::ReturnInst* end = read_blocks();
  if (end == nullptr) return -1;
  names();
  return value(end->getReturnValue(), *end);
}

const llvm::ReturnInst* FunctionReader::read_blocks() {
  if (has_loop()) return nullptr;
  const llvm::ReturnInst* exit = nullptr;
  for (const llvm::BasicBlock* next : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_)) {
    block(*next);
    if (result_.nodes.size() > kMostNodes) {
      refuse(*next->getTerminator(), "the function has more than 20000 operations");
    }
    if (!errors_.empty()) return nullptr;
    const auto* end = llvm::dyn_cast<llvm::ReturnInst>(next->getTerminator());
    if (end == nullptr) continue;
    if (exit != nullptr) refuse(*end, "several returns: compile with clang -O2, which joins them");
    exit = end;
  }
  if (exit == nullptr) errors_.push_back({result_.place, "the function never returns"});
  return exit;
}

bool FunctionReader::has_loop() {
  for (const llvm::BasicBlock* next : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_)) {
    order_.try_emplace(next, order_.size());
    for (const llvm::BasicBlock* target : llvm::successors(next)) {
      if (!order_.contains(target)) continue;
      const LeftLoop left = left_loop(function_);
      refuse(*left.at, "a loop whose number of turns is not fixed: " + left.missing);
      return true;
    }
  }
  return false;
}

void FunctionReader::block(const llvm::BasicBlock& block) {
  for (const llvm::Instruction& next : block) instruction(next);
}

namespace {

// LLVM's check of debug information leaves the file of a block out.
std::string file_of(const llvm::DIScope& scope) {
  const auto* file = llvm::dyn_cast_if_present<llvm::DIFile>(scope.getRawFile());
  return file == nullptr ? "" : file->getFilename().str();
}

/// Name of the function with those of the classes that hold it.
std::string function_of(const llvm::DILocation& location) {
  const llvm::DISubprogram* function = location.getScope()->getSubprogram();
  if (function == nullptr) return "";
  std::string name = function->getName().str();
  const auto* type = llvm::dyn_cast_if_present<llvm::DICompositeType>(function->getRawScope());
  if (type != nullptr && type->getName().empty() && name == "operator()") return "lambda";
  for (; type != nullptr; type = llvm::dyn_cast_if_present<llvm::DICompositeType>(type->getRawScope())) {
    if (!type->getName().empty()) name = type->getName().str() + "::" + name;
  }
  return name;
}

}  // namespace

/// The user's files are those that clang was given by a path from the current folder, and those beside or below the
/// file of the function, except the headers of the compiler, which lie below kernels that come with it.
bool FunctionReader::is_in_user_file(const llvm::DILocation& location) const {
  const std::string file = file_of(*location.getScope());
  const std::string& main = result_.place.file;
  if (file == main) return true;
  for (const std::string_view header : {"/gdr/kernel.h", "/bits/specfun.h"}) {
    if (file.ends_with(header)) return false;
  }
  if (!file.starts_with('/')) return true;
  const std::size_t folder = main.rfind('/');
  return folder != std::string::npos && file.starts_with(main.substr(0, folder + 1));
}

Place FunctionReader::place_of(const llvm::DILocation& location) const {
  Place place{file_of(*location.getScope()), location.getLine(), location.getColumn(), function_of(location), {}};
  const llvm::DILocation* call = location.getInlinedAt();
  while (call != nullptr && (call->getLine() == 0 || !is_in_user_file(*call))) call = call->getInlinedAt();
  if (call != nullptr) place.call = std::make_shared<const Place>(place_of(*call));
  return place;
}

Place FunctionReader::place_of(const llvm::Instruction& instruction) const {
  const llvm::DILocation* const innermost = known_place(instruction);
  const llvm::DILocation* outermost = innermost;
  while (outermost != nullptr && outermost->getInlinedAt() != nullptr) outermost = outermost->getInlinedAt();
  for (const llvm::DILocation* at = innermost; at != outermost; at = at->getInlinedAt()) {
    if (at->getLine() != 0 && is_in_user_file(*at)) return place_of(*at);
  }
  if (outermost == nullptr || outermost->getLine() == 0) return place_.line != 0 ? place_ : result_.place;
  return place_of(*outermost);
}

FunctionReader::StandingAt::StandingAt(FunctionReader& reader, Place place)
    : reader_(reader), before_(std::exchange(reader.place_, std::move(place))) {
  reader_.conditions_.place(reader_.place_);
}

FunctionReader::StandingAt::~StandingAt() {
  reader_.place_ = std::move(before_);
  reader_.conditions_.place(reader_.place_);
}

int FunctionReader::refuse(const llvm::Instruction& at, std::string text) {
  if (errors_.size() < 20) errors_.push_back({place_of(at), std::move(text)});
  return -1;
}

int FunctionReader::made(Node node) {
  for (const int operand : node.operands) {
    if (operand < 0) return -1;
  }
  node.place = place_;
  node.bounds = computed_bounds(node, result_.nodes);
  result_.nodes.push_back(std::move(node));
  return static_cast<int>(result_.nodes.size()) - 1;
}

int FunctionReader::add(Act act, Type type, std::vector<int> operands) {
  Node node;
  node.act = act;
  node.type = type;
  node.operands = std::move(operands);
  return made(std::move(node));
}

int FunctionReader::number(Type type, double value) {
  Node node;
  node.type = type;
  node.number = value;
  return made(std::move(node));
}

int FunctionReader::truth(bool value) { return conditions_.constant(value); }

int FunctionReader::input(Record record, Slot slot) {
  const auto [known, is_new] = inputs_.try_emplace({record, slot}, -1);
  if (is_new) {
    const Field& field = result_.records[static_cast<std::size_t>(record)][slot.first];
    Node node;
    node.act = Act::input;
    node.type = field.type;
    node.record = record;
    node.field = slot.first;
    node.element = slot.second;
    known->second = made(std::move(node));
    // Sums may pass beyond, but nothing in a pair reads them.
    const bool from_host = record == Record::i || record == Record::j || record == Record::parameter;
    const unsigned bits = field.bits > 0 ? field.bits : field.is_truth && from_host ? 1 : 8 * field.bytes;
    if (!is_float(field.type)) within(known->second, bounds_of_bits(bits, field.is_signed));
  }
  return known->second;
}

std::optional<Type> FunctionReader::type_of(const llvm::Type& type) const {
  if (type.isFloatTy()) return Type::float_short;
  if (type.isDoubleTy()) return Type::float_long;
  if (type.isIntegerTy(1)) return Type::truth;
  return integer_type(type);
}

int FunctionReader::constant(const llvm::Constant& constant, const llvm::Instruction& at) {
  const std::optional<Type> type = type_of(*constant.getType());
  if (!type) return refuse(at, kTypes);
  if (llvm::isa<llvm::PoisonValue>(constant))
    return refuse(at,
                  "a value is read that C++ leaves open, as that of a quotient by 0 or of a shift by too many bits");
  if (llvm::isa<llvm::UndefValue>(constant)) return refuse(at, "a variable is read that was not given a value");
  if (type == Type::truth && llvm::isa<llvm::ConstantInt>(constant)) return truth(constant.isOneValue());
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant);
  const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant);
  if (number == nullptr && integer == nullptr) return refuse(at, "an address is used as a number");
  if (number != nullptr && number->getValueAPF().isNaN()) return refuse(at, "the machine has no NaN");
  if (integer != nullptr) return this->integer(*type, integer->getSExtValue());
  const llvm::APFloat& value = number->getValueAPF();
  return this->number(
      *type, type == Type::float_short ? static_cast<double>(value.convertToFloat()) : value.convertToDouble());
}

int FunctionReader::value(const llvm::Value* value, const llvm::Instruction& at) {
  const auto known = values_.find(value);
  if (known != values_.end()) return known->second;
  if (const auto* number = llvm::dyn_cast<llvm::Constant>(value)) return constant(*number, at);
  return errors_.empty() ? refuse(at, "a value that the compiler of pair functions does not know") : -1;
}

std::optional<FunctionReader::Pointer> FunctionReader::pointer(const llvm::Value* value, const llvm::Instruction& at) {
  std::int64_t offset = 0;
  while (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(value)) {
    llvm::APInt distance(64, 0);
    if (!step->accumulateConstantOffset(function_.getParent()->getDataLayout(), distance)) {
      refuse(at, kIndexOfData);
      return std::nullopt;
    }
    offset += distance.getSExtValue();
    value = step->getPointerOperand();
  }
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    return Pointer{roles_[argument->getArgNo()], offset};
  }
  if (llvm::isa<llvm::AllocaInst>(value)) {
    refuse(
        at,
        "the address of a local variable is used in a way that is not followed, as by volatile, virtual functions and "
        "std::rotate: PEs have no memory for it; use the variable by its name, and arrays by indices");
  } else if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    refuse_variable(*global, at);
  } else {
    refuse(at, "a pointer is followed: PEs see the fields of their records alone");
  }
  return std::nullopt;
}

std::optional<FunctionReader::Slot> FunctionReader::slot_of(const Pointer& pointer, const llvm::Type& type,
                                                            const llvm::Instruction& at) {
  const std::optional<Type> wanted = type_of(type);
  const auto& fields = result_.records[static_cast<std::size_t>(pointer.record)];
  for (unsigned n = 0; n < fields.size() && wanted; ++n) {
    const unsigned bytes = fields[n].bytes;
    const std::int64_t inside = pointer.offset - fields[n].offset;
    if (fields[n].bits > 0 || inside < 0 || inside >= static_cast<std::int64_t>(bytes) * fields[n].count) continue;
    const bool whole = type.getPrimitiveSizeInBits() == 8 * bytes;
    if (whole && fields[n].type == *wanted && inside % bytes == 0)
      return Slot{n, static_cast<unsigned>(inside / bytes)};
    if (whole && is_float(fields[n].type) != is_float(*wanted)) {
      refuse(at, kBitsOfNumber);
      return std::nullopt;
    }
  }
  refuse(at, "memory is read or written that is no field of its record, or in another type than the field has");
  return std::nullopt;
}

/// What stands at an address, of which the branches taken may choose one of several.
int FunctionReader::read_at(Address address, const llvm::Instruction& at) {
  const Address further = address_of(address.base);
  address.base = further.base;
  address.offset += further.offset;
  address.indices.insert(address.indices.end(), further.indices.begin(), further.indices.end());
  const auto read = [&](const llvm::Value* base) { return read_at({base, address.offset, address.indices}, at); };
  if (address.indices.size() == 1) {
    if (const int chosen = read_chosen(address, at); chosen != kNotChosen) return chosen;
  }
  if (const auto* chosen = llvm::dyn_cast<llvm::SelectInst>(address.base))
    return choice(at, value(chosen->getCondition(), at), read(chosen->getTrueValue()), read(chosen->getFalseValue()));
  if (const auto* joined = llvm::dyn_cast<llvm::PHINode>(address.base)) return merged(*joined, at, read);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(address.base)) return read_global(*global, address, at);
  const std::optional<Pointer> from = pointer(address.base, at);
  if (!from) return -1;
  if (!address.indices.empty()) return read_element(address, from->record, at);
  if (const int fields = bit_fields(from->record, address.offset, *at.getType()); fields >= 0) return fields;
  const std::optional<Slot> slot = slot_of({from->record, address.offset}, *at.getType(), at);
  if (!slot) return -1;
  if (from->record == changed_) {
    const auto stored = memory_.find(*slot);
    if (stored != memory_.end()) return stored->second;
  }
  return input(from->record, *slot);
}

/// An index that a condition chooses of two constants; kNotChosen if it is none.
int FunctionReader::read_chosen(const Address& address, const llvm::Instruction& at) {
  const llvm::Value* condition = nullptr;
  const llvm::Value* index = address.indices.front().number;
  const std::int64_t bytes = address.indices.front().bytes;
  std::int64_t yes = 1;
  std::int64_t no = 0;
  if (const auto* chosen = llvm::dyn_cast<llvm::SelectInst>(index)) {
    const auto* first = llvm::dyn_cast<llvm::ConstantInt>(chosen->getTrueValue());
    const auto* second = llvm::dyn_cast<llvm::ConstantInt>(chosen->getFalseValue());
    if (first == nullptr || second == nullptr) return kNotChosen;
    condition = chosen->getCondition();
    yes = first->getSExtValue();
    no = second->getSExtValue();
  } else if (const auto* widened = llvm::dyn_cast<llvm::CastInst>(index)) {
    if (!widened->getSrcTy()->isIntegerTy(1)) return kNotChosen;
    condition = widened->getOperand(0);
    if (llvm::isa<llvm::SExtInst>(widened)) yes = -1;
  } else {
    return kNotChosen;
  }
  const int chosen = value(condition, at);
  const auto there = [&](std::int64_t number) {
    return read_at({address.base, address.offset + number * bytes, {}}, at);
  };
  return choice(at, chosen, there(yes), there(no));
}

int FunctionReader::load(const llvm::LoadInst& instruction) {
  return read_at({instruction.getPointerOperand(), 0, {}}, instruction);
}

void FunctionReader::store(const llvm::StoreInst& instruction) {
  const Address address = address_of(instruction.getPointerOperand());
  const bool of_state = changed_ == Record::state && !address.indices.empty();
  const std::optional<Pointer> to = pointer(of_state ? address.base : instruction.getPointerOperand(), instruction);
  if (!to) return;
  if (to->record != changed_) {
    refuse(instruction, changed_ == Record::state ? "a record other than the state is written: take it as const &"
                                                  : "a record other than the result is written: take it as const &");
    return;
  }
  if (of_state) return store_element(address, instruction);
  const std::optional<Slot> slot = slot_of(*to, *instruction.getValueOperand()->getType(), instruction);
  if (!slot) return;
  write(*slot, value(instruction.getValueOperand(), instruction), instruction);
}

/// A call that stands for a change: see passes.h.
void FunctionReader::change(const llvm::CallInst& instruction) {
  static const std::map<std::string, Act, std::less<>> acts{
      {"fadd", Act::add}, {"fsub", Act::sub},  {"minnum", Act::minimum}, {"maxnum", Act::maximum}, {"add", Act::iadd},
      {"sub", Act::isub}, {"smin", Act::imin}, {"smax", Act::imax},      {"umin", Act::imin},      {"umax", Act::imax},
      {"and", Act::iand}, {"or", Act::ior},    {"xor", Act::ixor}};
  const llvm::StringRef name = instruction.getCalledFunction()->getName().drop_front(std::string_view(kChange).size());
  const auto act = acts.find(name.split('.').first.str());
  if (act == acts.end() || instruction.arg_size() != 2 || !instruction.getArgOperand(0)->getType()->isPointerTy()) {
    refuse(instruction, "a function is called that is kept for the compiler");
    return;
  }
  const Address address = address_of(instruction.getArgOperand(0));
  const std::optional<Pointer> base = pointer(address.base, instruction);
  if (!base) return;
  const Pointer to{base->record, address.offset};
  const llvm::Value& addend = *instruction.getArgOperand(1);
  llvm::Type* type = addend.getType();
  // A floating-point result takes addends of both widths: it is rounded once. To shorter integers C++ adds int or long.
  bool is_signed = true;
  for (const auto& field : result_.records[static_cast<std::size_t>(Record::result)]) {
    const std::int64_t inside = to.offset - field.offset;
    if (inside < 0 || inside >= static_cast<std::int64_t>(field.bytes) * field.count) continue;
    is_signed = field.is_signed;
    if (type->isIntegerTy() && !is_float(field.type) && 8 * field.bytes < type->getIntegerBitWidth()) {
      type = llvm::Type::getIntNTy(type->getContext(), 8 * field.bytes);
    }
    if (type->isFloatTy() && field.type == Type::float_long) type = llvm::Type::getDoubleTy(type->getContext());
    if (type->isDoubleTy() && field.type == Type::float_short) type = llvm::Type::getFloatTy(type->getContext());
  }
  if (to.record != Record::result) return;
  const std::optional<Slot> slot = address.indices.empty() ? slot_of(to, *type, instruction) : std::optional<Slot>();
  if (address.indices.empty() && !slot) return;
  int value = this->value(&addend, instruction);
  if (act->first == "smin" || act->first == "smax") is_signed = true;
  if (act->first == "umin" || act->first == "umax") is_signed = false;
  if (addend.getType()->isIntegerTy() && value >= 0) {
    // Bits of shorter integers are those of the member, whatever C++ computes with. Of sums the lower 32 are, and
    // extremes need all of them.
    const bool by_bits = act->second == Act::iand || act->second == Act::ior || act->second == Act::ixor;
    const bool sum = act->second == Act::iadd || act->second == Act::isub;
    const unsigned of_addend = addend.getType()->getIntegerBitWidth();
    const unsigned bits = by_bits                            ? type->getIntegerBitWidth()
                          : sum && !is_long(*type_of(*type)) ? std::min(of_addend, 32U)
                                                             : of_addend;
    value = resized(value, *type_of(*type));
    // A negative number also lessens a sum without a sign, and need not become a large one.
    value = sum && !is_signed ? either_number(value, bits) : as_number(value, bits, is_signed);
  }
  if (!slot) return change_element(act->second, address, value, *type, instruction);
  const auto known = memory_.find(*slot);
  const int before = known == memory_.end() ? input(Record::result, *slot) : known->second;
  write(*slot, add(act->second, *type_of(*type), {before, value}), instruction);
}

/// Changes a result where control comes to `at` and, if that is a node, `where` holds.
void FunctionReader::write(Slot slot, int value, const llvm::Instruction& at, int where) {
  int reached = condition_of(*at.getParent());
  if (reached >= 0 && where >= 0) reached = conditions_.both(reached, where);
  if (value < 0 || reached < 0) return;
  const auto known = memory_.find(slot);
  const int before = known == memory_.end() ? input(changed_, slot) : known->second;
  place_ = stored_at_[slot] = place_of(at);
  const Type type = result_.nodes[static_cast<std::size_t>(before)].type;
  const std::optional<bool> always = conditions_.known(reached);
  if (always == false || value == before) return;
  memory_[slot] = always == true ? value : add(Act::select, type, {reached, value, before});
}

void FunctionReader::instruction(const llvm::Instruction& next) {
  if (llvm::isa<llvm::DbgInfoIntrinsic>(next) || next.getType()->isPointerTy()) {
    if (llvm::isa<llvm::LoadInst>(next))
      refuse(next, "a pointer is followed: PEs see the fields of their records alone");
    return;
  }
  place_ = place_of(next);
  conditions_.place(place_);
  if (const auto* write = llvm::dyn_cast<llvm::StoreInst>(&next)) return store(*write);
  if (const auto* called = llvm::dyn_cast<llvm::CallInst>(&next); called != nullptr && next.getType()->isVoidTy()) {
    const llvm::Function* function = called->getCalledFunction();
    if (function != nullptr && function->getName().starts_with(kChange)) return change(*called);
    call(*called);
    return;
  }
  if (llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst, llvm::UnreachableInst>(next)) return;
  if (next.isTerminator()) {
    refuse(next, "control leaves the function here otherwise than by its end");
    return;
  }
  if (!type_of(*next.getType())) {
    refuse(next, next.getType()->isVectorTy()
                     ? "vectors of the host are in the code: compile with -fno-vectorize -fno-slp-vectorize"
                     : kTypes);
    return;
  }
  const int made = operation(next);
  if (made >= 0) values_[&next] = made;
}

int FunctionReader::operation(const llvm::Instruction& next) {
  if (const auto* read = llvm::dyn_cast<llvm::LoadInst>(&next)) return load(*read);
  if (const auto* two = llvm::dyn_cast<llvm::BinaryOperator>(&next)) return binary(*two);
  if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&next)) return comparison(*compare);
  if (const auto* converted = llvm::dyn_cast<llvm::CastInst>(&next)) return cast(*converted);
  if (const auto* called = llvm::dyn_cast<llvm::CallInst>(&next)) return call(*called);
  if (const auto* joined = llvm::dyn_cast<llvm::PHINode>(&next)) return phi(*joined);
  if (next.getOpcode() == llvm::Instruction::FNeg) {
    return add(Act::negate, *type_of(*next.getType()), {value(next.getOperand(0), next)});
  }
  if (next.getOpcode() == llvm::Instruction::Freeze) return value(next.getOperand(0), next);
  if (const auto* chosen = llvm::dyn_cast<llvm::SelectInst>(&next)) {
    // What is not given a value is not read, as in std::optional: else C++ leaves the whole function open.
    if (llvm::isa<llvm::UndefValue>(chosen->getTrueValue())) return value(chosen->getFalseValue(), next);
    if (llvm::isa<llvm::UndefValue>(chosen->getFalseValue())) return value(chosen->getTrueValue(), next);
    return choice(
        next, value(chosen->getCondition(), next), value(chosen->getTrueValue(), next),
        value(chosen->getFalseValue(), next),
        {place_of_assignment(next, *chosen->getTrueValue()), place_of_assignment(next, *chosen->getFalseValue())});
  }
  return refuse(next, "an operation that has no counterpart on the machine");
}

Place FunctionReader::place_of_assignment(const llvm::Instruction& chosen, const llvm::Value& value) {
  if (!std::exchange(has_variables_, true)) {
    for (const llvm::Instruction& at : llvm::instructions(function_)) {
      for (const llvm::DbgVariableRecord& record : llvm::filterDbgVars(at.getDbgRecordRange())) {
        if (record.getNumVariableLocationOps() == 1)
          variables_.try_emplace(record.getVariableLocationOp(0), record.getVariable()->getName().str());
      }
    }
  }
  const auto variable = variables_.find(&chosen);
  if (variable == variables_.end()) return {};
  const llvm::DILocation* place = assignment_place(*function_.getParent(), variable->second, value);
  return place == nullptr || !is_in_user_file(*place) ? Place{} : place_of(*place);
}

int FunctionReader::choice(const llvm::Instruction& at, int condition, int yes, int no,
                           const std::array<Place, 2>& arms) {
  if (condition < 0 || yes < 0 || no < 0) return -1;
  if (yes == no) return yes;
  if (const std::optional<bool> known = conditions_.known(condition)) return *known ? yes : no;
  const Type type = result_.nodes[static_cast<std::size_t>(yes)].type;
  if (at.getType()->isIntegerTy(1) && type == Type::truth) return conditions_.choice(condition, yes, no);
  if (is_widened(yes) && is_widened(no)) {
    // Both come from short words, so that the choice takes short words, too.
    const int chosen = select(Type::float_short, {condition, before_widening(yes), before_widening(no)}, arms);
    return add(Act::widen, type, {chosen});
  }
  return select(type, {condition, yes, no}, arms);
}

int FunctionReader::select(Type type, std::vector<int> operands, const std::array<Place, 2>& arms) {
  Node node;
  node.act = Act::select;
  node.type = type;
  node.operands = std::move(operands);
  if (arms[0].line > 0 || arms[1].line > 0) node.arms.assign(arms.begin(), arms.end());
  return made(std::move(node));
}

/// True for a double that is made of a float, and for a constant that a float holds exactly.
bool FunctionReader::is_widened(int number) const {
  const Node& node = result_.nodes[static_cast<std::size_t>(number)];
  if (node.type != Type::float_long) return false;
  if (node.act == Act::widen) return true;
  return node.act == Act::constant && static_cast<double>(static_cast<float>(node.number)) == node.number;
}

int FunctionReader::before_widening(int number) {
  const Node node = result_.nodes[static_cast<std::size_t>(number)];
  if (node.act == Act::widen) return node.operands[0];
  return this->number(Type::float_short, node.number);
}

int FunctionReader::phi(const llvm::PHINode& phi) {
  return merged(phi, phi, [&](const llvm::Value* incoming) { return value(incoming, phi); });
}

/// The value, by `of`, of the edge that control takes into a block: choices by the single conditions of the branches on
/// the way from the block above, of which those with equal sides vanish (gated single assignment: Tu and Padua 1995).
int FunctionReader::merged(const llvm::PHINode& phi, const llvm::Instruction& at,
                           const std::function<int(const llvm::Value*)>& of) {
  const llvm::BasicBlock& block = *phi.getParent();
  const auto* node = dominators_.getNode(&block);
  if (node == nullptr || node->getIDom() == nullptr) return refuse(at, "control flow that cannot be followed");
  std::map<const llvm::BasicBlock*, int> known;
  const auto choose = [&](int condition, int yes, int no) { return choice(at, condition, yes, no); };
  std::function<int(const llvm::BasicBlock&)> value_from;
  const Edge edge = [&](const llvm::BasicBlock& source, const llvm::BasicBlock& target) {
    if (&target != &block) return is_before(target, block) ? value_from(target) : kNowhere;
    const llvm::Value* incoming = phi.getIncomingValueForBlock(&source);
    if (llvm::isa<llvm::UndefValue>(incoming)) return kNowhere;
    const int made = of(incoming);
    if (llvm::isa<llvm::Constant>(incoming) && made >= 0) {
      Node& constant = result_.nodes[static_cast<std::size_t>(made)];
      const Place place = place_of_assignment(phi, *incoming);
      if (constant.act == Act::constant && place.line > 0) constant.place = place;
    }
    return made;
  };
  value_from = [&](const llvm::BasicBlock& source) {
    const auto found = known.find(&source);
    if (found != known.end()) return found->second;
    const int made = chosen_by(source, edge, choose);
    return known[&source] = made;
  };
  const int all = value_from(*node->getIDom()->getBlock());
  return all != kNowhere ? all : refuse(at, "a variable is read that was not given a value");
}

/// True if control may come from `block` to `target`, as far as the order of blocks says.
bool FunctionReader::is_before(const llvm::BasicBlock& block, const llvm::BasicBlock& target) const {
  return order_.at(&block) < order_.at(&target);
}

int FunctionReader::chosen_by(const llvm::BasicBlock& source, const Edge& edge,
                              const std::function<int(int condition, int yes, int no)>& choose) {
  const llvm::Instruction& end = *source.getTerminator();
  const StandingAt place(*this, place_of(end));  // conditions and choices are those of the branch
  const auto joined = [&](int condition, int yes, int no) {
    if (yes == kNowhere || no == kNowhere) return yes == kNowhere ? no : yes;
    return condition < 0 || yes < 0 || no < 0 ? -1 : choose(condition, yes, no);
  };
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
    const int first = edge(source, *branch->getSuccessor(0));
    if (branch->isUnconditional()) return first;
    const int second = edge(source, *branch->getSuccessor(1));
    if (first == second) return first;
    return joined(value(branch->getCondition(), end), first, second);
  }
  const auto* cases = llvm::dyn_cast<llvm::SwitchInst>(&end);
  if (cases == nullptr) return kNowhere;
  const int chosen = value(cases->getCondition(), end);
  int all = edge(source, *cases->getDefaultDest());
  std::vector<const llvm::BasicBlock*> targets;
  for (const auto& one : cases->cases()) {
    const llvm::BasicBlock* target = one.getCaseSuccessor();
    const bool seen = std::ranges::find(targets, target) != targets.end();
    if (!seen && target != cases->getDefaultDest()) targets.push_back(target);
  }
  std::ranges::reverse(targets);  // so that the first case is the outermost choice
  for (const llvm::BasicBlock* target : targets) {
    const int there = edge(source, *target);
    if (there == all) continue;
    int reached = -1;
    for (const auto& one : cases->cases()) {
      if (one.getCaseSuccessor() != target) continue;
      const int equal = case_condition(chosen, *one.getCaseValue(), end);
      if (equal < 0) return -1;
      reached = reached < 0 ? equal : conditions_.either(reached, equal);
    }
    all = joined(reached, there, all);
  }
  return all;
}

int FunctionReader::condition_of(const llvm::BasicBlock& block) {
  const auto known = reached_.find(&block);
  if (known != reached_.end()) return known->second;
  const auto* node = dominators_.getNode(&block);
  if (node == nullptr) return reached_[&block] = truth(false);
  if (node->getIDom() == nullptr) return reached_[&block] = truth(true);
  const llvm::BasicBlock& above = *node->getIDom()->getBlock();
  const int before = condition_of(above);
  if (before < 0 || post_dominators_.dominates(&block, &above)) return reached_[&block] = before;
  std::map<const llvm::BasicBlock*, int> found;
  const auto choose = [&](int condition, int yes, int no) { return conditions_.choice(condition, yes, no); };
  std::function<int(const llvm::BasicBlock&)> reaches;
  const Edge edge = [&](const llvm::BasicBlock&, const llvm::BasicBlock& target) {
    if (&target == &block) return truth(true);
    if (!is_before(target, block)) return truth(false);
    return llvm::isa<llvm::UnreachableInst>(target.getTerminator()) ? kNowhere : reaches(target);
  };
  reaches = [&](const llvm::BasicBlock& source) {
    const auto there = found.find(&source);
    if (there != found.end()) return there->second;
    const int made = chosen_by(source, edge, choose);
    return found[&source] = made;
  };
  const int local = reaches(above);
  if (local == kNowhere) return reached_[&block] = truth(false);
  return reached_[&block] = local < 0 ? -1 : conditions_.both(before, local);
}

}  // namespace gdr::compiler
