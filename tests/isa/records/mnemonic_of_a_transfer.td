include "gdr.td"

// refused: 'elt' is already a word of the assembly language
def BAD : Operation<Alu, "elt", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
