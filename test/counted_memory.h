// Counts every block of memory while 'counting': in plain builds the file that includes this takes the place of malloc
// and the rest and asks glibc for memory itself, under the sanitizers it listens to theirs. Call listen() first.
#ifndef SN_TEST_COUNTED_MEMORY_H
#define SN_TEST_COUNTED_MEMORY_H

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static volatile bool counting; // volatile: compilers believe that malloc looks at nothing
static volatile size_t live, peak;

static void count_in(size_t size) {
    if (!counting) return;
    live += size;
    if (live > peak) peak = live;
}
static void count_out(size_t size) {
    if (counting) live -= size;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAVE_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAVE_SANITIZER 1
#endif
#endif

#ifdef HAVE_SANITIZER
size_t __sanitizer_get_allocated_size(const volatile void *block);
int __sanitizer_install_malloc_and_free_hooks(void (*in)(const volatile void *, size_t),
                                              void (*out)(const volatile void *));
static void hear_in(const volatile void *block, size_t size) {
    (void)block;
    count_in(size);
}
static void hear_out(const volatile void *block) {
    if (counting && block) count_out(__sanitizer_get_allocated_size(block));
}
static void listen(void) {
    static bool listening;
    if (!listening && __sanitizer_install_malloc_and_free_hooks(hear_in, hear_out) <= 0) abort();
    listening = true;
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

__attribute__((visibility("default"))) void *malloc(size_t size) {
    void *block = __libc_malloc(size);
    if (block) count_in(malloc_usable_size(block));
    return block;
}
__attribute__((visibility("default"))) void *calloc(size_t count, size_t size) {
    void *block = __libc_calloc(count, size);
    if (block) count_in(malloc_usable_size(block));
    return block;
}
__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t size) {
    void *block = __libc_memalign(alignment, size);
    if (block) count_in(malloc_usable_size(block));
    return block;
}
__attribute__((visibility("default"))) void *realloc(void *block, size_t size) {
    const size_t before = block ? malloc_usable_size(block) : 0;
    void *more = __libc_realloc(block, size);
    if (more) count_in(malloc_usable_size(more)), count_out(before); // for a moment both may be there
    return more;
}
__attribute__((visibility("default"))) void free(void *block) {
    if (block) count_out(malloc_usable_size(block));
    __libc_free(block);
}
static void listen(void) {}
#endif

#endif
