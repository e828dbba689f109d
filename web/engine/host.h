// A WebAssembly module's two sides: functions that the page calls, and the one that it must have.
#ifndef SN_ENGINE_HOST_H
#define SN_ENGINE_HOST_H

#define EXPORT(name) __attribute__((export_name(#name))) name

// Seconds, from any zero.
__attribute__((import_module("env"), import_name("now"))) double host_now(void);

#endif
