# sz_layer(NAME DEPS target...): one folder of runtime/ is one static library, sz_NAME.
# Sources are all .cpp files of the folder; DEPS are linked publicly.
function(sz_layer name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  if(NOT sources)
    add_library(sz_${name} INTERFACE)
    target_include_directories(sz_${name} INTERFACE "${CMAKE_SOURCE_DIR}/runtime")
    target_link_libraries(sz_${name} INTERFACE ${ARG_DEPS})
    return()
  endif()
  add_library(sz_${name} STATIC ${sources})
  target_include_directories(sz_${name} PUBLIC "${CMAKE_SOURCE_DIR}/runtime")
  target_link_libraries(sz_${name} PUBLIC ${ARG_DEPS})
endfunction()

# sz_discover_suites(TARGET PREFIX): a ctest entry for each suite of a GoogleTest program. For those that are linked to
# LibTorch: their start takes a quarter of a second of CPU, and gtest_discover_tests would start them for each test.
function(sz_discover_suites target prefix)
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT "set(SZ_SUITES_PROGRAM \"$<TARGET_FILE:${target}>\")
set(SZ_SUITES_PREFIX \"${prefix}\")
include(\"${PROJECT_SOURCE_DIR}/cmake/AddTestSuites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()

# sz_precompiled_tests(NAME HEADERS header... DEPS target...): headers from outside this project, compiled once, for the
# test programs that sz_use_precompiled() names. LibTorch's cost more than most tests' own code. An executable, since
# the flags must be those of the programs that use it.
function(sz_precompiled_tests name)
  cmake_parse_arguments(ARG "" "" "HEADERS;DEPS" ${ARGN})
  set(main "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(GENERATE OUTPUT "${main}" CONTENT "int main() {}\n")
  add_executable(${name} EXCLUDE_FROM_ALL "${main}")
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  target_compile_options(${name} PRIVATE -fpch-preprocess)  # ccache asks for it
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

function(sz_use_precompiled target name)
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

# sz_unit_test(LAYER [BY_SUITE] DEPS target...): tests/unit/LAYER/*_test.cpp is one GoogleTest program, LAYER_test; with
# BY_SUITE ctest starts it once a suite instead of once a test.
# A second layer folder of helpers may be compiled in by listing it under EXTRA.
function(sz_unit_test layer)
  cmake_parse_arguments(ARG "BY_SUITE" "" "DEPS;EXTRA" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/unit/${layer}/*_test.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(${layer}_test ${sources} ${ARG_EXTRA})
  target_include_directories(${layer}_test PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  target_link_libraries(${layer}_test PRIVATE sz_${layer} ${ARG_DEPS} GTest::gtest_main GTest::gmock)
  if(ARG_BY_SUITE)
    sz_use_precompiled(${layer}_test sz_precompiled_torch)
    sz_discover_suites(${layer}_test "${layer}.")
  else()
    gtest_discover_tests(${layer}_test DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_PREFIX "${layer}."
      PROPERTIES TIMEOUT 120)
  endif()
endfunction()
