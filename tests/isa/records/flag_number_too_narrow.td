include "gdr.td"

// refused: 2 bits do not hold the flags 0 (none) to 4
def Bad : Field<"mask.bad", 319, 318, FlagNumber> { let Meaning = "m"; let Origin = "O: a test"; }
