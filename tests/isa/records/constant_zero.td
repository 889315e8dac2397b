include "gdr.td"

// refused: a constant of 0 is none of a machine's
def Bad : Constant<"bad", 0> { let Meaning = "m"; let Origin = "O: a test"; }
