include "gdr.td"

// refused: 'blocks' is already the Name of another
def Bad : Constant<"blocks", 8> { let Meaning = "m"; let Origin = "O: a test"; }
