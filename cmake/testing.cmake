# ww_unit_test(STAGE [FILE|FOLDER...]): the unit tests that stand beside the code of a stage, as one program: all *_test.cpp of these
# folders (without any: of this one), and these files.
include(GoogleTest)
add_custom_target(unit_tests)
function(ww_unit_test stage)
  ww_split(tests "${ARGN}")
  add_executable(${stage}_test ${tests})
  target_link_libraries(${stage}_test PRIVATE ww_${stage} ww_flags GTest::gtest GTest::gtest_main)
  set_target_properties(${stage}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  # What is tested is optimised; the tests themselves need half of the time to compile without.
  target_compile_options(${stage}_test PRIVATE -O0)
  add_dependencies(unit_tests ${stage}_test)
  gtest_discover_tests(${stage}_test TEST_PREFIX "${stage}/" PROPERTIES LABELS unit DISCOVERY_TIMEOUT 60)
endfunction()
