include "gdr.td"

// refused: 'peid' is no register's name
def Bad : Source<"bad", 10, "peid"> { let Meaning = "m"; let Origin = "O: a test"; }
