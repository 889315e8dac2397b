include "gdr.td"

// refused: bits 300..301 are outside the word of 320
def Bad : Field<"mask.bad", 300, 301, FlagNumber> { let Meaning = "m"; let Origin = "O: a test"; }
