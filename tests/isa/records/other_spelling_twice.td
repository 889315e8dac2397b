include "gdr.td"

// refused: 'mask' is already a word of the assembly language
def BAD : Operation<Alu, "bad", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; let OtherSpellings = ["mask"]; }
