# Everything comes from Debian's packages, but OpenVINO: it comes from its pinned Python wheel, which
# `./setup` verifies and unpacks under third_party/.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc i18n data)
find_package(SQLite3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(toml11 REQUIRED)
find_package(yaml-cpp REQUIRED)

pkg_check_modules(GUMBO REQUIRED IMPORTED_TARGET gumbo)
pkg_check_modules(UCHARDET REQUIRED IMPORTED_TARGET uchardet)

find_library(STEMMER_LIBRARY stemmer REQUIRED)
find_library(CLD2_LIBRARY cld2 REQUIRED)

set(OpenVINO_DIR "${PROJECT_SOURCE_DIR}/third_party/openvino/openvino/cmake" CACHE PATH
    "Where OpenVINOConfig.cmake is")
find_package(OpenVINO REQUIRED CONFIG COMPONENTS Runtime)

if(BELEG_DEVELOPER)
  find_package(GTest REQUIRED)
endif()
