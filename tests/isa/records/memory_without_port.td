include "gdr.td"

// refused: WritePorts must be at least 1
def Bad : Storage<"bad", "q", 64, 1, 0> { let Meaning = "m"; let Origin = "O: a test"; }
