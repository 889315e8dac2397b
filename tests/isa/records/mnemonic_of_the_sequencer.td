include "gdr.td"

// refused: 'vlen' is already a word of the assembly language
def BAD : Operation<Alu, "vlen", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
