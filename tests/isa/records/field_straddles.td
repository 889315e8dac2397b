include "gdr.td"

// refused: bits 193..189 straddle two 64-bit parts
// refused: bit 192 already belongs to another field
def Bad : Field<"mask.bad", 193, 189, SourceValue> { let Meaning = "m"; let Origin = "O: a test"; }
