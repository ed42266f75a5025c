# Compiler flags shared by everything that is compiled here.
# All sources of a stage together, eight at a time, take half of the time of one by one; whoever changes one of them waits longer.
option(WHATWIRE_TOGETHER "Compile the sources of each stage eight at a time" ON)
set(WHATWIRE_SANITIZE "" CACHE STRING "address (with undefined), thread, or empty")

# Functions and lines for debuggers and traces of calls; variables (-g) would take a sixth of the time to compile.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

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
if(WHATWIRE_TOGETHER)  # a name of one file may be a local one of another
  target_compile_options(ww_flags INTERFACE -Wno-shadow)
endif()
if(WHATWIRE_SANITIZE STREQUAL "address")
  target_compile_options(ww_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_link_options(ww_flags INTERFACE -fsanitize=address,undefined)
elseif(WHATWIRE_SANITIZE STREQUAL "thread")
  target_compile_options(ww_flags INTERFACE -fsanitize=thread)
  target_link_options(ww_flags INTERFACE -fsanitize=thread)
endif()
target_include_directories(ww_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)

# ww_sources(VARIABLE PATTERN FOLDER...): the .cpp files of these folders (not below them) whose names match, but none of main().
# A new file needs no line here.
function(ww_sources variable pattern)
  set(found)
  foreach(folder ${ARGN})
    cmake_path(ABSOLUTE_PATH folder NORMALIZE)
    file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${folder}/*.cpp)
    list(APPEND found ${files})
  endforeach()
  list(FILTER found EXCLUDE REGEX "(^|/)main\\.cpp$")
  if("${pattern}" STREQUAL "tests")
    list(FILTER found INCLUDE REGEX "_test\\.cpp$")
  else()
    list(FILTER found EXCLUDE REGEX "_test\\.cpp$")
  endif()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# ww_stage(NAME [FILE|FOLDER...]): a static library ww_NAME holding one stage of the pipeline: all sources of these folders (without
# any: of this one), and these files.
function(ww_stage name)
  ww_split(code "${ARGN}")
  add_library(ww_${name} STATIC ${code})
  ww_together(ww_${name})
  target_link_libraries(ww_${name} PUBLIC ww_flags)
endfunction()

# Names without linkage must differ between all files of a target for this.
function(ww_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WHATWIRE_TOGETHER} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Files as they are; of folders the sources, or the tests.
macro(ww_split kind)
  set(given ${ARGN})
  if(NOT given)
    set(given .)
  endif()
  set(files ${given})
  list(FILTER files INCLUDE REGEX "\\.(cpp|c)$")
  set(folders ${given})
  list(FILTER folders EXCLUDE REGEX "\\.(cpp|c)$")
  ww_sources(${kind} ${kind} ${folders})
  list(APPEND ${kind} ${files})
endmacro()
