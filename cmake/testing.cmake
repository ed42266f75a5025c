# ww_unit_test(STAGE FILE...): the unit tests that stand beside the code of a stage, as one program.
include(GoogleTest)
function(ww_unit_test stage)
  add_executable(${stage}_test ${ARGN})
  target_link_libraries(${stage}_test PRIVATE ww_${stage} ww_flags GTest::gtest GTest::gtest_main)
  set_target_properties(${stage}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${stage}_test TEST_PREFIX "${stage}/" PROPERTIES LABELS unit DISCOVERY_TIMEOUT 60)
endfunction()
