# With BELEG_PRECOMPILE, headers that most files include are compiled once for all libraries, once for all
# unit tests, and once for the program. Every file includes what it needs all the same: without the
# option, which is the default of developers, nothing else makes a name known.

set(BELEG_PRECOMPILED_HEADERS
    <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstring> <expected> <filesystem> <fstream>
    <functional> <limits> <map> <memory> <numeric> <optional> <random> <ranges> <set> <span> <sstream>
    <string> <string_view> <system_error> <thread> <unordered_map> <utility> <vector>)

if(BELEG_PRECOMPILE)
  # Must be the same for all who share the headers; OpenVINO says it to whoever links it.
  add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=1)
endif()

# The target that owns the headers of a kind: `library` or `test`, each also with
# `optimised_` before it. A compiler uses
# precompiled headers only with the options that they were made with.
function(beleg_precompiled_owner kind)
  set(owner beleg_precompiled_${kind})
  if(TARGET ${owner})
    return()
  endif()
  if(NOT EXISTS ${PROJECT_BINARY_DIR}/${owner}.cc)
    file(WRITE ${PROJECT_BINARY_DIR}/${owner}.cc "")
  endif()
  if(kind MATCHES "test$")
    # As the tests: what is linked into a program is compiled as such.
    add_executable(${owner} ${PROJECT_BINARY_DIR}/${owner}.cc)
    target_link_libraries(${owner} PRIVATE beleg_warnings nlohmann_json::nlohmann_json
                                           GTest::gtest_main)
    if(kind STREQUAL optimised_test)
      target_compile_options(${owner} PRIVATE -O1)
    else()
      target_compile_options(${owner} PRIVATE -O0)
    endif()
    target_precompile_headers(${owner} PRIVATE ${BELEG_PRECOMPILED_HEADERS} <gtest/gtest.h>
                              <nlohmann/json.hpp>)
  else()
    add_library(${owner} STATIC ${PROJECT_BINARY_DIR}/${owner}.cc)
    target_link_libraries(${owner} PRIVATE beleg_warnings)
    if(kind STREQUAL optimised_library)
      target_compile_options(${owner} PRIVATE -O1)
    endif()
    target_precompile_headers(${owner} PRIVATE ${BELEG_PRECOMPILED_HEADERS})
  endif()
endfunction()

# Declares that a target uses the headers of a kind, or `program`: of its own.
function(beleg_precompile target kind)
  if(BELEG_PRECOMPILE)
    # At the end of its folder, when all its options are known.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL beleg_precompile_now ${target} ${kind})")
  endif()
endfunction()

function(beleg_precompile_now target kind)
  get_target_property(options ${target} COMPILE_OPTIONS)
  list(FILTER options EXCLUDE REGEX "^(-O[01]|options-NOTFOUND)$")
  if(options)
    # GCC takes the options of the optimiser from the precompiled header, over those that are given for
    # the file, and says nothing: -ffp-contract=off would be lost.
    set(kind program)
  endif()
  if(kind STREQUAL program)
    target_precompile_headers(${target} PRIVATE ${BELEG_PRECOMPILED_HEADERS})
  else()
    beleg_precompiled_owner(${kind})
    target_precompile_headers(${target} REUSE_FROM beleg_precompiled_${kind})
  endif()
endfunction()
