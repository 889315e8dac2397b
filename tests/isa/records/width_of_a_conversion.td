include "gdr.td"

// refused: Variable not defined: 'Medium'
def BAD : Conversion<"bad", 9, 1, 1, Medium> { let Meaning = "m"; let Origin = "O: a test"; }
