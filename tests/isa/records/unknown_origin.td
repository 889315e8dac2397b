include "gdr.td"

// refused: must begin with R:, D: or O:
def BAD : Operation<Alu, "bad", 15, 2, Bits> { let Meaning = "m"; let Origin = "hearsay"; }
