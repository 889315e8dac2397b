include "gdr.td"

// refused: 'm' is already the prefix of another memory
def Bad : Storage<"bad", "m", 64, 1, 1> { let Meaning = "m"; let Origin = "O: a test"; }
