// Numbers with a decimal point, whatever the program's locale: public calls that read, write or print numbers begin with
//     API_C_LOCALE;
// which sets the C locale for the calling thread until the call returns.
#ifndef SN_API_API_LOCALE_H
#define SN_API_API_LOCALE_H

#include <locale.h>

typedef struct {
    locale_t own, before;
} api_locale;

static inline api_locale api_locale_enter(void) {
    const locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (api_locale){own, own ? uselocale(own) : (locale_t)0};
}

static inline void api_locale_leave(const api_locale *l) {
    if (!l->own) return;
    uselocale(l->before);
    freelocale(l->own);
}

#define API_C_LOCALE __attribute__((cleanup(api_locale_leave), unused)) const api_locale c_locale = api_locale_enter()

#endif
