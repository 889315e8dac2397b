// gdr-tablegen: reads the records of isa/td and writes the output asked for.
#include "llvm/TableGen/Main.h"
#include "generator.h"
#include "llvm/Support/CommandLine.h"

namespace {

enum class Output { header, operations, tables, reference, grammar, vim, tests };

llvm::cl::opt<Output> output(  //
    llvm::cl::desc("What to write:"),
    llvm::cl::values(clEnumValN(Output::header, "gen-header", "enums, constants and declarations (isa.h)"),
                     clEnumValN(Output::operations, "gen-operations", "lists of operations as macros (operations.h)"),
                     clEnumValN(Output::tables, "gen-tables", "tables, encoder and decoder of fields"),
                     clEnumValN(Output::reference, "gen-reference", "the ISA chapter, Markdown"),
                     clEnumValN(Output::grammar, "gen-grammar", "a TextMate grammar, JSON"),
                     clEnumValN(Output::vim, "gen-vim", "a syntax file of Vim"),
                     clEnumValN(Output::tests, "gen-tests", "one round-trip test per record")),
    llvm::cl::Required);

bool generate(llvm::raw_ostream& out, llvm::RecordKeeper& keeper) {
  if (gdr::generator::report_errors(keeper)) return true;
  switch (output) {
    case Output::header:
      gdr::generator::emit_header(out, keeper);
      break;
    case Output::operations:
      gdr::generator::emit_operations(out, keeper);
      break;
    case Output::tables:
      gdr::generator::emit_tables(out, keeper);
      break;
    case Output::reference:
      gdr::generator::emit_reference(out, keeper);
      break;
    case Output::grammar:
      gdr::generator::emit_grammar(out, keeper);
      break;
    case Output::vim:
      gdr::generator::emit_vim(out, keeper);
      break;
    case Output::tests:
      gdr::generator::emit_tests(out, keeper);
      break;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv);
  return llvm::TableGenMain(argv[0], &generate);
}
