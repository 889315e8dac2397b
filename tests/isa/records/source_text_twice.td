include "gdr.td"

// refused: '$t' is already a register
def Bad : Source<"bad", 10, "$t"> { let Meaning = "m"; let Origin = "O: a test"; }
