include "gdr.td"

// refused: 'repeat' is already a word of the assembly language
def BAD : Operation<Alu, "repeat", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
