include "gdr.td"

// refused: 'fadd' is already a word of the assembly language
def BAD : Conversion<"fadd", 9, 1, 1, Long> { let Meaning = "m"; let Origin = "O: a test"; }
