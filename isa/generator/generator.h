// The isa component's TableGen backend: checks the records, then writes one of its outputs.
#pragma once

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

namespace gdr::generator {

/// Reports, at the record's own line, everything that contradicts itself: a record without origin or meaning, a code
/// that does not fit its field or leaves a gap, a spelling or a name that is taken, an operation that its unit cannot
/// have, a field that overlaps another or does not hold what its type says. True if there was anything to report.
/// That a field's member exists in isa::Line and has the type that the field's says is checked by static assertions
/// among the tables, which carry the record's line, too: only the compiler knows the members.
[[nodiscard]] bool report_errors(const llvm::RecordKeeper& keeper);

void emit_header(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);
void emit_operations(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);
void emit_tables(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);
void emit_reference(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);
/// For editors: colours of assembly source.
void emit_vim(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);
void emit_grammar(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);
void emit_tests(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);

}  // namespace gdr::generator
