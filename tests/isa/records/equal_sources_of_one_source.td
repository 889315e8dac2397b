include "gdr.td"

// refused: EqualSourcesDefine needs two sources
def BAD : Operation<Alu, "bad", 15, 1, Bits> { let Meaning = "m"; let Origin = "O: a test"; let EqualSourcesDefine = 1; }
