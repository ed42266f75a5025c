# ww_unit_test(STAGE [FILE|FOLDER...]): the unit tests that stand beside the code of a stage, as one program: all *_test.cpp of these
# folders (without any: of this one), and these files. After SLOW a filter of googletest's: what it matches is for scripts/test.sh --all.
include(GoogleTest)
add_custom_target(unit_tests)
function(ww_unit_test stage)
  cmake_parse_arguments(PARSE_ARGV 1 is "" "SLOW" "")
  ww_split(tests "${is_UNPARSED_ARGUMENTS}")
  add_executable(${stage}_test ${tests})
  target_link_libraries(${stage}_test PRIVATE ww_${stage} ww_flags GTest::gtest GTest::gtest_main)
  set_target_properties(${stage}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  # What is tested is optimised; the tests themselves need half of the time to compile without.
  target_compile_options(${stage}_test PRIVATE -O0)
  add_dependencies(unit_tests ${stage}_test)
  set(quick "*")
  if(is_SLOW)
    set(quick "-${is_SLOW}")
    gtest_discover_tests(${stage}_test TEST_PREFIX "${stage}/" TEST_FILTER "${is_SLOW}" TEST_LIST ${stage}_slow
      PROPERTIES LABELS unit-slow DISCOVERY_TIMEOUT 60)
  endif()
  gtest_discover_tests(${stage}_test TEST_PREFIX "${stage}/" TEST_FILTER "${quick}" PROPERTIES LABELS unit DISCOVERY_TIMEOUT 60)
endfunction()
