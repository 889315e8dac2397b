include "gdr.td"

// refused: 'xor' cannot be a name in C++
def BAD : Operation<Alu, "xor", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
