#pragma once
// TORSOR_SANITIZED is 1 in a build with the address or thread sanitizer, otherwise 0. gcc and clang
// report sanitizers with different macros.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TORSOR_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TORSOR_SANITIZED 1
#endif
#endif
#ifndef TORSOR_SANITIZED
#define TORSOR_SANITIZED 0
#endif
