include "gdr.td"

// refused: 6 bits hold 64 codes, but there are 32 PEs in a block
def Bad : Field<"mask.bad", 319, 314, PeNumber> { let Meaning = "m"; let Origin = "O: a test"; }
