# The analysis and the simulator as WebAssembly (wasm/CMakeLists.txt), target whatwire_wasm, and the page that `whatwire export --to html`
# puts a trace into, target exported_page. They are compiled by another compiler, for another machine, as a project by itself. Without that
# compiler everything else is built, and the command says what is missing.
if(NOT WW_HAS_EXPORTED_PAGE)
  return()
endif()
set(WW_WASM ${CMAKE_BINARY_DIR}/wasm/whatwire.wasm)
set(WW_EXPORTED_PAGE ${WW_LIBEXEC_DIR}/exported.html)
set(WW_EXPORTED_FOLDER ${WW_LIBEXEC_DIR}/exported)
include(ExternalProject)
string(REPLACE ";" "|" launcher "${CMAKE_CXX_COMPILER_LAUNCHER}")
ExternalProject_Add(whatwire_wasm
  SOURCE_DIR ${PROJECT_SOURCE_DIR}/wasm
  BINARY_DIR ${CMAKE_BINARY_DIR}/wasm
  CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=WASI -DCMAKE_SYSTEM_PROCESSOR=wasm32
    -DCMAKE_CXX_COMPILER=${WW_WASM_CXX} -DCMAKE_CXX_COMPILER_TARGET=wasm32-wasi
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}" -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
    -DCMAKE_MODULE_PATH=${PROJECT_SOURCE_DIR}/wasm/cmake -DWHATWIRE_VERSION=${PROJECT_VERSION}
  LIST_SEPARATOR |
  BUILD_ALWAYS ON
  BUILD_BYPRODUCTS ${WW_WASM}
  INSTALL_COMMAND ""
  USES_TERMINAL_BUILD ON)
add_custom_command(
  OUTPUT ${WW_EXPORTED_PAGE} ${WW_EXPORTED_FOLDER}/index.html
  COMMAND ${CMAKE_COMMAND} -E make_directory ${WW_LIBEXEC_DIR}
  COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/web/exported.mjs ${CMAKE_BINARY_DIR}/web ${WW_WASM} ${WW_EXPORTED_PAGE} ${WW_EXPORTED_FOLDER}
  DEPENDS web_page whatwire_wasm ${WW_WASM} ${WEB_VIEW} ${WEB_EXPORTED} ${PROJECT_SOURCE_DIR}/web/exported.mjs
  COMMENT "The page for exports"
  VERBATIM)
add_custom_target(exported_page ALL DEPENDS ${WW_EXPORTED_PAGE})
add_dependencies(product exported_page)
install(FILES ${WW_EXPORTED_PAGE} DESTINATION libexec/whatwire)
install(DIRECTORY ${WW_EXPORTED_FOLDER} DESTINATION libexec/whatwire)
