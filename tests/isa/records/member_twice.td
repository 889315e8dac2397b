include "gdr.td"

// refused: its member already has a field
def Bad : Field<"vlen", 319, 318, Count> { let Meaning = "m"; let Origin = "O: a test"; }
