include "gdr.td"

// refused: a field of this type has 64 bits, not 8
def Bad : Field<"mask.bad", 319, 312, HighBits> { let Meaning = "m"; let Origin = "O: a test"; }
