// What the outputs share.
#pragma once

#include "llvm/Support/raw_ostream.h"
#include "records.h"

namespace gdr::generator {

using llvm::raw_ostream;

inline constexpr StringRef kNotice = "// Generated from isa/td by gdr-tablegen; do not edit.\n";

inline StringRef boolean(bool value) { return value ? "true" : "false"; }

/// encode() and decode_fields(), and the assertions that each field's member exists and has its type.
void emit_codec(raw_ostream& out, const RecordKeeper& keeper);

}  // namespace gdr::generator
