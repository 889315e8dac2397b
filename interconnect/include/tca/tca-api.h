/* The name under which programs for HA-PACS/TCA include the interface. */
#include "tca_api.h"
