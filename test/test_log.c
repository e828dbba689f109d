// Log lines, status names, version.
#include "base/log.h"
#include "test.h"

typedef struct {
    int lines;
    sn_log_level level;
    sn_status code;
    char field[64], text[600];
} heard;

static void hear(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    heard *line = user;
    line->lines++;
    line->level = level;
    line->code = code;
    strncpy(line->field, field, sizeof line->field - 1);
    strncpy(line->text, text, sizeof line->text - 1);
}

TEST(lines_reach_the_callback) {
    heard line = {0};
    sn_log log = {hear, &line};
    sn_log_line(&log, SN_LOG_WARNING, SN_ERR_DEF, "radius", "must be positive, is %g", -0.5);
    CHECK_INT(line.lines, 1);
    CHECK_INT(line.level, SN_LOG_WARNING);
    CHECK_INT(line.code, SN_ERR_DEF);
    CHECK_STRING(line.field, "radius");
    CHECK_STRING(line.text, "must be positive, is -0.5");
}

TEST(long_lines_are_cut) {
    heard line = {0};
    sn_log log = {hear, &line};
    char many[2000];
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = 0;
    sn_log_line(&log, SN_LOG_INFO, SN_OK, "", "%s", many);
    CHECK_INT(strlen(line.text), 511);
}

TEST(without_a_callback_nothing_happens) {
    sn_log_line(&(sn_log){0}, SN_LOG_ERROR, SN_ERR_RANGE, "", "%d", 1);
    sn_log_line(NULL, SN_LOG_ERROR, SN_ERR_RANGE, "", "%d", 1);
}

TEST(every_status_has_its_own_name) {
    for (int i = SN_OK; i <= SN_WARN_ENERGY; i++) {
        CHECK(strcmp(sn_status_name((sn_status)i), "unknown status") != 0);
        for (int k = 0; k < i; k++) CHECK(strcmp(sn_status_name((sn_status)i), sn_status_name((sn_status)k)) != 0);
    }
    CHECK_STRING(sn_status_name(SN_ERR_STALE_ID), "stale id");
    CHECK_STRING(sn_status_name((sn_status)999), "unknown status");
}

TEST(version_is_that_of_the_headers) {
    CHECK_INT(sn_version(), SN_VERSION_MAJOR * 10000 + SN_VERSION_MINOR * 100 + SN_VERSION_PATCH);
}
