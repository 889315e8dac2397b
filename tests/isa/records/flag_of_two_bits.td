include "gdr.td"

// refused: a field of this type has 1 bits, not 2
def Bad : Field<"mask.bad", 319, 318, Flag> { let Meaning = "m"; let Origin = "O: a test"; }
