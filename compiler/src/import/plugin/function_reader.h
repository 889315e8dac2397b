// One function of LLVM IR without loops to one line of operations: branches become choices.
#pragma once

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "arrays/indices.h"
#include "loops/ranges.h"
#include "pair/conditions.h"
#include "pair/pair_function.h"

namespace gdr::compiler {

inline constexpr const char* kTypes = "values are float, double, integers of up to 64 bits, and bool";

inline constexpr const char* kBitsOfNumber =
    "the bits of a number are no number here: convert by static_cast, and ask for a sign by x < 0";

class FunctionReader {
 public:
  /// `roles[n]` is the record of argument n, and `changed` the one that is written; `result.records` are known.
  FunctionReader(llvm::Function& function, std::vector<Record> roles, PairFunction& result,
                 std::vector<Message>& errors, Record changed = Record::result);
  void read();
  /// Reads a condition on the changed record as `before` has left it, and returns its node; -1 after an error.
  int read_condition(const FunctionReader& before);

 private:
  using Slot = std::pair<unsigned, unsigned>;  // field and element of the record that is changed
  /// What an address is made of.
  struct Address {
    const llvm::Value* base = nullptr;
    std::int64_t offset = 0;
    std::vector<Index> indices;
  };
  struct Pointer {
    Record record = Record::i;
    std::int64_t offset = 0;
  };

  /// Reads all blocks and returns the end of the last one; nothing after an error.
  const llvm::ReturnInst* read_blocks();
  /// Puts the blocks into an order in which control goes forwards; true, with an error, if there is none.
  bool has_loop();
  [[nodiscard]] bool is_before(const llvm::BasicBlock& block, const llvm::BasicBlock& target) const;
  void block(const llvm::BasicBlock& block);
  void instruction(const llvm::Instruction& instruction);
  int operation(const llvm::Instruction& instruction);
  int binary(const llvm::BinaryOperator& instruction);
  int comparison(const llvm::CmpInst& instruction);
  int truth_binary(const llvm::BinaryOperator& instruction);
  std::optional<int> truth_intrinsic(const llvm::IntrinsicInst& instruction);
  int truth_comparison(const llvm::CmpInst& instruction, int a, int b);
  int float_comparison(const llvm::CmpInst& instruction, int a, int b);
  int int_comparison(const llvm::CmpInst& instruction, int a, int b);
  int cast(const llvm::CastInst& instruction);
  int call(const llvm::CallInst& instruction);
  int intrinsic(const llvm::IntrinsicInst& instruction);
  int function(Act act, Type type, std::vector<int> operands);
  int number(Type type, double value);
  std::optional<int> composed(llvm::StringRef name, const llvm::CallInst& next);
  // Functions that are made of others: composed.cpp.
  std::optional<int> whole_power(Type type, int base, int exponent);
  int scaled(Type type, int x, int n);
  int what_is_left(Type type, int x, int y, bool nearest, int* quotient = nullptr);
  int area_function(llvm::StringRef name, Type type, int x);
  int of_exponentials_or_arcs(llvm::StringRef name, Type type, int x);
  int gamma_function(Type type, int x, bool logarithm);
  int signed_power(Type type, int base, int exponent);
  // Functions that take numbers apart: parts.cpp.
  std::optional<int> taken_apart(llvm::StringRef name, const llvm::CallInst& next);
  int exponent_of(llvm::StringRef name, Type type, int x);
  int infinite(Type type, int x);
  int behind_the_point(Type type, int x);
  int low_quotient(Type type, int x, int y);
  int is_of_class(const llvm::IntrinsicInst& next);
  int rounded_to_integer(const llvm::CallInst& instruction, Act rounding);
  // Integers: integers.cpp.
  static std::optional<Type> integer_type(const llvm::Type& type);
  static std::int64_t low_of(const llvm::APInt& value);
  int integer(Type type, std::int64_t value);
  int of_bits(Act act, int operand, unsigned bits);
  [[nodiscard]] const Bounds& bounds(int number) const;
  int within(int number, const Bounds& allowed);
  int as_number(int number, unsigned bits, bool is_signed);
  int either_number(int number, unsigned bits);
  std::pair<int, int> comparable(int a, int b, unsigned bits);
  int integer_binary(const llvm::BinaryOperator& instruction);
  int constant_product(int a, const llvm::APInt& factor);
  int integer_product(const llvm::BinaryOperator& instruction, int a, int b);
  int quotient(const llvm::BinaryOperator& instruction, int a, int b);
  int integer_cast(const llvm::CastInst& instruction, int operand);
  int resized(int number, Type type);
  int halves_added(int a, unsigned count, std::int64_t mask);
  int bits_set(int a, unsigned bits);
  int exchanged(int a, unsigned count, unsigned bits);
  int zeros_above(int a, unsigned bits);
  int funnel(const llvm::IntrinsicInst& instruction, int a, int b, int c, bool left);
  std::optional<int> integer_intrinsic(const llvm::IntrinsicInst& instruction);
  int bit_fields(Record record, std::int64_t offset, const llvm::Type& type);

  int load(const llvm::LoadInst& instruction);
  void store(const llvm::StoreInst& instruction);
  /// `arms`: where the variable is assigned each of the two, if that is known.
  int choice(const llvm::Instruction& at, int condition, int yes, int no, const std::array<Place, 2>& arms = {});
  /// Where the variable that an instruction chooses for is assigned a value.
  [[nodiscard]] Place place_of_assignment(const llvm::Instruction& chosen, const llvm::Value& value);
  [[nodiscard]] bool is_widened(int number) const;
  int before_widening(int number);
  int phi(const llvm::PHINode& phi);
  int merged(const llvm::PHINode& phi, const llvm::Instruction& at, const std::function<int(const llvm::Value*)>& of);
  int read_chosen(const Address& address, const llvm::Instruction& at);
  int read_at(Address address, const llvm::Instruction& at);
  // Arrays at indices of data: indexed.cpp.
  struct Indexed {
    int index = -1;         // the node of the sum of all indices
    std::int64_t unit = 0;  // bytes from one index to the next
    Bounds known;           // of the sum, as far as C++ allows it: an index is that of an element of its array
  };
  static std::string name_of(const llvm::GlobalVariable& variable);
  int refuse_variable(const llvm::GlobalVariable& variable, const llvm::Instruction& at);
  [[nodiscard]] bool is_written(const llvm::Value& address) const;
  [[nodiscard]] Address address_of(const llvm::Value* pointer) const;
  Bounds bounds_where(llvm::Value& index, const llvm::Instruction& at);
  std::optional<Indexed> sum_of(const Address& address, std::int64_t unit, const llvm::Instruction& at);
  std::optional<Indexed> indexed(const Address& address, const llvm::Instruction& at);
  [[nodiscard]] std::optional<std::int64_t> index_at(const Indexed& all, const Address& address,
                                                     std::int64_t place) const;
  int is_index(const Indexed& all, std::int64_t index);
  int chosen_entry(const Indexed& all, const std::vector<std::pair<std::int64_t, int>>& entries,
                   const llvm::Instruction& at);
  int read_global(const llvm::GlobalVariable& variable, const Address& address, const llvm::Instruction& at);
  [[nodiscard]] std::vector<std::pair<std::int64_t, Slot>> slots_of(const Indexed& all, const Address& address,
                                                                    Record record, const llvm::Type& type) const;
  int read_element(const Address& address, Record record, const llvm::Instruction& at);
  void change(const llvm::CallInst& instruction);
  void change_element(Act act, const Address& address, int value, const llvm::Type& type, const llvm::Instruction& at);
  void store_element(const Address& address, const llvm::StoreInst& instruction);
  void write(Slot slot, int value, const llvm::Instruction& at, int where = -1);
  int as_member(Slot slot, int value);
  void names();
  void hold();

  /// The condition under which control comes to a block.
  int condition_of(const llvm::BasicBlock& block);
  /// What an edge between two blocks leads to.
  using Edge = std::function<int(const llvm::BasicBlock& source, const llvm::BasicBlock& target)>;
  /// Chooses among what the edges of a block's end lead to, one comparison after the other.
  int chosen_by(const llvm::BasicBlock& source, const Edge& edge,
                const std::function<int(int condition, int yes, int no)>& choose);
  int case_condition(int chosen, const llvm::ConstantInt& number, const llvm::Instruction& at);

  std::optional<Pointer> pointer(const llvm::Value* value, const llvm::Instruction& at);
  /// Field and element at a pointer, of the type that is read or written there.
  std::optional<Slot> slot_of(const Pointer& pointer, const llvm::Type& type, const llvm::Instruction& at);
  std::optional<Type> type_of(const llvm::Type& type) const;
  int value(const llvm::Value* value, const llvm::Instruction& at);
  int constant(const llvm::Constant& constant, const llvm::Instruction& at);
  /// Nodes come from here alone, with all their fields: what is set afterwards would not be in their bounds.
  int made(Node node);
  int add(Act act, Type type, std::vector<int> operands);
  int select(Type type, std::vector<int> operands, const std::array<Place, 2>& arms);
  int truth(bool value);
  int input(Record record, Slot slot);
  int refuse(const llvm::Instruction& at, std::string text);
  /// The innermost place of an instruction in the user's files, with the calls that lead there. Functions of libraries
  /// have the place of their call.
  Place place_of(const llvm::Instruction& instruction) const;
  Place place_of(const llvm::DILocation& location) const;
  /// While this exists, new nodes stand at its place.
  class StandingAt {
   public:
    StandingAt(FunctionReader& reader, Place place);
    ~StandingAt();
    StandingAt(const StandingAt&) = delete;
    StandingAt& operator=(const StandingAt&) = delete;

   private:
    FunctionReader& reader_;
    Place before_;
  };
  [[nodiscard]] bool is_in_user_file(const llvm::DILocation& location) const;

  llvm::Function& function_;
  std::vector<Record> roles_;
  PairFunction& result_;
  std::vector<Message>& errors_;
  Record changed_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_dominators_;
  Ranges ranges_;  // as far as the branches on the way to a place tell
  Conditions conditions_;
  std::map<const llvm::Value*, std::string> variables_;  // local ones, by their values
  bool has_variables_ = false;
  std::set<const llvm::GlobalVariable*> refused_;  // outside of the records
  std::map<const llvm::Value*, int> values_;
  std::map<const llvm::BasicBlock*, std::size_t> order_;
  std::map<const llvm::BasicBlock*, int> reached_;  // condition of each block
  std::map<Slot, Place> stored_at_;
  std::map<std::pair<Record, Slot>, int> inputs_;
  std::map<std::tuple<int, unsigned, bool>, int> numbers_;  // what as_number() made
  // Words as all stores so far left them: each changes them only where its block is reached, so that a load finds
  // what the stores on its own path made.
  std::map<Slot, int> memory_;
  Place place_;  // of the instruction at work
};

}  // namespace gdr::compiler
