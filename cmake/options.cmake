# Compiler flags shared by everything that is compiled here.
set(WHATWIRE_SANITIZE "" CACHE STRING "address (with undefined), thread, or empty")

# Another clone of the project, CI's among them, finds what this one compiled: paths below the clone count as relative. Its
# debug information names the folders of whoever compiled first.
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

add_library(ww_flags INTERFACE)
target_compile_options(ww_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Werror -Werror=return-type -fno-omit-frame-pointer>)
if(WHATWIRE_SANITIZE STREQUAL "address")
  target_compile_options(ww_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_link_options(ww_flags INTERFACE -fsanitize=address,undefined)
elseif(WHATWIRE_SANITIZE STREQUAL "thread")
  target_compile_options(ww_flags INTERFACE -fsanitize=thread)
  target_link_options(ww_flags INTERFACE -fsanitize=thread)
endif()
target_include_directories(ww_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)

# ww_stage(NAME FILE...): a static library ww_NAME holding one stage of the pipeline.
function(ww_stage name)
  add_library(ww_${name} STATIC ${ARGN})
  target_link_libraries(ww_${name} PUBLIC ww_flags)
endfunction()
