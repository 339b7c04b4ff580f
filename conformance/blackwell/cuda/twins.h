// A broken twin of a kernel is the same source with -DBROKEN=n. Its head says what is wrong with each: "// twin N KIND: what", and "//@N" ends the lines at fault.
#pragma once
#ifndef BROKEN
#define BROKEN 0
#endif
#define EXCEPT(n) if constexpr (BROKEN != (n))
#define ONLY(n) if constexpr (BROKEN == (n))
#define EITHER(n, broken, right) (BROKEN == (n) ? (broken) : (right))
#include <cstdint>
__device__ __forceinline__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
