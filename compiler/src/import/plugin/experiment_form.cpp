#include "experiment_form.h"

#include <algorithm>
#include <filesystem>

#include "function_reader.h"

namespace gdr::compiler {
namespace {

/// Of each argument, whether it is constant; the parameters may follow.
bool has_form(const std::vector<Argument>& arguments, std::initializer_list<bool> constant) {
  if (arguments.size() != constant.size() && arguments.size() != constant.size() + 1) return false;
  const bool* wanted = constant.begin();
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    const bool is_constant = n < constant.size() ? wanted[n] : true;
    if (arguments[n].structure == nullptr || arguments[n].constant != is_constant) return false;
  }
  return true;
}

Place place_of_function(const Described& described) {
  const llvm::DISubprogram& function = *described.function->getSubprogram();
  return {function.getFilename().str(), function.getLine(), 1, function.getName().str()};
}

/// Reads the functions one by one.
class ExperimentReader {
 public:
  ExperimentReader(const ExperimentForm& form, Imported& result) : form_(form), result_(result) {}

  void run(const std::string& kernel) {
    result_.experiment = true;
    if (form_.end.function == nullptr) {
      return refuse(form_.step, std::string("function 'end' is missing, or has another form: ") + kExperimentForm);
    }
    if (!same_records()) return;
    std::array<std::vector<Field>, kRecords> records;
    const auto fill = [&](Record record, const llvm::DICompositeType* structure) {
      if (structure != nullptr) records[static_cast<std::size_t>(record)] = fields_of(*structure, result_.errors);
    };
    fill(Record::i, form_.begin.arguments[0].structure);
    fill(Record::state, state());
    fill(Record::result, form_.end.arguments[1].structure);
    fill(Record::parameter, parameters_);
    for (PairFunction* function : {&result_.begin, &result_.body, &result_.finish}) {
      function->name = kernel;
      function->records = records;
    }
    result_.begin.place = place_of_function(form_.begin);
    result_.body.place = place_of_function(form_.step);
    result_.finish.place = place_of_function(form_.end);
    if (!result_.errors.empty()) return;
    read_all();
  }

 private:
  void refuse(const Described& at, std::string text) {
    result_.errors.push_back({place_of_function(at), std::move(text)});
  }

  [[nodiscard]] const llvm::DICompositeType* state() const { return form_.step.arguments[0].structure; }

  /// True if all functions speak of one state and of one record of parameters.
  bool same_records() {
    const auto check = [&](const Described& one, std::size_t at, std::size_t fixed) {
      if (one.function == nullptr) return;
      const std::string name = one.function->getSubprogram()->getName().str();
      if (one.arguments[at].structure != state()) refuse(one, "function '" + name + "' has another state than 'step'");
      if (one.function->arg_size() != one.arguments.size())
        refuse(one, "the function's arguments were changed; compile it as a function with external linkage");
      if (one.arguments.size() == fixed) return;
      const llvm::DICompositeType* parameters = one.arguments[fixed].structure;
      if (parameters_ != nullptr && parameters_ != parameters)
        refuse(one, "function '" + name + "' has other parameters than the functions before");
      parameters_ = parameters;
    };
    check(form_.begin, 1, 2);
    check(form_.step, 0, 1);
    check(form_.done, 0, 1);
    check(form_.end, 0, 2);
    return result_.errors.empty();
  }

  void read_all() {
    FunctionReader(*form_.begin.function, {Record::i, Record::state, Record::parameter}, result_.begin, result_.errors,
                   Record::state)
        .read();
    FunctionReader step(*form_.step.function, {Record::state, Record::parameter}, result_.body, result_.errors,
                        Record::state);
    step.read();
    if (!result_.errors.empty()) return;
    if (form_.done.function != nullptr) {
      FunctionReader done(*form_.done.function, {Record::state, Record::parameter}, result_.body, result_.errors,
                          Record::state);
      result_.body.done = done.read_condition(step);
    }
    FunctionReader(*form_.end.function, {Record::state, Record::result, Record::parameter}, result_.finish,
                   result_.errors)
        .read();
  }

  const ExperimentForm& form_;
  Imported& result_;
  const llvm::DICompositeType* parameters_ = nullptr;
};

}  // namespace

ExperimentForm find_experiment(llvm::Module& module) {
  ExperimentForm form;
  for (llvm::Function& function : module) {
    const llvm::DISubprogram* described = function.getSubprogram();
    if (function.isDeclaration() || described == nullptr) continue;
    const llvm::StringRef name = described->getName();
    const auto take = [&](const char* wanted, Described& into, std::initializer_list<bool> constant) {
      if (name != wanted) return;
      std::vector<Argument> arguments =
          &into == &form.done ? arguments_of_condition(*described) : arguments_of(*described);
      if (has_form(arguments, constant)) into = {&function, std::move(arguments)};
    };
    take("begin", form.begin, {true, false});
    take("step", form.step, {false});
    take("done", form.done, {true});
    take("end", form.end, {true, false});
  }
  return form;
}

void read_experiment(const ExperimentForm& form, const std::string& name, Imported& result) {
  ExperimentReader(form, result).run(std::filesystem::path(name).stem().string());
}

}  // namespace gdr::compiler
