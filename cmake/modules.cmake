# One folder under src is one library. `beleg_module(text SOURCES a.cc DEPENDS base LIBRARIES ICU::uc)`
# declares it; `beleg_module_tests(text a_test.cc)` its unit tests, all in one program.
#
# The sanitizer presets compile without optimisation, which takes half the time, but for the folders that
# they name in BELEG_OPTIMISED_MODULES: what fuzzers run, and loops that their tests run for long.

add_library(beleg_warnings INTERFACE)
target_compile_options(beleg_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor
                       # Designated initialisers leave the rest to the defaults on purpose.
                       -Wno-missing-field-initializers)
if(BELEG_DEVELOPER)
  target_compile_options(beleg_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives for inlined std::string and std::optional code in optimised builds.
  target_compile_options(
    beleg_warnings INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow
                             -Wno-array-bounds -Wno-stringop-overread)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # std::stable_sort of GCC 12's library calls a function that the library itself calls deprecated.
  target_compile_options(beleg_warnings INTERFACE -Wno-deprecated-declarations)
endif()

function(beleg_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_library(beleg_${name} STATIC ${ARG_SOURCES})
  target_include_directories(beleg_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(beleg_${name} PUBLIC beleg_${dependency})
  endforeach()
  target_link_libraries(beleg_${name} PRIVATE beleg_warnings ${ARG_LIBRARIES})
  if(name IN_LIST BELEG_OPTIMISED_MODULES)
    target_compile_options(beleg_${name} PRIVATE -O1)
    beleg_precompile(beleg_${name} optimised_library)
  else()
    beleg_precompile(beleg_${name} library)
  endif()
endfunction()

# Each test of GoogleTest is one of ctest; with BELEG_WHOLE_TEST_PROGRAMS (sanitizers) each program is
# one, since starting a process costs more there than most tests do.
function(beleg_module_tests name)
  if(NOT BELEG_DEVELOPER)
    return()
  endif()
  add_executable(beleg_${name}_test ${ARGN})
  target_link_libraries(
    beleg_${name}_test PRIVATE beleg_${name} beleg_warnings nlohmann_json::nlohmann_json
                               GTest::gtest_main)
  # What is tested is in the library; the calls need not be fast, but where tests search by hand for
  # what the library must find.
  if(name STREQUAL index)
    target_compile_options(beleg_${name}_test PRIVATE -O1)
    beleg_precompile(beleg_${name}_test optimised_test)
  else()
    target_compile_options(beleg_${name}_test PRIVATE -O0)
    beleg_precompile(beleg_${name}_test test)
  endif()
  if(BELEG_WHOLE_TEST_PROGRAMS)
    add_test(NAME ${name} COMMAND beleg_${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS unit)
  else()
    gtest_discover_tests(beleg_${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS unit)
  endif()
endfunction()
