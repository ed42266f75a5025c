# The build tree has the same layout as the installed tree, so that a program finds its parts relative to itself in
# both: bin/whatwire, lib/whatwire/ (libraries to preload), libexec/whatwire/ (helper programs).
include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(WW_PRELOAD_DIR ${CMAKE_BINARY_DIR}/lib/whatwire)
set(WW_LIBEXEC_DIR ${CMAKE_BINARY_DIR}/libexec/whatwire)

# What a user needs, without the tests.
add_custom_target(product)

# ww_libexec(TARGET): TARGET is a helper program, not for users to start.
function(ww_libexec target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${WW_LIBEXEC_DIR})
  add_dependencies(product ${target})
  install(TARGETS ${target} DESTINATION libexec/whatwire)
endfunction()

# ww_preload(TARGET): TARGET is a library that is loaded into other people's programs.
function(ww_preload target)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${WW_PRELOAD_DIR})
  add_dependencies(product ${target})
  install(TARGETS ${target} DESTINATION lib/whatwire)
endfunction()
