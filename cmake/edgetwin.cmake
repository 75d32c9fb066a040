# How every target of this project is compiled, and the one way to declare a library of src/.
include(${CMAKE_CURRENT_LIST_DIR}/layers.cmake)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# Exactness: no contraction into fused multiply-add, no value-changing optimisation, and IEEE
# behaviour of conversions; a result must not depend on the compiler.
add_compile_options(-ffp-contract=off)

# Every object can go into the shared library, which exports only what is marked EDGETWIN_API.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

set(EDGETWIN_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Werror
    # GCC 12 sees overlapping copies inside its own std::string (its bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

function(edgetwin_compile_options target)
  target_compile_options(${target} PRIVATE ${EDGETWIN_WARNINGS})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                              $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endfunction()

# The library of one folder of src/: edgetwin_library(SOURCES a.cc b.cc [PRIVATE lib...]).
# Its name and what it links come from the folder and cmake/layers.cmake.
function(edgetwin_library)
  cmake_parse_arguments(arg "" "" "SOURCES;PRIVATE" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name ${folder})
  set(target edgetwin_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(edgetwin::${name} ALIAS ${target})
  edgetwin_compile_options(${target})
  foreach(used IN LISTS EDGETWIN_USES_${folder})
    string(REPLACE "/" "_" used_name ${used})
    target_link_libraries(${target} PUBLIC edgetwin_${used_name})
  endforeach()
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
  # A quarter of what a file costs the compiler is the standard library. The kernels are compiled
  # with flags of their own, for which these headers would not do; GCC 12 warns of the inside of its
  # own std::string when it comes from precompiled headers.
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  elseif(name STREQUAL base)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <cstring>
      <filesystem> <functional> <limits> <map> <memory> <optional> <set> <span> <string>
      <string_view> <utility> <variant> <vector>)
  elseif(NOT name STREQUAL kernels)
    target_precompile_headers(${target} REUSE_FROM edgetwin_base)
  endif()
endfunction()

# Fails the build on an #include that cmake/layers.cmake does not allow.
add_custom_target(check_includes ALL
  COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/tools/check_includes.cmake
  COMMENT "Checking the direction of dependencies" VERBATIM)
