include "gdr.td"

// refused: value 5 leaves a gap: 5 records of Transfer have the values 0 to 4
def Bad : Transfer<"bad", 5, "bad"> { let Meaning = "m"; let Origin = "O: a test"; }
