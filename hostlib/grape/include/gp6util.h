/* The name by which programs for Phantom-GRAPE include the functions of GRAPE-6. Link -lg6. */
#ifndef GDR_GRAPE_GP6UTIL_H
#define GDR_GRAPE_GP6UTIL_H
#include "grape6.h"
#endif
