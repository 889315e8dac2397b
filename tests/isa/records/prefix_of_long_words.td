include "gdr.td"

// refused: prefix 'lq' is no small letters, or begins with the l of long words
def Bad : Storage<"bad", "lq", 64, 1, 1> { let Meaning = "m"; let Origin = "O: a test"; }
