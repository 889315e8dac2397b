include "gdr.td"

// refused: 63 short words are no whole number of long words
def Bad : Storage<"bad", "q", 63, 1, 1> { let Meaning = "m"; let Origin = "O: a test"; }
