// See api_error.h.
#include "api/api_error.h"
#include "formats/file_text.h"
#include <stdarg.h>
#include <stdio.h>

sn_status api_fail(sn_error *error, sn_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (error) vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

sn_status api_out_of_memory(sn_error *error) {
    return api_fail(error, SN_ERR_MEMORY, "out of memory");
}

sn_status api_tool_error(sn_error *error, sn_status status, const tool_error *from) {
    return api_fail(error, from->out_of_memory ? SN_ERR_MEMORY : status, "%s", from->text);
}

sn_status api_read_error(sn_error *error, const char *path, const char *text) {
    return api_fail(error, file_text_exists(path, &disk_files) ? SN_ERR_FORMAT : SN_ERR_FILE, "%s", text);
}

sn_status api_unmarked(sn_error *error, const char *maker) {
    return api_fail(error, SN_ERR_DEF, "the definition does not come from %s", maker);
}
