include "gdr.td"

// does not compile: no member named 'bad'
def Bad : Field<"mask.bad", 319, 319, Flag> { let Meaning = "m"; let Origin = "O: a test"; }
