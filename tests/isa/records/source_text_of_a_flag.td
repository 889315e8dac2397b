include "gdr.td"

// refused: '$ok' is already a register
def Bad : Source<"bad", 10, "$ok"> { let Meaning = "m"; let Origin = "O: a test"; }
