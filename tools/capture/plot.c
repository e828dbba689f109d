// A panel's picture, in pixels; lines are drawn in tenths of them, as steps between whole numbers, which keeps files
// small:
//
//     MARGIN_LEFT            WIDTH - MARGIN_RIGHT
//          | Energy    -- kinetic  -- elastic  |   a row for title and legend (more rows if the legend is long)
//     10 J +-----------------------------------+
//          |                                   |   PANEL_HEIGHT
//      0 J +-----------------------------------+
//          0          1          2         3 s     a row for ticks of time
#include "capture/plot.h"
#include <math.h>
#include <string.h>

enum {
    WIDTH = 840,
    MARGIN_LEFT = 72,
    MARGIN_RIGHT = 24,
    PLOT_WIDTH = WIDTH - MARGIN_LEFT - MARGIN_RIGHT,
    PANEL_HEIGHT = 190,
    LEGEND_ROW = 20,
    TICK_ROW = 40,
    FINE = 10,       // units of lines in a pixel
    COLOURS = 8,     // lines beyond these are dashed
    LETTER = 7,      // width of one, about
    SWATCH = 26,     // of the legend's piece of line
    SPACE = 16,      // between entries of the legend
    MAX_LETTERS = 40 // letters of a name in the legend
};

// Distinct for most eyes, and strong enough on white and on near black.
static const char *const light[COLOURS] = {"#2a6fdb", "#d95926", "#17936a", "#8a4fc7",
                                           "#b8860b", "#c2357f", "#2b93a8", "#6b7280"};
static const char *const dark[COLOURS] = {"#6ba5ff", "#ff9166", "#4cd0a2", "#c39bff",
                                          "#e8bd4a", "#ff7fb8", "#63cfe4", "#a8b0bd"};

// --- ticks ---

plot_ticks plot_round_ticks(double low, double high, int max_count) {
    plot_ticks ticks = {low, 1, 0, 0};
    if (!(high > low) || max_count < 2) return ticks;
    double power = floor(log10((high - low) / max_count));
    for (int i = 0; i < 6; i++) { // 1, 2, 5, 10, 20, 50 times that power: one of them is the first that fits
        static const double factors[] = {1, 2, 5};
        int exponent = (int)power + i / 3;
        ticks.step = factors[i % 3] * pow(10, exponent);
        ticks.first = ceil(low / ticks.step - 1e-9) * ticks.step;
        ticks.count = (int)floor((high - ticks.first) / ticks.step + 1e-9) + 1;
        ticks.decimals = exponent < 0 ? -exponent : 0;
        if (ticks.count <= max_count) break;
    }
    return ticks;
}

// --- text ---

// Escapes a name, which may have any characters.
static void write_text(FILE *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            if ((unsigned char)*text >= ' ') fputc(*text, out);
        }
    }
}

// The number of characters, not bytes.
static int letters(const char *text) {
    int count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

// A name of at most MAX_LETTERS letters.
static void short_name(const char *name, char out[4 * MAX_LETTERS + 4]) {
    int count = 0;
    size_t used = 0;
    for (; *name && used < 4 * MAX_LETTERS - 1; name++) {
        bool starts = ((unsigned char)*name & 0xC0) != 0x80;
        if (starts && count == MAX_LETTERS - 1 && letters(name) > 1) {
            memcpy(out + used, "\xE2\x80\xA6", 4); // an ellipsis
            return;
        }
        count += starts;
        out[used++] = *name;
    }
    out[used] = 0;
}

static void write_style(FILE *out) {
    fputs("<style>\n"
          "text{font:12px system-ui,sans-serif;fill:#3b4048}.title{font-size:16px;font-weight:600;fill:#14171c}"
          ".head{font-weight:600;fill:#14171c}.quiet{fill:#6b7280}\n"
          ".paper{fill:#fff}.grid{stroke:#e4e7ec}.axis{stroke:#9aa1ad}path{fill:none;stroke-linejoin:round}\n",
          out);
    for (int i = 0; i < COLOURS; i++) fprintf(out, ".c%d{stroke:%s}", i, light[i]);
    fputs("\n@media (prefers-color-scheme:dark){text{fill:#c5cad3}.title,.head{fill:#f1f3f6}.quiet{fill:#8b93a1}"
          ".paper{fill:#14171c}.grid{stroke:#2a2f38}.axis{stroke:#5b6472}\n",
          out);
    for (int i = 0; i < COLOURS; i++) fprintf(out, ".c%d{stroke:%s}", i, dark[i]);
    fputs("}\n</style>\n", out);
}

// --- axes ---

typedef struct {
    double low, high; // of the axis; its logarithms if logarithmic
    double factor;    // ticks show values times this
    char unit[16];    // with a prefix
    bool logarithmic;
} axis;

static bool shown(const axis *a, double y) {
    return isfinite(y) && (!a->logarithmic || y > 0);
}

static double along(const axis *a, double y) {
    return ((a->logarithmic ? log10(y) : y) - a->low) / (a->high - a->low);
}

// The prefix of a unit that makes the largest number one of 1 to 1000.
static void choose_prefix(axis *a, const char *unit) {
    static const struct {
        double size;
        const char *prefix;
    } prefixes[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "\xC2\xB5"}, {1e-9, "n"}};
    double max = fmax(fabs(a->low), fabs(a->high));
    int i = 3;
    if (*unit && strcmp(unit, "%") != 0 && !a->logarithmic && max > 0) {
        for (i = 0; i < 6 && max < prefixes[i].size; i++) continue;
    }
    a->factor = 1 / prefixes[i].size;
    snprintf(a->unit, sizeof a->unit, "%s%.8s", prefixes[i].prefix, unit);
}

static axis choose_axis(const plot_panel *panel) {
    axis a = {INFINITY, -INFINITY, 1, "", panel->logarithmic};
    for (int k = 0; k < panel->line_count; k++) {
        for (int i = 0; i < panel->lines[k].count; i++) {
            double y = panel->lines[k].y[i];
            if (!shown(&a, y)) continue;
            double at = a.logarithmic ? log10(y) : y;
            a.low = fmin(a.low, at);
            a.high = fmax(a.high, at);
        }
    }
    if (a.low > a.high) a.low = a.high = 0;
    double min_range = fmax(a.logarithmic ? 1 : panel->min_range, 1e-6 * fmax(fabs(a.low), fabs(a.high)));
    if (!(min_range > 0)) min_range = 1;
    if (a.high - a.low < min_range) {
        bool up = !a.logarithmic && a.low >= 0 && a.low < 0.5 * min_range; // penetration is never negative
        double middle = 0.5 * (a.low + a.high);
        a.low = up ? 0 : middle - 0.5 * min_range;
        a.high = a.low + min_range;
    } else if (!a.logarithmic) { // a margin, but not below zero if all values are positive
        double air = 0.04 * (a.high - a.low);
        a.low -= a.low >= 0 && a.low < air ? a.low : air;
        a.high += air;
    }
    choose_prefix(&a, panel->unit);
    return a;
}

static void write_value_axis(FILE *out, const axis *a, double top) {
    plot_ticks ticks = plot_round_ticks(a->low * a->factor, a->high * a->factor, 6);
    if (a->logarithmic && ticks.step < 1) ticks = (plot_ticks){ceil(a->low - 1e-9), 1, 6, 0}; // whole powers of ten
    for (int i = 0; i < ticks.count; i++) {
        double at = ticks.first + i * ticks.step;
        if (fabs(at) < 1e-9 * ticks.step) at = 0; // not -0
        double y = top + PANEL_HEIGHT * (1 - (at / a->factor - a->low) / (a->high - a->low));
        if (y < top - 0.5 || y > top + PANEL_HEIGHT + 0.5) continue;
        fprintf(out, "<path class=\"grid\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                MARGIN_LEFT, y, PLOT_WIDTH, MARGIN_LEFT - 8, y + 4);
        if (!a->logarithmic)
            fprintf(out, "%.*f", ticks.decimals, at);
        else if (fabs(at) < 4)
            fprintf(out, "%.*f", at < 0 ? (int)-at : 0, pow(10, at));
        else
            fprintf(out, "10<tspan dy=\"-5\" font-size=\"9\">%d</tspan>", (int)at);
        fputs("</text>\n", out);
    }
}

static void write_time_axis(FILE *out, double end, double top) {
    plot_ticks ticks = plot_round_ticks(0, end, 11);
    for (int i = 0; i < ticks.count; i++) {
        double at = ticks.first + i * ticks.step, x = MARGIN_LEFT + PLOT_WIDTH * at / end;
        fprintf(out,
                "<path class=\"grid\" d=\"M%.1f %.0fv%d\"/><text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">"
                "%.*f%s</text>\n",
                x, top, PANEL_HEIGHT, x, top + PANEL_HEIGHT + 17, ticks.decimals, at, i + 1 == ticks.count ? " s" : "");
    }
}

// --- lines ---

static void write_line(FILE *out, const plot_line *line, int number, const axis *a, double end) {
    fprintf(out, "<path class=\"c%d\"%s d=\"", number % COLOURS,
            number < COLOURS       ? ""
            : number < 2 * COLOURS ? " stroke-dasharray=\"60 30\""
                                   : " stroke-dasharray=\"15 30\"");
    long x = 0, y = 0;
    bool down = false; // the pen
    for (int i = 0; i < line->count; i++) {
        if (!shown(a, line->y[i])) {
            down = false;
            continue;
        }
        long to_x = lround(FINE * PLOT_WIDTH * line->t[i] / end);
        long to_y = lround(FINE * PANEL_HEIGHT * (1 - along(a, line->y[i])));
        if (!down) fprintf(out, "M%ld %ldl0 0", to_x, to_y); // a dot, if a gap follows
        if (down && (to_x != x || to_y != y)) fprintf(out, " %ld %ld", to_x - x, to_y - y);
        x = to_x, y = to_y;
        down = true;
    }
    fputs("\"/>\n", out);
}

// --- a panel ---

static int entry_width(const char *name) {
    char text[4 * MAX_LETTERS + 4];
    short_name(name, text);
    return SWATCH + LETTER * letters(text) + SPACE;
}

// The start of the legend, after the title.
static int legend_start(const plot_panel *panel, const axis *a) {
    return MARGIN_LEFT + 8 * (letters(panel->title) + letters(a->unit) + 3) + SPACE;
}

// The number of rows of title and legend; writes them if `out` is not null, with the first row at `top`.
static int write_legend(FILE *out, const plot_panel *panel, const axis *a, double top) {
    int start = legend_start(panel, a), x = start, rows = 1;
    for (int i = 0; i < panel->line_count; i++) {
        char name[4 * MAX_LETTERS + 4];
        short_name(panel->lines[i].name, name);
        int width = entry_width(panel->lines[i].name);
        if (x > start && x + width > WIDTH - MARGIN_RIGHT + SPACE) {
            x = start;
            rows++;
        }
        double y = top + (rows - 1) * LEGEND_ROW;
        if (out) {
            fprintf(out, "<path class=\"c%d\" stroke-width=\"2.5\"%s d=\"M%d %.0fh%d\"/><text x=\"%d\" y=\"%.0f\">",
                    i % COLOURS,
                    i < COLOURS       ? ""
                    : i < 2 * COLOURS ? " stroke-dasharray=\"6 3\""
                                      : " stroke-dasharray=\"1.5 3\"",
                    x, y - 4, SWATCH - 8, x + SWATCH - 3, y);
            write_text(out, name);
            fputs("</text>\n", out);
        }
        x += width;
    }
    return rows;
}

static double panel_height(const plot_panel *panel) {
    axis a = choose_axis(panel);
    return LEGEND_ROW * write_legend(NULL, panel, &a, 0) + PANEL_HEIGHT + TICK_ROW;
}

static void write_panel(FILE *out, const plot_panel *panel, double end, double top) {
    axis a = choose_axis(panel);
    int rows = write_legend(NULL, panel, &a, 0);
    double frame = top + LEGEND_ROW * rows;
    fprintf(out, "<text class=\"head\" x=\"%d\" y=\"%.0f\">", MARGIN_LEFT, top + 11);
    write_text(out, panel->title);
    if (*a.unit) {
        fputs("<tspan class=\"quiet\" font-weight=\"400\"> in ", out);
        write_text(out, a.unit);
        fputs("</tspan>", out);
    }
    fputs("</text>\n", out);
    write_legend(out, panel, &a, top + 11);
    write_time_axis(out, end, frame);
    write_value_axis(out, &a, frame);
    fprintf(out, "<path class=\"axis\" d=\"M%d %.0fv%dh%d\"/>\n", MARGIN_LEFT, frame, PANEL_HEIGHT, PLOT_WIDTH);
    fprintf(out, "<g transform=\"translate(%d %.0f) scale(.1)\" stroke-width=\"16\" stroke-linecap=\"round\">\n",
            MARGIN_LEFT, frame);
    for (int i = 0; i < panel->line_count; i++) write_line(out, &panel->lines[i], i, &a, end);
    fputs("</g>\n", out);
}

void plot_write(FILE *out, const plot_chart *chart) {
    double end = chart->end > 0 ? chart->end : 1, head = chart->subtitle ? 64 : 46, height = head;
    for (int i = 0; i < chart->panel_count; i++) height += panel_height(&chart->panels[i]);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
            "role=\"img\">\n",
            WIDTH, height, WIDTH, height);
    fputs("<title>", out);
    if (chart->title) write_text(out, chart->title);
    fputs("</title>\n", out);
    write_style(out);
    fprintf(out, "<rect class=\"paper\" width=\"%d\" height=\"%.0f\"/>\n", WIDTH, height);
    if (chart->title) {
        fprintf(out, "<text class=\"title\" x=\"%d\" y=\"28\">", MARGIN_LEFT);
        write_text(out, chart->title);
        fputs("</text>\n", out);
    }
    if (chart->subtitle) {
        fprintf(out, "<text class=\"quiet\" x=\"%d\" y=\"46\">", MARGIN_LEFT);
        write_text(out, chart->subtitle);
        fputs("</text>\n", out);
    }
    double top = head;
    for (int i = 0; i < chart->panel_count; i++) {
        write_panel(out, &chart->panels[i], end, top);
        top += panel_height(&chart->panels[i]);
    }
    fputs("</svg>\n", out);
}
