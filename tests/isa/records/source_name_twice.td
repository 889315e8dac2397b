include "gdr.td"

// refused: 'lm' is already the Name of another
def Bad : Source<"lm", 10> { let Meaning = "m"; let Origin = "O: a test"; }
