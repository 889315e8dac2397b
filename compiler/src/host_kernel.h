// A pair function in the host's doubles, whatever its widths: what results are measured against.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "microcode.h"
#include "pair_function.h"
#include "roundings.h"

namespace gdr::compiler {

class HostKernel {
 public:
  /// `parameters`: the words of the parameters' record. `reductions`: of the words of the result record.
  HostKernel(const Imported& imported, std::span<const Reduction> reductions, std::vector<double> parameters);

  /// The result records of `i_particles` i-particles, a number for each word, integers as numbers. Integers have 64
  /// bits on the way. Values of `rounded` are rounded as the machine rounds them to short words.
  [[nodiscard]] std::vector<double> run(std::span<const std::uint64_t> i_fields, std::size_t i_particles,
                                        std::span<const std::uint64_t> j_fields,
                                        const Rounding* rounded = nullptr) const;

  /// Words of a record.
  [[nodiscard]] std::size_t words(Record record) const { return types_[static_cast<std::size_t>(record)].size(); }

 private:
  /// A number, or an integer or truth.
  struct Value {
    double number = 0;
    std::int64_t integer = 0;
  };
  struct Step {
    Act act = Act::constant;
    std::vector<int> operands;
    Value constant;
    Record record = Record::i;
    std::size_t word = 0;  // of the record
    bool is_float = true;  // of the value
    bool is_long = false;  // of an integer
    unsigned bits = 0;     // to which short words round it
  };
  struct Keeping {
    std::size_t word = 0;
    int value = 0;
  };
  struct Part {
    std::vector<Step> steps;
    std::vector<Keeping> stores;
  };
  using Records = std::array<std::span<const Value>, kRecords>;

  [[nodiscard]] Part part(const PairFunction& function) const;
  [[nodiscard]] std::vector<Value> values_of(std::span<const std::uint64_t> fields, Record record) const;
  static void execute(const Part& part, const std::vector<char>& rounded, const Records& records,
                      std::vector<Value>& values);
  static Value value_of(const Step& step, const Records& records, const std::vector<Value>& values);
  static double function_of(Act act, double a, double b);
  static std::int64_t integer_of(const Step& step, const Value& a, const Value& b);

  std::array<std::vector<Type>, kRecords> types_;  // of words
  std::vector<Value> start_;                       // of the result record
  std::vector<Value> parameters_;
  Part body_;
  Part finish_;
};

}  // namespace gdr::compiler
