// The interface is described once, as a list of functions; C and Fortran are two printings of it.
#include "gdr/assembler/stubs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

#include "gdr/isa/experiment.h"

namespace gdr::assembler {
namespace {

/// Words that C or C++ keep for themselves and that a variable of a kernel may be called.
constexpr std::array<std::string_view, 97> kReservedWords{"alignas",
                                                          "alignof",
                                                          "and",
                                                          "and_eq",
                                                          "asm",
                                                          "auto",
                                                          "bitand",
                                                          "bitor",
                                                          "bool",
                                                          "break",
                                                          "case",
                                                          "catch",
                                                          "char",
                                                          "char16_t",
                                                          "char32_t",
                                                          "char8_t",
                                                          "class",
                                                          "co_await",
                                                          "co_return",
                                                          "co_yield",
                                                          "compl",
                                                          "concept",
                                                          "const",
                                                          "const_cast",
                                                          "consteval",
                                                          "constexpr",
                                                          "constinit",
                                                          "continue",
                                                          "decltype",
                                                          "default",
                                                          "delete",
                                                          "do",
                                                          "double",
                                                          "dynamic_cast",
                                                          "else",
                                                          "enum",
                                                          "explicit",
                                                          "export",
                                                          "extern",
                                                          "false",
                                                          "float",
                                                          "for",
                                                          "friend",
                                                          "goto",
                                                          "if",
                                                          "inline",
                                                          "int",
                                                          "long",
                                                          "mutable",
                                                          "namespace",
                                                          "new",
                                                          "noexcept",
                                                          "not",
                                                          "not_eq",
                                                          "nullptr",
                                                          "operator",
                                                          "or",
                                                          "or_eq",
                                                          "private",
                                                          "protected",
                                                          "public",
                                                          "register",
                                                          "reinterpret_cast",
                                                          "requires",
                                                          "restrict",
                                                          "return",
                                                          "short",
                                                          "signed",
                                                          "sizeof",
                                                          "static",
                                                          "static_assert",
                                                          "static_cast",
                                                          "struct",
                                                          "switch",
                                                          "template",
                                                          "this",
                                                          "thread_local",
                                                          "throw",
                                                          "true",
                                                          "try",
                                                          "typedef",
                                                          "typeid",
                                                          "typename",
                                                          "typeof",
                                                          "union",
                                                          "unsigned",
                                                          "using",
                                                          "virtual",
                                                          "void",
                                                          "volatile",
                                                          "wchar_t",
                                                          "while",
                                                          "xor",
                                                          "xor_eq",
                                                          "int64_t",
                                                          "NULL",
                                                          "errno"};

/// A reserved word gets one more underscore, and so do names that would then be taken: `if` is `if_`, `if_` is `if__`.
std::string c_name(const std::string& name) {
  const std::string word = name.substr(0, name.find_last_not_of('_') + 1);
  const bool reserved = std::find(kReservedWords.begin(), kReservedWords.end(), word) != kReservedWords.end();
  return reserved ? name + "_" : name;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// Fortran knows no case, no leading underscore, and 63 characters.
class FortranNames {
 public:
  std::string operator()(const std::string& name) {
    std::string base = lower(name.starts_with('_') ? "v" + name : name).substr(0, 56);
    std::string candidate = base;
    for (int number = 2; !used_.insert(candidate).second; ++number) candidate = fmt::format("{}_{}", base, number);
    return candidate;
  }

 private:
  std::set<std::string> used_;
};

struct Record {
  isa::Transfer transfer;
  std::string type;  // NAME_i_particle and so on
  std::string what;
  std::vector<const isa::Variable*> variables;
  std::vector<std::string> integers{};  // fields behind those of the variables
};

bool is_floating(const isa::Variable& variable) {
  return variable.conversion && isa::info_of(*variable.conversion).floating;
}

std::vector<Record> records_of(const isa::Program& program) {
  std::vector<Record> records;
  if (isa::is_experiment(program)) {
    records.push_back({isa::Transfer::hlt, program.kernel + "_start", "What an experiment begins with.",
                       isa::experiment_starts(program)});
    records.push_back({isa::Transfer::rrn,
                       program.kernel + "_result",
                       "What an experiment ends with; the number of its steps; 0: it was not done after them.",
                       isa::experiment_results(program),
                       {"experiment_steps", "experiment_finished"}});
    return records;
  }
  const auto add = [&](isa::Transfer transfer, std::string_view suffix, std::string_view what) {
    Record record{transfer, program.kernel + std::string(suffix), std::string(what), program.variables_by(transfer)};
    if (!record.variables.empty()) records.push_back(std::move(record));
  };
  add(isa::Transfer::hlt, "_i_particle", "An i-particle, as sent to the PEs.");
  add(isa::Transfer::elt, "_j_particle", "A j-particle, as sent to the external memory.");
  if (program.is_type2()) return records;  // results are words
  add(isa::Transfer::rrn, "_result", "What the kernel gives for an i-particle.");
  return records;
}

/// A generated function; every one returns a status.
struct Function {
  std::string name;
  std::string comment;
  const Record* record = nullptr;  // sent or got
  std::vector<std::string> integers;
  bool value = false;                                                               // takes a double
  std::string body;                                                                 // C expression of the status
  enum class Words : std::uint8_t { none, doubles, integers } words = Words::none;  // fills an array of them
  std::string out{};            // name of a double or, if it is `counts`, of three integers that it fills
  const Record* got = nullptr;  // of experiments: their results, beside the starts in `record`
};

/// As the messages of the runtime call them.
std::string records_name(const Function& function) { return function.got != nullptr ? "starts" : "records"; }

/// What a program can ask when it has run, and the end.
void add_observations(const std::string& kernel, std::vector<Function>& functions) {
  functions.push_back({kernel + "_emulated_seconds",
                       "Emulated time since init, of the board and its host of 2009.",
                       nullptr,
                       {},
                       false,
                       "gdr_runtime_emulated_seconds(runtime, seconds)",
                       Function::Words::none,
                       "seconds"});
  functions.push_back(
      {kernel + "_events",
       "Floating-point events since init, as gdr run reports them: invalid operations, overflows, underflows.",
       nullptr,
       {},
       false,
       "gdr_runtime_events(runtime, counts)",
       Function::Words::none,
       "counts"});
  functions.push_back({kernel + "_grape_close",
                       "Writes what GDR_PROFILE and GDR_TRACE name, and gives the device back.",
                       nullptr,
                       {},
                       false,
                       "close_kernel()"});
}

void add_parameters(const isa::Program& program, std::vector<Function>& functions) {
  for (const isa::Parameter& parameter : program.parameters) {
    if (isa::is_experiment(program) && parameter.name == isa::kExperimentLimit) continue;  // most_steps sets it
    functions.push_back({fmt::format("{}_set_{}", program.kernel, parameter.name),
                         fmt::format("Parameter {}, {} if never set.", parameter.name, parameter.default_value),
                         nullptr,
                         {},
                         true,
                         fmt::format("gdr_runtime_set_parameter(runtime, \"{}\", value)", parameter.name)});
  }
}

std::vector<Function> functions_of(const isa::Program& program, const std::vector<Record>& records) {
  const std::string& kernel = program.kernel;
  std::vector<Function> functions;
  functions.push_back(
      {kernel + "_grape_init", "Opens a device and loads the kernel.", nullptr, {}, false, "open_kernel()"});
  if (isa::is_experiment(program)) {
    add_parameters(program, functions);
    functions.push_back(
        {kernel + "_experiments",
         "Runs an experiment of at most most_steps steps for each of n starts. Results are in their order.",
         &records[0],
         {"n"},
         false,
         "gdr_runtime_experiments(runtime, starts, n, most_steps, results)",
         Function::Words::none,
         "",
         &records[1]});
    add_observations(kernel, functions);
    return functions;
  }
  for (const Record& record : records) {
    if (record.transfer == isa::Transfer::hlt) {
      functions.push_back({kernel + "_send_i_particle",
                           "Replaces all i-particles. Places that get none are as after init.",
                           &record,
                           {"n"},
                           false,
                           "gdr_runtime_send_i(runtime, records, n)"});
    } else if (record.transfer == isa::Transfer::elt) {
      functions.push_back({kernel + "_send_elt_data0",
                           "Writes j-particles first .. first + n - 1.",
                           &record,
                           {"first", "n"},
                           false,
                           "gdr_runtime_send_j(runtime, first, records, n)"});
    }
  }
  add_parameters(program, functions);
  if (program.is_type2()) {
    functions.push_back({kernel + "_type2_run",
                         "Runs so many iterations of the loop and waits for its end.",
                         nullptr,
                         {"turns"},
                         false,
                         "run_kernel(turns)"});
    functions.push_back({kernel + "_type2_start",
                         "Starts so many iterations of the loop in the background.",
                         nullptr,
                         {"turns"},
                         false,
                         "gdr_runtime_start(runtime, turns)"});
    functions.push_back({kernel + "_type2_wait",
                         "Waits for the end of the loop that was started.",
                         nullptr,
                         {},
                         false,
                         "gdr_runtime_wait(runtime)"});
    const auto add_words = [&](std::string_view name, std::string comment, Function::Words words) {
      functions.push_back({fmt::format("{}_{}", kernel, name),
                           std::move(comment),
                           nullptr,
                           {"n"},
                           false,
                           "gdr_runtime_get_words(runtime, words, n)",
                           words});
    };
    const std::vector<const isa::Variable*> results = program.variables_by(isa::Transfer::rrn);
    const bool floating =
        std::ranges::any_of(results, [](const isa::Variable* result) { return is_floating(*result); });
    const bool whole = std::ranges::any_of(results, [](const isa::Variable* result) { return !is_floating(*result); });
    const std::string which = "The first n words of the last run, in the order of the kernel's collect lines";
    add_words("get_words", which + ".", floating ? Function::Words::doubles : Function::Words::integers);
    if (floating && whole) {
      add_words("get_integers", which + ", as integers: right for results that are integers.",
                Function::Words::integers);
    }
    add_observations(kernel, functions);
    return functions;
  }
  functions.push_back({kernel + "_grape_run",
                       "Runs the loop over j-particles 0 .. nj - 1 and waits for its end.",
                       nullptr,
                       {"nj"},
                       false,
                       "run_kernel(nj)"});
  functions.push_back({kernel + "_grape_start",
                       "Starts the loop in the background.",
                       nullptr,
                       {"nj"},
                       false,
                       "gdr_runtime_start(runtime, nj)"});
  functions.push_back({kernel + "_grape_wait",
                       "Waits for the end of the loop that was started.",
                       nullptr,
                       {},
                       false,
                       "gdr_runtime_wait(runtime)"});
  for (const Record& record : records) {
    if (record.transfer != isa::Transfer::rrn) continue;
    functions.push_back({kernel + "_get_result",
                         "Results of the first n i-particles.",
                         &record,
                         {"n"},
                         false,
                         "gdr_runtime_get_result(runtime, records, n)"});
  }
  add_observations(kernel, functions);
  return functions;
}

// ---- C -------------------------------------------------------------------------------------------------------------

std::string c_struct(const Record& record) {
  std::string text = fmt::format("/* {} */\ntypedef struct {} {{\n", record.what, record.type);
  for (const isa::Variable* variable : record.variables) {
    text += fmt::format("  {} {}", is_floating(*variable) ? "double" : "int64_t", c_name(variable->name));
    for (const std::uint16_t dimension : variable->dimensions) text += fmt::format("[{}]", dimension);
    text += ";\n";
  }
  for (const std::string& name : record.integers) text += fmt::format("  int64_t {};\n", name);
  return text + fmt::format("}} {};\n\n", record.type);
}

std::string c_signature(const Function& function) {
  std::string arguments;
  const auto add = [&](const std::string& argument) { arguments += (arguments.empty() ? "" : ", ") + argument; };
  if (function.record != nullptr) {
    const bool sends = function.record->transfer != isa::Transfer::rrn;
    add(fmt::format("{}{}* {}", sends ? "const " : "", function.record->type, records_name(function)));
  }
  switch (function.words) {
    case Function::Words::none:
      break;
    case Function::Words::doubles:
      add("double* words");
      break;
    case Function::Words::integers:
      add("int64_t* words");
      break;
  }
  for (const std::string& integer : function.integers) add("int " + integer);
  if (function.got != nullptr) {
    add("int64_t most_steps");
    add(fmt::format("{}* results", function.got->type));
  }
  if (function.value) add("double value");
  if (!function.out.empty()) add(function.out == "counts" ? "int64_t counts[3]" : "double* " + function.out);
  return fmt::format("int {}({})", function.name, arguments.empty() ? "void" : arguments);
}

std::string c_header(const isa::Program& program, const std::vector<Record>& records,
                     const std::vector<Function>& functions) {
  const std::string guard = upper(program.kernel) + "_GRAPE_H";
  std::string text = fmt::format(
      "/* Host interface of kernel {0}. Every function returns 0 or a status that {0}_strerror() explains. */\n"
      "#ifndef {1}\n#define {1}\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      program.kernel, guard);
  for (const Record& record : records) text += c_struct(record);
  for (const Function& function : functions) {
    text += fmt::format("/* {} */\n{};\n", function.comment, c_signature(function));
  }
  text += fmt::format(
      "/* Text of a status; never null. */\nconst char* {0}_strerror(int status);\n"
      "/* Why the last call on this thread failed, in full; empty if it did not. Valid until the next call. */\n"
      "const char* {0}_message(void);\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      program.kernel);
  return text;
}

std::string c_bytes(const std::vector<std::byte>& bytes) {
  constexpr std::size_t kBytesPerLine = 20;
  std::string text;
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    text += fmt::format("{}{},", index % kBytesPerLine == 0 ? "\n    " : " ", std::to_integer<unsigned>(bytes[index]));
  }
  return text;
}

std::string c_source(const isa::Program& program, const std::vector<Function>& functions) {
  std::string text = fmt::format(
      "/* Host side of kernel {0}: its object file, and calls of the runtime library. */\n"
      "#include \"{0}_grape.h\"\n\n#include \"gdr/hostlib/runtime.h\"\n\n"
      "static const unsigned char object[] = {{{1}\n}};\n\nstatic gdr_runtime* runtime;\n\n"
      "static int close_kernel(void) {{\n  const int status = runtime != 0 ? gdr_runtime_finish(runtime) : 0;\n"
      "  gdr_runtime_close(runtime);\n  runtime = 0;\n  return status;\n}}\n\n"
      "static int open_kernel(void) {{\n  const int status = close_kernel();\n"
      "  return status != 0 ? status : gdr_runtime_open(object, sizeof object, &runtime);\n}}\n\n"
      "{2}",
      program.kernel, c_bytes(isa::serialize(program)),
      isa::is_experiment(program)
          ? ""
          : "static int run_kernel(int nj) {\n  const int status = gdr_runtime_start(runtime, nj);\n"
            "  return status != 0 ? status : gdr_runtime_wait(runtime);\n}\n\n");
  for (const Function& function : functions) {
    text += fmt::format("{} {{ return {}; }}\n", c_signature(function), function.body);
  }
  return text + fmt::format(
                    "const char* {0}_strerror(int status) {{ return gdr_runtime_strerror(status); }}\n"
                    "const char* {0}_message(void) {{ return gdr_runtime_message(); }}\n",
                    program.kernel);
}

// ---- Fortran -------------------------------------------------------------------------------------------------------

std::string fortran_type(const Record& record, const std::string& type) {
  std::string text = fmt::format("  ! {}\n  type, bind(c) :: {}\n", record.what, type);
  FortranNames names;
  for (const isa::Variable* variable : record.variables) {
    text += fmt::format("    {} :: {}", is_floating(*variable) ? "real(c_double)" : "integer(c_int64_t)",
                        names(variable->name));
    // The last dimension of C is the first of Fortran.
    std::string dimensions;
    for (auto dimension = variable->dimensions.rbegin(); dimension != variable->dimensions.rend(); ++dimension) {
      dimensions += fmt::format("{}{}", dimensions.empty() ? "" : ", ", *dimension);
    }
    text += dimensions.empty() ? "\n" : fmt::format("({})\n", dimensions);
  }
  for (const std::string& name : record.integers) text += fmt::format("    integer(c_int64_t) :: {}\n", names(name));
  return text + fmt::format("  end type {}\n\n", type);
}

std::string fortran_function(const Function& function, const std::string& name, const std::string& type,
                             const std::string& got) {
  std::string arguments;
  std::string declarations;
  const auto add = [&](const std::string& argument, const std::string& declaration) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
    declarations += fmt::format("      {} :: {}\n", declaration, argument);
  };
  if (function.record != nullptr) {
    const bool sends = function.record->transfer != isa::Transfer::rrn;
    add(records_name(function), fmt::format("type({}), dimension(*), intent({})", type, sends ? "in" : "inout"));
  }
  switch (function.words) {
    case Function::Words::none:
      break;
    case Function::Words::doubles:
      add("words", "real(c_double), dimension(*), intent(inout)");
      break;
    case Function::Words::integers:
      add("words", "integer(c_int64_t), dimension(*), intent(inout)");
      break;
  }
  for (const std::string& integer : function.integers) add(integer, "integer(c_int), value");
  if (function.got != nullptr) {
    add("most_steps", "integer(c_int64_t), value");
    add("results", fmt::format("type({}), dimension(*), intent(inout)", got));
  }
  if (function.value) add("value", "real(c_double), value");
  if (function.out == "counts") {
    add("counts", "integer(c_int64_t), dimension(3), intent(out)");
  } else if (!function.out.empty()) {
    add(function.out, "real(c_double), intent(out)");
  }
  return fmt::format(
      "    ! {}\n    function {}({}) &\n        bind(c, name=\"{}\") result(status)\n      import\n{}"
      "      integer(c_int) :: status\n    end function\n\n",
      function.comment, name, arguments, function.name, declarations);
}

/// The text with lines of at most 132 columns, which is what Fortran reads. Names may be cut by `&` at both sides.
std::string in_columns(const std::string& text) {
  constexpr std::size_t kColumns = 132;
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t first = line.find_first_not_of(' ');
    const bool is_comment = first != std::string::npos && line[first] == '!';
    while (line.size() > kColumns) {
      const std::size_t blank = is_comment ? line.rfind(' ', kColumns) : std::string::npos;
      const bool between_words = blank != std::string::npos && blank > first + 1;
      const std::size_t cut = between_words ? blank : kColumns - 1;
      all += line.substr(0, cut) + (is_comment ? "\n" : "&\n");
      line = std::string(first, ' ') + (is_comment ? "! " : "&") + line.substr(between_words ? cut + 1 : cut);
    }
    all += line + "\n";
  }
  return all;
}

std::string fortran_module(const isa::Program& program, const std::vector<Record>& records,
                           const std::vector<Function>& functions) {
  FortranNames names;
  const std::string module = names(program.kernel + "_grape");
  std::string text = fmt::format(
      "! Host interface of kernel {0}. Every function returns 0 or a status that {0}_strerror explains.\n"
      "module {1}\n  use, intrinsic :: iso_c_binding\n  implicit none\n\n",
      program.kernel, module);
  std::vector<std::string> types;
  for (const Record& record : records) {
    types.push_back(names(record.type));
    text += fortran_type(record, types.back());
  }
  text += "  interface\n";
  for (const Function& function : functions) {
    const auto type_of = [&](const Record* record) {
      return record == nullptr ? std::string() : types[static_cast<std::size_t>(record - records.data())];
    };
    text += fortran_function(function, names(function.name), type_of(function.record), type_of(function.got));
  }
  text += fmt::format(
      "    ! Address of a C string.\n    function {}(status) &\n        bind(c, name=\"{}_strerror\") result(text)\n"
      "      import\n      integer(c_int), value :: status\n      type(c_ptr) :: text\n    end function\n\n"
      "    ! Address of a C string: why the last call failed, in full.\n    function {}() &\n"
      "        bind(c, name=\"{}_message\") result(text)\n      import\n      type(c_ptr) :: text\n    end function\n"
      "  end interface\nend module {}\n",
      names(program.kernel + "_strerror"), program.kernel, names(program.kernel + "_message"), program.kernel, module);
  return in_columns(text);
}

}  // namespace

Stubs generate_stubs(const isa::Program& program) {
  const std::vector<Record> records = records_of(program);
  const std::vector<Function> functions = functions_of(program, records);
  return {c_header(program, records, functions), c_source(program, functions),
          fortran_module(program, records, functions)};
}

}  // namespace gdr::assembler
