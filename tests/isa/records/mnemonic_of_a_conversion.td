include "gdr.td"

// refused: 'flt64to72' is already a word of the assembly language
def BAD : Operation<Alu, "flt64to72", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
