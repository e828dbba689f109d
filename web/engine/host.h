// The interface of the WebAssembly module: exported functions, and the one import.
#ifndef SN_ENGINE_HOST_H
#define SN_ENGINE_HOST_H

#define EXPORT(name) __attribute__((export_name(#name))) name

// Seconds since an arbitrary moment.
__attribute__((import_module("env"), import_name("now"))) double host_now(void);

#endif
