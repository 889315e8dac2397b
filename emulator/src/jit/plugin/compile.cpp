// LLVM behind a C function. Sections of code and constants become one piece, whose references to itself are settled
// here: what uses it need not know object files.
#include "compile.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

// Of the host: its triple, the model of code that refers to itself by distances alone, and how LLVM gets to know it.
#if defined(__aarch64__)
constexpr const char* kTriple = "aarch64-unknown-linux-gnu";
constexpr llvm::CodeModel::Model kCodeModel = llvm::CodeModel::Tiny;

void initialize_target() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
}
#else
constexpr const char* kTriple = "x86_64-unknown-linux-gnu";
constexpr llvm::CodeModel::Model kCodeModel = llvm::CodeModel::Small;

void initialize_target() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}
#endif

using Object = llvm::SmallVector<char, 0>;

const llvm::Target& target() {
  static const llvm::Target* const found = [] {
    initialize_target();
    std::string error;
    const llvm::Target* host = llvm::TargetRegistry::lookupTarget(kTriple, error);
    if (host == nullptr) throw std::runtime_error(error);
    return host;
  }();
  return *found;
}

/// As LLVMTargetMachine::addPassesToEmitFile() does it; instructions whose functions ask for it stay in the order of
/// the text until they have registers.
bool add_passes(llvm::LLVMTargetMachine& machine, llvm::legacy::PassManager& passes, llvm::raw_pwrite_stream& out,
                bool in_order) {
  llvm::TargetPassConfig* const config = machine.createPassConfig(passes);
  auto* const info = new llvm::MachineModuleInfoWrapperPass(&machine);
  passes.add(config);
  passes.add(info);
  if (in_order) config->disablePass(&llvm::MachineSchedulerID);
  if (config->addISelPasses()) return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile, info->getMMI().getContext())) {
    return false;
  }
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

/// The text with those of its functions that are wanted, counted from 0; the others are only declared.
template <class Wanted>
std::string with_functions(llvm::StringRef ir, Wanted wanted) {
  auto [function, rest] = ir.split("\ndefine ");
  std::string text = function.str();
  for (std::size_t n = 0; !rest.empty(); ++n) {
    std::tie(function, rest) = rest.split("\ndefine ");
    const bool whole = wanted(n);
    text += whole ? "\ndefine " : "\ndeclare ";
    text += whole ? function : function.split(" {\n").first;
  }
  return text + '\n';
}

Object object_of(llvm::StringRef ir, const char* cpu) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic fault;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssembly({ir, "body"}, fault, context);
  if (module == nullptr) {
    throw std::runtime_error("line " + std::to_string(fault.getLineNo()) + ": " + fault.getMessage().str());
  }
  const std::unique_ptr<llvm::LLVMTargetMachine> machine(
      static_cast<llvm::LLVMTargetMachine*>(target().createTargetMachine(
          kTriple, cpu, "", llvm::TargetOptions(), llvm::Reloc::PIC_, kCodeModel, llvm::CodeGenOptLevel::Default)));
  module->setTargetTriple(kTriple);
  module->setDataLayout(machine->createDataLayout());
  Object object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  const bool in_order =
      llvm::any_of(*module, [](const llvm::Function& each) { return each.hasFnAttribute("gdr-in-order"); });
  if (!add_passes(*machine, passes, out, in_order)) {
    throw std::runtime_error("LLVM writes no object files for this processor");
  }
  passes.run(*module);
  return object;
}

/// The functions in one object, or, for half the time, in two: the first one, which is the longest, and the others.
/// Those tell nothing of lines, which are behind the functions in the text.
std::vector<Object> objects_of(llvm::StringRef ir, const char* cpu, bool in_one) {
  std::vector<Object> objects;
  if (in_one) {
    objects.push_back(object_of(ir, cpu));
    return objects;
  }
  target();  // known before two threads ask for it
  // Without a second thread, when its object is asked for.
  std::future<Object> others =
      std::async([&] { return object_of(with_functions(ir, [](std::size_t n) { return n != 0; }), cpu); });
  objects.push_back(object_of(with_functions(ir, [](std::size_t n) { return n == 0; }), cpu));
  objects.push_back(others.get());
  return objects;
}

/// Calls function(index, header) for each section of an object file of 64 bits.
template <class Function>
void for_each_section(char* object, Function function) {
  llvm::ELF::Elf64_Ehdr header;
  std::memcpy(&header, object, sizeof header);
  for (std::uint64_t index = 0; index < header.e_shnum; ++index) {
    char* const at = object + header.e_shoff + index * header.e_shentsize;
    llvm::ELF::Elf64_Shdr section;
    std::memcpy(&section, at, sizeof section);
    function(index, section);
    std::memcpy(at, &section, sizeof section);
  }
}

template <class T>
T checked(llvm::Expected<T> value) {
  if (!value) throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

[[noreturn]] void refuse_reference() { throw std::runtime_error("the code needs an address"); }

/// Puts the distance from a reference to what it names into the instruction that it is a part of.
#if defined(__aarch64__)
// [ELF for the Arm 64-bit Architecture, section Relocation; Arm Architecture Reference Manual for A-profile
// architecture, ADR, BL]
void put_distance(std::uint64_t type, std::int64_t distance, char* at) {
  const bool is_call = type == llvm::ELF::R_AARCH64_CALL26;
  if (!is_call && type != llvm::ELF::R_AARCH64_ADR_PREL_LO21) refuse_reference();
  const std::int64_t reach = std::int64_t{1} << (is_call ? 27 : 20);  // bytes
  if (distance < -reach || distance >= reach) throw std::runtime_error("the code is too long");
  const auto bits = static_cast<std::uint32_t>(distance);
  std::uint32_t instruction = 0;
  std::memcpy(&instruction, at, sizeof instruction);
  instruction |= is_call ? bits >> 2 & 0x3ffffff : (bits >> 2 & 0x7ffff) << 5 | (bits & 3) << 29;
  std::memcpy(at, &instruction, sizeof instruction);
}
#else
void put_distance(std::uint64_t type, std::int64_t distance, char* at) {
  if (type != llvm::ELF::R_X86_64_PC32 && type != llvm::ELF::R_X86_64_PLT32) refuse_reference();
  const auto bits = static_cast<std::int32_t>(distance);
  std::memcpy(at, &bits, sizeof bits);
}
#endif

/// Objects as one piece of code.
class Piece {
 public:
  explicit Piece(const std::vector<Object>& objects) {
    for (const Object& object : objects) {
      files_.push_back(checked(llvm::object::ObjectFile::createObjectFile({{object.data(), object.size()}, "body"})));
    }
    for (std::size_t file = 0; file < files_.size(); ++file) place_sections(file);
    for (std::size_t file = 0; file < files_.size(); ++file) name_functions(file);
    for (std::size_t file = 0; file < files_.size(); ++file) settle_references(file);
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Gives the sections of the only object their offsets as addresses.
  void give_addresses(Object& object) const {
    for_each_section(object.data(), [&](std::uint64_t index, llvm::ELF::Elf64_Shdr& section) {
      const auto begin = begin_.find({0, index});
      if (begin == begin_.end()) {
        section.sh_flags &= ~std::uint64_t{llvm::ELF::SHF_ALLOC};
      } else {
        section.sh_addr = begin->second;
      }
    });
  }
  [[nodiscard]] std::uint64_t entry(const std::string& name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) throw std::runtime_error("there is no function " + name);
    return found->second;
  }

 private:
  void place_sections(std::size_t file) {
    for (const llvm::object::SectionRef section : files_[file]->sections()) {
      const bool loaded = (llvm::object::ELFSectionRef(section).getFlags() & llvm::ELF::SHF_ALLOC) != 0;
      if (!loaded || section.getSize() == 0 || checked(section.getName()).starts_with(".eh_frame")) continue;
      if (section.isBSS()) throw std::runtime_error("the code has variables");
      const std::uint64_t alignment = section.getAlignment().value();
      bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment, '\0');
      begin_[{file, section.getIndex()}] = bytes_.size();
      bytes_ += checked(section.getContents()).str();
    }
  }

  void name_functions(std::size_t file) {
    for (const llvm::object::SymbolRef symbol : files_[file]->symbols()) {
      if (checked(symbol.getType()) == llvm::object::SymbolRef::ST_Function) {
        entries_[checked(symbol.getName()).str()] = place_of(file, symbol);
      }
    }
  }

  void settle_references(std::size_t file) {
    for (const llvm::object::SectionRef section : files_[file]->sections()) {
      const llvm::object::section_iterator of = checked(section.getRelocatedSection());
      if (of == files_[file]->section_end()) continue;
      const auto begin = begin_.find({file, of->getIndex()});
      if (begin == begin_.end()) continue;
      for (const llvm::object::RelocationRef reference : section.relocations()) settle(file, reference, begin->second);
    }
  }

  /// Of an object's symbol, which may be another one's function.
  std::uint64_t place_of(std::size_t file, const llvm::object::SymbolRef& symbol) const {
    const llvm::object::section_iterator section = checked(symbol.getSection());
    if (section == files_[file]->section_end()) return entry(checked(symbol.getName()).str());
    const auto begin = begin_.find({file, section->getIndex()});
    if (begin == begin_.end()) throw std::runtime_error("the code needs what it does not have");
    return begin->second + checked(symbol.getValue());
  }

  void settle(std::size_t file, const llvm::object::RelocationRef& reference, std::uint64_t begin) {
    const std::uint64_t at = begin + reference.getOffset();
    const std::int64_t addend = checked(llvm::object::ELFRelocationRef(reference).getAddend());
    const std::int64_t distance =
        static_cast<std::int64_t>(place_of(file, *reference.getSymbol())) + addend - static_cast<std::int64_t>(at);
    put_distance(reference.getType(), distance, bytes_.data() + at);
  }

  std::vector<std::unique_ptr<llvm::object::ObjectFile>> files_;
  std::string bytes_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> begin_;  // by object and section
  std::map<std::string, std::uint64_t> entries_;
};

}  // namespace

int GDR_JIT_COMPILE(const char* ir, size_t size, const char* cpu, const char* const* names, size_t name_count,
                    uint64_t* entries, GdrJitTake take, GdrJitTake take_object, void* receiver, char* error,
                    size_t error_size) {
  try {
    std::vector<Object> objects = objects_of({ir, size}, cpu, take_object != nullptr);
    const Piece piece(objects);
    for (size_t n = 0; n < name_count; ++n) entries[n] = piece.entry(names[n]);
    if (take_object != nullptr) {
      Object& only = objects.front();
      piece.give_addresses(only);
      take_object(receiver, only.data(), only.size());
    }
    take(receiver, piece.bytes().data(), piece.bytes().size());
    return 0;
  } catch (const std::exception& failure) {
    if (error_size != 0) {
      std::strncpy(error, failure.what(), error_size - 1);
      error[error_size - 1] = '\0';
    }
    return -1;
  }
}

// ---- debuggers -----------------------------------------------------------------------------------------------------

// The list that GDB looks at [Debugging with GDB, chapter JIT Compilation Interface]. LLVM's library has it for a
// process.
extern "C" {
struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};
struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};
extern jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code();
}

namespace {

std::mutex showing;
enum Action : std::uint32_t { no_action, registered, unregistered };

void tell_debugger(Action action, jit_code_entry* entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_register_code();
}

}  // namespace

void* GDR_JIT_SHOW(char* object, size_t size, const void* code) {
  for_each_section(object, [&](std::uint64_t, llvm::ELF::Elf64_Shdr& section) {
    if ((section.sh_flags & llvm::ELF::SHF_ALLOC) != 0) section.sh_addr += reinterpret_cast<std::uintptr_t>(code);
  });
  const std::lock_guard lock(showing);
  auto* const entry = new jit_code_entry{__jit_debug_descriptor.first_entry, nullptr, object, size};
  if (entry->next_entry != nullptr) entry->next_entry->prev_entry = entry;
  __jit_debug_descriptor.first_entry = entry;
  tell_debugger(registered, entry);
  return entry;
}

void GDR_JIT_HIDE(void* shown) {
  const std::lock_guard lock(showing);
  auto* const entry = static_cast<jit_code_entry*>(shown);
  (entry->prev_entry != nullptr ? entry->prev_entry->next_entry : __jit_debug_descriptor.first_entry) =
      entry->next_entry;
  if (entry->next_entry != nullptr) entry->next_entry->prev_entry = entry->prev_entry;
  tell_debugger(unregistered, entry);
  delete entry;
}
