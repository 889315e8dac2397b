/* The name by which programs for GRAPE-7 include the functions of GRAPE-5. Its functions for neighbours (g5nb_...) are
 * not here. Link -lg5. */
#ifndef GDR_GRAPE_G5NBUTIL_H
#define GDR_GRAPE_G5NBUTIL_H
#include "gp5util.h"
#endif
