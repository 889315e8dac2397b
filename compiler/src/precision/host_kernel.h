// Computes a pair function in the host's doubles, whatever its widths, as the reference for measured errors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "microcode/microcode.h"
#include "pair/pair_function.h"
#include "roundings.h"

namespace gdr::compiler {

class HostKernel {
 public:
  /// `parameters` has the words of the parameters' record, `reductions` those of the words of the result record.
  HostKernel(const Imported& imported, std::span<const Reduction> reductions, std::vector<double> parameters);

  /// The result records of `i_particles` i-particles, one number for each word; integers are converted to numbers.
  /// Integers have 64 bits during the computation. Values of `rounded` are rounded as the machine rounds them to short
  /// words.
  [[nodiscard]] std::vector<double> run(std::span<const std::uint64_t> i_fields, std::size_t i_particles,
                                        std::span<const std::uint64_t> j_fields,
                                        const Rounding* rounded = nullptr) const;

  /// Number of words of a record.
  [[nodiscard]] std::size_t words(Record record) const { return types_[static_cast<std::size_t>(record)].size(); }

 private:
  /// A floating-point number, or an integer or truth value.
  struct Value {
    double number = 0;
    std::int64_t integer = 0;
  };
  struct Step {
    Act act = Act::constant;
    std::vector<int> operands;
    Value constant;
    Record record = Record::i;
    std::size_t word = 0;  // index in the record
    bool is_float = true;  // type of the value
    bool is_long = false;  // width of an integer
    unsigned bits = 0;     // significant bits to which short words round the value
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

  std::array<std::vector<Type>, kRecords> types_;  // types of the words of each record
  std::vector<Value> start_;                       // initial values of the result record
  std::vector<Value> parameters_;
  Part body_;
  Part finish_;
};

}  // namespace gdr::compiler
