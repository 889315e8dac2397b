include "gdr.td"

// refused: 'Bad-one' is no word of small letters, digits and underlines
// refused: 'Bad-one' cannot be a name in C++
def BAD : Operation<Alu, "Bad-one", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
