include "gdr.td"

// refused: '$lr8v' is no register's name
def Bad : Source<"bad", 10, "$lr8v"> { let Meaning = "m"; let Origin = "O: a test"; }
