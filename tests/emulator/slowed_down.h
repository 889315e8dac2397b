// Whether a sanitizer slows this build down. It looks for other mistakes than wrong words, so a small share is enough.
#pragma once

namespace gdr::tests {

#if defined(__has_feature)
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
