// links: tools
// Charts: ticks are round and few, numbers of any size stay finite, and text from files cannot break the file.
#include "capture/plot.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TEST(ticks_are_round_within_the_axis_and_few) {
    static const double ranges[][2] = {{0, 1},     {0, 10},   {-3, 4},    {0.9931, 1.0004}, {0, 6.1e-7}, {-4e8, 3e9},
                                       {17, 17.5}, {0, 0.99}, {-1e-3, 0}, {5, 1e5},         {2, 2.0001}, {0, 7.5}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const double low = ranges[i][0], high = ranges[i][1], slack = 1e-6 * (high - low);
        const plot_ticks ticks = plot_round_ticks(low, high, 6);
        CHECK(ticks.count >= 2 && ticks.count <= 6);
        CHECK(ticks.first >= low - slack && ticks.first + (ticks.count - 1) * ticks.step <= high + slack);
        const double power = pow(10, floor(log10(ticks.step) + 1e-9)), leading = ticks.step / power;
        CHECK(fabs(leading - 1) < 1e-6 || fabs(leading - 2) < 1e-6 || fabs(leading - 5) < 1e-6);
        CHECK_NEAR(ticks.first / ticks.step, round(ticks.first / ticks.step), 1e-6);
        // So many decimals tell neighbours apart and say each exactly.
        char words[64];
        snprintf(words, sizeof words, "%.*f", ticks.decimals, ticks.first + ticks.step);
        CHECK_NEAR(atof(words), ticks.first + ticks.step, 1e-6 * ticks.step);
    }
}

// The chart of one line, as text to be freed.
static char *chart_of(const double *t, const double *y, int count, bool logarithmic, const char *name) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const plot_line line = {name, t, y, count};
    const plot_panel panel = {"Energy", "J", logarithmic, 0, &line, 1};
    const plot_chart chart = {.title = name, .end = t[count - 1], .panels = &panel, .panel_count = 1};
    plot_write(out, &chart);
    fclose(out);
    char *copy = strdup(text); // a stream's own buffer makes compilers see dangling pointers
    free(text);
    return copy;
}

TEST(values_that_are_none_leave_a_gap_and_no_nan) {
    const double t[] = {0, 1, 2, 3, 4, 5}, y[] = {1, 2, (double)NAN, 3, (double)INFINITY, 2};
    char *text = chart_of(t, y, 6, false, "x");
    REQUIRE(text != NULL);
    CHECK(!strstr(text, "nan") && !strstr(text, "inf"));
    int pens = 0;
    for (const char *at = strstr(text, "scale(.1)"); at && (at = strstr(at + 1, "l0 0")) != NULL;) pens++;
    CHECK_INT(pens, 3); // 1 2, 3, 2
    free(text);
}

TEST(constant_zero_huge_and_tiny_lines_are_drawn_within_the_panel) {
    static const double values[][2] = {{0, 0}, {1, 1}, {-1e30, 1e30}, {1e-30, 3e-30}, {1e9, 1e9 + 1}};
    const double t[] = {0, 1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *text = chart_of(t, values[i], 2, false, "x");
        REQUIRE(text != NULL);
        CHECK(!strstr(text, "nan") && !strstr(text, "inf"));
        const char *line = strstr(text, "<path class=\"c0\" d=\"M");
        int x, y;
        REQUIRE(line && sscanf(line, "<path class=\"c0\" d=\"M%d %d", &x, &y) == 2);
        CHECK(y >= 0 && y <= 1900 && x == 0);
        free(text);
    }
}

TEST(a_logarithmic_axis_makes_growth_a_straight_line) {
    double t[101], y[101];
    for (int i = 0; i <= 100; i++) t[i] = i, y[i] = pow(1.1, i);
    char *text = chart_of(t, y, 101, true, "x");
    REQUIRE(text != NULL);
    const char *at = strstr(text, "<path class=\"c0\" d=\"M");
    REQUIRE(at && (at = strstr(at, "l0 0")) != NULL);
    at += 4;
    int x, up, used, moves = 0;
    while (sscanf(at, " %d %d%n", &x, &up, &used) == 2) {
        CHECK(abs(up + 19) <= 1); // a panel is 1900 high, a hundred steps fill it
        at += used;
        moves++;
    }
    CHECK_INT(moves, 100);
    free(text);
}

TEST(names_cannot_break_the_file) {
    const double t[] = {0, 1}, y[] = {0, 1};
    char *text = chart_of(t, y, 2, false, "</text><script>\"&'\x01");
    REQUIRE(text != NULL);
    CHECK(!strstr(text, "<script>") && !strchr(text, '\x01'));
    CHECK(strstr(text, "&lt;script&gt;&quot;&amp;'") != NULL);
    free(text);
    char name[301]; // of letters of two bytes, cut between them
    for (int i = 0; i < 150; i++) memcpy(name + 2 * i, "\xC3\xA4", 2);
    name[300] = '\0';
    text = chart_of(t, y, 2, false, name);
    REQUIRE(text != NULL);
    CHECK(strstr(text, "\xC3\xA4\xE2\x80\xA6</text>") != NULL);
    free(text);
}
