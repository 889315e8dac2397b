include "gdr.td"

// refused: 'fpass' is already a word of the assembly language
def BAD : Operation<Alu, "fpass", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
