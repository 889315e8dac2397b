// What `gdr run` and `gdr debug` work on: a kernel, its particles and parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "kernel_source.h"

namespace gdr::cli {

/// Records as Device takes them.
struct RunData {
  std::vector<std::uint64_t> i_fields;
  std::vector<std::uint64_t> j_fields;
  std::size_t ni = 0;
  std::size_t nj = 0;
  std::size_t records = 0;  // of Device::run(): j-records, or turns of a kernel of Type II
};

struct RunInput {
  std::string kernel;
  std::string i_file;
  std::string j_file;
  std::vector<std::string> parameters;  // NAME=NUMBER
  bool ignore_extra = false;
  std::optional<std::uint64_t> turns;
  AssembleArguments assemble{};  // of a kernel that is a source

  /// The options that name data; returns them.
  std::vector<Option> add_data_to(Command command);
  /// The kernel as well, and how it is assembled. A kernel that is not required may be empty.
  void add_to(Command command, bool required = true);
  /// Whether a file of data is named.
  [[nodiscard]] bool given() const { return !i_file.empty() || !j_file.empty(); }
  /// Throws as load_kernel_file() and, of a kernel that is compiled, require_parameters().
  [[nodiscard]] LoadedKernel load() const;
  /// Parameters of a compiled function have no default: throws UsageError if one of them is not given.
  void require_parameters(const isa::Program& program) const;
  /// Names and numbers. Throws UsageError.
  [[nodiscard]] std::vector<std::pair<std::string, double>> parameter_values() const;
  /// Throws UsageError for a parameter that the kernel does not have or that cannot take the value.
  void set_parameters(Device& device) const;
  /// For a device that has loaded the kernel. Throws UsageError for files that are missing or not wanted, gdr::Error
  /// for what stands in them.
  [[nodiscard]] RunData read(const Device& device) const;
};

}  // namespace gdr::cli
