// Whether a sanitizer slows this build down. It looks for other mistakes than wrong words, so a small share is enough.
#pragma once

namespace gdr::tests {

// GCC defines macros for its sanitizers, Clang has features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GDR_SLOWED_DOWN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GDR_SLOWED_DOWN
#endif
#endif
#if defined(GDR_SLOWED_DOWN)
inline constexpr bool kSlowedDown = true;
#undef GDR_SLOWED_DOWN
#else
inline constexpr bool kSlowedDown = false;
#endif

}  // namespace gdr::tests
