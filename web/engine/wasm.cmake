# CMake's toolchain file for wasm32-wasi with SIMD: Debian's clang, lld, wasi-libc and compiler runtime.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_C_FLAGS_INIT "-msimd128")
set(CMAKE_C_FLAGS_RELEASE_INIT "-O3")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
