include "gdr.td"

// refused: 3 bits hold 8 codes, but there are 4 vector elements
def Bad : Field<"mask.bad", 319, 317, Count> { let Meaning = "m"; let Origin = "O: a test"; }
