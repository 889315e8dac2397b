include "gdr.td"

// refused: it has no destination, and is no operation's first half
def BAD : Operation<Alu, "bad", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; let HasDestination = 0; let Function = ""; }
