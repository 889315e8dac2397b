include "gdr.td"

// refused: bit 2 already belongs to another field
def Bad : Field<"mask.bad", 2, 2, Flag> { let Meaning = "m"; let Origin = "O: a test"; }
