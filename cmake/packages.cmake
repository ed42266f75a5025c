find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

# Of the page for exports (cmake/wasm.cmake).
find_program(WW_WASM_CXX clang++-19)
set(WW_HAS_EXPORTED_PAGE ON)
foreach(file ${WW_WASM_CXX} /usr/bin/wasm-ld-19 /usr/lib/llvm-19/lib/wasm32-wasi/libc++.a /usr/lib/wasm32-wasi/libc.a
    /usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a)
  if(NOT EXISTS ${file})
    message(STATUS "No page for exports: ${file} is missing (clang-19, lld-19, libc++-19-dev-wasm32, libclang-rt-19-dev-wasm32, wasi-libc)")
    set(WW_HAS_EXPORTED_PAGE OFF)
  endif()
endforeach()

# Of `whatwire instrument` (src/instrument): headers of Clang and LLVM, their shared libraries, and the headers that Clang
# itself brings, which it is told of when it runs.
set(WW_LLVM /usr/lib/llvm-19 CACHE PATH "Clang 19 and LLVM 19, with their headers")
set(WW_CLANG_INCLUDES ${WW_LLVM}/include)
set(WW_CLANG_LIBRARY ${WW_LLVM}/lib/libclang-cpp.so)
find_file(WW_LLVM_LIBRARY NAMES libLLVM.so libLLVM-19.so PATHS ${WW_LLVM}/lib NO_DEFAULT_PATH)
set(WW_CLANG_RESOURCES ${WW_LLVM}/lib/clang/19)
set(WW_HAS_CLANG ON)
foreach(file ${WW_CLANG_INCLUDES}/clang/Tooling/Tooling.h ${WW_CLANG_INCLUDES}/llvm/Config/llvm-config.h ${WW_CLANG_LIBRARY} ${WW_LLVM_LIBRARY}
    ${WW_CLANG_RESOURCES}/include/stddef.h)
  if(NOT EXISTS ${file})
    message(STATUS "No whatwire instrument: ${file} is missing (libclang-19-dev, libclang-cpp19-dev, llvm-19-dev)")
    set(WW_HAS_CLANG OFF)
  endif()
endforeach()
# Of `whatwire instrument` for Fortran: flang's headers and its parser.
set(WW_FLANG_LIBRARIES ${WW_LLVM}/lib/libFortranParser.a ${WW_LLVM}/lib/libFortranCommon.a)
set(WW_HAS_FLANG ON)
foreach(file ${WW_LLVM}/include/flang/Parser/parsing.h ${WW_FLANG_LIBRARIES} ${WW_LLVM_LIBRARY})
  if(NOT EXISTS ${file})
    message(STATUS "No whatwire instrument for Fortran: ${file} is missing (libflang-19-dev, llvm-19-dev)")
    set(WW_HAS_FLANG OFF)
  endif()
endforeach()
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)  # headers only: its library throws
find_package(GTest REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

find_path(OTF2_INCLUDE otf2/otf2.h REQUIRED)
find_library(OTF2_LIBRARY otf2 REQUIRED)
add_library(otf2 INTERFACE)
target_include_directories(otf2 SYSTEM INTERFACE ${OTF2_INCLUDE})
target_link_libraries(otf2 INTERFACE ${OTF2_LIBRARY})

# Its header means other classes without the macros that the library was built with, which its description has.
find_package(PkgConfig REQUIRED)
pkg_check_modules(cpp_httplib REQUIRED IMPORTED_TARGET cpp-httplib)

# Both MPIs of Debian can be installed together, so each is asked for by its own compiler wrapper, never by "mpicc".
find_program(OPENMPI_CC mpicc.openmpi REQUIRED)
find_program(OPENMPI_CXX mpicxx.openmpi REQUIRED)
find_program(OPENMPI_FC mpif90.openmpi REQUIRED)
find_program(OPENMPI_RUN mpirun.openmpi REQUIRED)
execute_process(COMMAND ${OPENMPI_CC} --showme:incdirs OUTPUT_VARIABLE OPENMPI_INCLUDES OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(OPENMPI_INCLUDES)
execute_process(COMMAND ${OPENMPI_CC} --showme:libdirs OUTPUT_VARIABLE OPENMPI_LIBDIRS OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(OPENMPI_LIBDIRS)
find_library(OPENMPI_LIBRARY mpi PATHS ${OPENMPI_LIBDIRS} NO_DEFAULT_PATH REQUIRED)
add_library(openmpi INTERFACE)
target_include_directories(openmpi SYSTEM INTERFACE ${OPENMPI_INCLUDES})
target_link_libraries(openmpi INTERFACE ${OPENMPI_LIBRARY})

find_program(MPICH_CC mpicc.mpich REQUIRED)
find_program(MPICH_CXX mpicxx.mpich REQUIRED)
find_program(MPICH_FC mpif90.mpich REQUIRED)
find_program(MPICH_RUN mpirun.mpich REQUIRED)
find_path(MPICH_INCLUDES mpi.h PATH_SUFFIXES mpich PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH REQUIRED)
find_library(MPICH_LIBRARY mpich REQUIRED)
add_library(mpich INTERFACE)
target_include_directories(mpich SYSTEM INTERFACE ${MPICH_INCLUDES})
target_link_libraries(mpich INTERFACE ${MPICH_LIBRARY})
