include "gdr.td"

// refused: 'packed' is already a word of the assembly language
def Bad : Transfer<"bad", 4, "packed"> { let Meaning = "m"; let Origin = "O: a test"; }
