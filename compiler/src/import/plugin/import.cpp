// LLVM IR to a pair function: finds the function, takes its records from the debug information, reads it.
#include "import.h"

#include <llvm/AsmParser/LLParser.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "experiment_form.h"
#include "function_reader.h"
#include "preparation/passes.h"
#include "records.h"
#include "scopes.h"

namespace gdr::compiler {
namespace {

constexpr const char* kForm =
    "a pair function is void NAME(const I &, const J &, F &) or, with parameters, void NAME(const I &, const J &, F &, "
    "const P &); I, J, F and P are structures";

class Importer {
 public:
  Importer(llvm::Module& module, const std::string& name, Imported& result)
      : module_(module), name_(name), result_(result) {}

  void run(const std::string& wanted) {
    if (wanted.empty()) {
      const ExperimentForm experiment = find_experiment(module_);
      if (experiment.is_there()) return read_experiment(experiment, name_, result_);
    }
    llvm::Function* function = find(wanted);
    if (function == nullptr) return;
    const llvm::DISubprogram& described = *function->getSubprogram();
    result_.body.name = described.getName().str();
    result_.body.place = place_of(described);
    const std::vector<Argument> arguments = arguments_of(described);
    std::vector<Record> roles{Record::i, Record::j, Record::result};
    if (arguments.size() == 4) roles.push_back(Record::parameter);
    for (std::size_t n = 0; n < arguments.size(); ++n) {
      result_.body.records[static_cast<std::size_t>(roles[n])] = fields_of(*arguments[n].structure, result_.errors);
    }
    if (!result_.errors.empty() || !same_number(*function, arguments)) return;
    FunctionReader(*function, roles, result_.body, result_.errors).read();
    if (result_.errors.empty()) finish(*arguments[2].structure, arguments);
  }

 private:
  static Place place_of(const llvm::DISubprogram& described) {
    return {described.getFilename().str(), described.getLine(), 1, described.getName().str()};
  }

  void refuse(const Place& place, std::string text) { result_.errors.push_back({place, std::move(text)}); }

  bool same_number(const llvm::Function& function, const std::vector<Argument>& arguments) {
    bool pointers = function.arg_size() == arguments.size();
    for (const llvm::Argument& argument : function.args()) pointers = pointers && argument.getType()->isPointerTy();
    if (!pointers)
      refuse(result_.body.place,
             std::string("clang has changed the function's arguments") +
                 (function.hasLocalLinkage() ? ", because nothing outside can call it: it is static "
                                               "or in an unnamed namespace; make it a plain function"
                                             : "; compile it without optimising calls"));
    return pointers;
  }

  llvm::Function* find(const std::string& wanted) {
    std::vector<llvm::Function*> fitting;
    std::string names;
    bool described_any = false;
    for (llvm::Function& function : module_) {
      const llvm::DISubprogram* described = function.getSubprogram();
      if (function.isDeclaration() || described == nullptr) continue;
      described_any = true;
      if (!wanted.empty() && described->getName() != wanted) continue;
      if (is_pair_function(*described)) {
        fitting.push_back(&function);
        names += (names.empty() ? "" : ", ") + described->getName().str();
      } else if (!wanted.empty()) {
        refuse(place_of(*described), "function '" + wanted + "' is no pair function: " + kForm);
        return nullptr;
      }
    }
    if (fitting.size() == 1) return fitting.front();
    const bool compiled_here = !name_.ends_with(".ll") && !name_.ends_with(".bc");
    if (!described_any && !compiled_here) {
      refuse({name_, 0, 0},
             "no function with debug information is in it: compile with clang -O2 -g, names and records are taken from "
             "there");
    } else if (fitting.empty()) {
      constexpr const char* kLeftOut =
          ". Clang leaves out what nothing calls: functions that are static or inline, in unnamed namespaces or in "
          "classes, templates and lambdas. The pair function must be a plain function";
      refuse({name_, 0, 0},
             (wanted.empty() ? std::string("no pair function is in it: ") + kForm + "; " + kExperimentForm
                             : "no function '" + wanted + "' is in it") +
                 kLeftOut);
    } else {
      refuse({name_, 0, 0}, "several pair functions are in it: " + names + "; choose one with --function NAME");
    }
    return nullptr;
  }

  /// NAME_finish(F &) or NAME_finish(F &, const P &): once, when all j-particles have been added.
  void finish(const llvm::DICompositeType& results, const std::vector<Argument>& body) {
    const std::string name = result_.body.name + "_finish";
    for (llvm::Function& function : module_) {
      const llvm::DISubprogram* described = function.getSubprogram();
      if (function.isDeclaration() || described == nullptr || described->getName() != name) continue;
      const std::vector<Argument> arguments = arguments_of(*described);
      const bool first = !arguments.empty() && arguments[0].structure == &results && !arguments[0].constant;
      const bool second =
          arguments.size() == 1 || (arguments.size() == 2 && body.size() == 4 && arguments[1].constant &&
                                    arguments[1].structure == body[3].structure);
      if (!first || !second || function.arg_size() != arguments.size()) {
        return refuse(place_of(*described), "function '" + name + "' must be void " + name + "(F &) or void " + name +
                                                "(F &, const P &) with the pair function's F and P");
      }
      result_.finish.name = name;
      result_.finish.place = place_of(*described);
      result_.finish.records = result_.body.records;
      FunctionReader(function, {Record::result, Record::parameter}, result_.finish, result_.errors).read();
    }
  }

  llvm::Module& module_;
  const std::string& name_;
  Imported& result_;
};

/// What LLVM has to say of the module as a whole.
class Complaints : public llvm::DiagnosticHandler {
 public:
  explicit Complaints(std::string& text) : text_(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream out(text_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    return true;
  }

 private:
  std::string& text_;
};

/// Text whose notes on aliasing have a name that LLVM does not know: its reader looks into those of old modules before
/// anything is checked, and ends the process for some. Nobody here reads them; columns stay.
std::string without_aliasing(std::string text) {
  constexpr std::string_view kNote = "!tbaa";
  for (std::size_t at = text.find(kNote); at != std::string::npos; at = text.find(kNote, at + 1))
    text[at + kNote.size() - 1] = '_';
  return text;
}

/// As llvm::parseIR(), but old text is not brought up to date: LLVM ends the process where it finds a module invalid
/// then, which is ours to say.
std::unique_ptr<llvm::Module> parsed(const llvm::MemoryBufferRef& code, llvm::SMDiagnostic& fault,
                                     llvm::LLVMContext& context) {
  const auto* begin = reinterpret_cast<const unsigned char*>(code.getBufferStart());
  const auto* end = reinterpret_cast<const unsigned char*>(code.getBufferEnd());
  if (llvm::isBitcode(begin, end)) return llvm::parseIR(code, fault, context);
  const std::string text = without_aliasing(code.getBuffer().str());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, code.getBufferIdentifier()), llvm::SMLoc());
  auto module = std::make_unique<llvm::Module>(code.getBufferIdentifier(), context);
  llvm::LLParser parser(text, sources, fault, module.get(), nullptr, context);
  return parser.Run(false) ? nullptr : std::move(module);
}

void import(const std::string& code, const std::string& name, const std::string& function, Imported& result) {
  llvm::LLVMContext context;
  std::string complaint;
  context.setDiagnosticHandler(std::make_unique<Complaints>(complaint));
  llvm::SMDiagnostic fault;
  const std::unique_ptr<llvm::Module> module = parsed(llvm::MemoryBufferRef(code, name), fault, context);
  if (module == nullptr) {
    const unsigned line = fault.getLineNo() > 0 ? static_cast<unsigned>(fault.getLineNo()) : 0;
    const std::string why = "no LLVM IR: " + (fault.getMessage().empty() ? complaint : fault.getMessage().str());
    result.errors.push_back({{name, line, static_cast<unsigned>(fault.getColumnNo() + 1)}, why});
    return;
  }
  llvm::raw_string_ostream out(complaint);
  if (has_cyclic_scopes(*module)) {
    out << "a scope of its debug information lies inside itself";
  } else if (llvm::verifyModule(*module, &out)) {
    out << '\n';
  }
  if (!complaint.empty()) {
    Message message;
    message.place.file = name;
    message.text = "no valid LLVM IR: " + complaint.substr(0, complaint.find('\n'));
    result.errors.push_back(std::move(message));
    return;
  }
  Importer(*module, name, result).run(function);
}

/// What clang made, after our passes, in the same form.
std::string optimised(const std::string& code) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic fault;
  const llvm::MemoryBufferRef buffer(code, "clang");
  const std::unique_ptr<llvm::Module> module = llvm::parseIR(buffer, fault, context);
  if (module == nullptr) return code;
  run_passes(*module);
  std::string made;
  llvm::raw_string_ostream out(made);
  const auto* begin = reinterpret_cast<const unsigned char*>(code.data());
  if (llvm::isBitcode(begin, begin + code.size())) {
    llvm::WriteBitcodeToFile(*module, out);
  } else {
    module->print(out, nullptr);
  }
  return made;
}

}  // namespace

void GDR_PASSES_FUNCTION(const std::string& code, std::string& made) { made = optimised(code); }

void GDR_IMPORT_FUNCTION(const std::string& code, const std::string& name, const std::string& function,
                         Imported& result) {
  import(code, name, function, result);
}

}  // namespace gdr::compiler
