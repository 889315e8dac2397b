include "gdr.td"

// does not compile: the field's type is not that of Line::t_write.address
def Bad : Field<"t_write.address", 319, 319, Flag> { let Meaning = "m"; let Origin = "O: a test"; }
