// Input of `gdr run` and `gdr debug`: a kernel, its particles and parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/command.h"
#include "command/kernel_source.h"

namespace gdr::cli {

/// Records in the form that Device takes.
struct RunData {
  std::vector<std::uint64_t> i_fields;
  std::vector<std::uint64_t> j_fields;
  std::size_t ni = 0;
  std::size_t nj = 0;
  std::size_t records = 0;  // argument of Device::run(): j-records, or turns of a Type II kernel
};

struct RunInput {
  std::string kernel;
  std::string i_file;
  std::string j_file;
  std::vector<std::string> parameters;  // NAME=NUMBER
  bool ignore_extra = false;
  std::optional<std::uint64_t> turns;
  AssembleArguments assemble{};  // for a kernel that is given as source

  /// Adds the options that name data, and returns them.
  std::vector<Option> add_data_to(Command command);
  /// Adds also the kernel and the options for assembling it. A kernel that is not required may be empty.
  void add_to(Command command, bool required = true);
  /// True if a data file is named.
  [[nodiscard]] bool given() const { return !i_file.empty() || !j_file.empty(); }
  /// Throws as load_kernel_file() does and, for a compiled kernel, as require_parameters().
  [[nodiscard]] LoadedKernel load() const;
  /// Throws UsageError if a parameter of a compiled function is not given: these parameters have no default.
  void require_parameters(const isa::Program& program) const;
  /// Names and values of the parameters. Throws UsageError for an argument that is not NAME=NUMBER.
  [[nodiscard]] std::vector<std::pair<std::string, double>> parameter_values() const;
  /// Throws UsageError for a parameter that the kernel does not have or that cannot have the value.
  void set_parameters(Device& device) const;
  /// Reads the data for a device that has loaded the kernel. Throws UsageError for files that are missing or not
  /// needed, and gdr::Error for errors in their contents.
  [[nodiscard]] RunData read(const Device& device) const;
};

}  // namespace gdr::cli
