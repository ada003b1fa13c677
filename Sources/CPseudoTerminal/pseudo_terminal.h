// The C library declares these only where X/Open extensions are asked for, which Swift's module of it does not do.
#ifndef WEIR_PSEUDO_TERMINAL_H
#define WEIR_PSEUDO_TERMINAL_H

#include <stddef.h>
#include <stdlib.h>

extern int posix_openpt(int flags);
extern int grantpt(int controller);
extern int unlockpt(int controller);
extern char *ptsname(int controller);

#endif
