// Marks what a shared library shows; everything else stays hidden.
#pragma once

#if defined(__GNUC__)
#define SIMLETTE_EXPORT __attribute__((visibility("default")))
#else
#define SIMLETTE_EXPORT
#endif
