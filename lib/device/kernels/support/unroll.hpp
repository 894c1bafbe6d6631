#pragma once

/// Before a loop over an array that a GPU is to keep in registers.
#if defined(__CUDACC__)
#define GPUCHECK_UNROLL _Pragma("unroll")
#else
#define GPUCHECK_UNROLL
#endif

/// Marks a function that is to stay one, also where it is called once.
#define GPUCHECK_NOINLINE __attribute__((noinline))
