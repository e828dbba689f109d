// Numbers with a decimal point, whatever the program's locale: public calls that read, write or print numbers begin with
//     API_C_LOCALE;
// which sets the C locale for the calling thread until the call returns.
#ifndef SN_API_API_LOCALE_H
#define SN_API_API_LOCALE_H

#include "system/system.h"

#define API_C_LOCALE                                                                                                   \
    __attribute__((cleanup(system_locale_leave), unused)) const system_locale c_locale = system_locale_enter()

#endif
