// What the npm package's module has besides the public functions of libsinew: memory for arguments, and the library's log. It
// imports env.now, seconds of any clock, and env.log.
#include "../engine/host.h"
#include "sinew/sinew.h"
#include <stdlib.h>

__attribute__((import_module("env"), import_name("log"))) void host_log(int level, int code, const char *field,
                                                                        const char *text);

void *EXPORT(module_allocate)(size_t size);
void *EXPORT(module_allocate)(size_t size) {
    return aligned_alloc(16, (size + 15) / 16 * 16);
}

void EXPORT(module_release)(void *block);
void EXPORT(module_release)(void *block) {
    free(block);
}

static void report(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user;
    host_log((int)level, (int)code, field, text);
}

// For the field 'log' of definitions.
sn_log_fn *EXPORT(module_log)(void);
sn_log_fn *EXPORT(module_log)(void) {
    return report;
}
