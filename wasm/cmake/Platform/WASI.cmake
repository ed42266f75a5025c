# CMake knows no WASI: it is like nothing else that it knows.
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
