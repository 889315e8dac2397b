include "gdr.td"

// refused: 'nop' is already a word of the assembly language
def BAD : Operation<Alu, "nop", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
