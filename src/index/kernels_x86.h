#pragma once

#include "index/kernels.h"

namespace beleg {

#if defined(__x86_64__)
/// AVX2: byte products in 16-bit sums.
[[nodiscard]] const Kernels& avx2_kernels();
/// AVX2 with the dot-product instructions of AVX-VNNI (processors without AVX-512).
[[nodiscard]] const Kernels& avx_vnni_kernels();
/// AVX-512 with VNNI.
[[nodiscard]] const Kernels& avx512_vnni_kernels();
#endif

}  // namespace beleg
