include "gdr.td"

// refused: 8 bits hold 256 codes, but there are 512 addresses in its memory
def Bad : Field<"mask.bad", 319, 312, Address<Lm>> { let Meaning = "m"; let Origin = "O: a test"; }
