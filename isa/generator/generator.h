// The isa room's TableGen backend: checks the records, then writes one of its outputs.
#pragma once

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

namespace gdr::generator {

/// Records of a class, in the order of the description.
[[nodiscard]] std::vector<const llvm::Record*> records_of(const llvm::RecordKeeper& keeper, llvm::StringRef class_name);

/// Enumerator of an operation or conversion: the record's name; of the others: their Name.
[[nodiscard]] std::string enumerator(const llvm::Record& record);

/// Reports, at the record's own line, every record without origin or meaning, overlapping or straddling fields, codes
/// used twice and codes that do not fit their field. True if there was anything to report.
[[nodiscard]] bool report_errors(const llvm::RecordKeeper& keeper);

void emit_header(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);
void emit_tables(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);
void emit_reference(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);
void emit_tests(llvm::raw_ostream& out, const llvm::RecordKeeper& keeper);

}  // namespace gdr::generator
