include "gdr.td"

// refused: 'uadd' is already a word of the assembly language
// refused: 'uadd' is already the Function of another
def BAD : Operation<Alu, "uadd", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
