include "gdr.td"

// refused: bits 320..320 are outside the word of 320
def Bad : Field<"mask.bad", 320, 320, Flag> { let Meaning = "m"; let Origin = "O: a test"; }
