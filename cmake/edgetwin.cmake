# How every target of this project is compiled, and the one way to declare a library of src/.
include(${CMAKE_CURRENT_LIST_DIR}/layers.cmake)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# Exactness: no contraction into fused multiply-add, no value-changing optimisation, and IEEE
# behaviour of conversions; a result must not depend on the compiler.
add_compile_options(-ffp-contract=off)

set(EDGETWIN_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Werror
    # GCC 12 sees overlapping copies inside its own std::string (its bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

function(edgetwin_compile_options target)
  target_compile_options(${target} PRIVATE ${EDGETWIN_WARNINGS})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>)
endfunction()

# Links what cmake/layers.cmake lets the folder use.
function(edgetwin_link_used target folder visibility)
  foreach(used IN LISTS EDGETWIN_USES_${folder})
    string(REPLACE "/" "_" used_name ${used})
    target_link_libraries(${target} ${visibility} edgetwin_${used_name})
  endforeach()
endfunction()

# The library of one folder of src/: edgetwin_library([LOOPS] SOURCES a.cc b.cc [PRIVATE lib...]).
# Its name and what it links come from the folder and cmake/layers.cmake. LOOPS: its files are loops
# over data, worth vectorising. Without SOURCES it has headers only.
function(edgetwin_library)
  cmake_parse_arguments(arg "LOOPS" "" "SOURCES;PRIVATE" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name ${folder})
  set(target edgetwin_${name})
  if(NOT arg_SOURCES)
    add_library(${target} INTERFACE)
    add_library(edgetwin::${name} ALIAS ${target})
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>)
    edgetwin_link_used(${target} ${folder} INTERFACE)
    return()
  endif()
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(edgetwin::${name} ALIAS ${target})
  edgetwin_compile_options(${target})
  if(arg_LOOPS)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
  endif()
  edgetwin_link_used(${target} ${folder} PUBLIC)
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
  # A quarter of what a file costs the compiler is the standard library. The kernels are compiled
  # with flags of their own, for which these headers would not do; GCC 12 warns of the inside of its
  # own std::string when it comes from precompiled headers.
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  elseif(name STREQUAL base)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <cstring>
      <filesystem> <functional> <limits> <map> <memory> <optional> <set> <span> <string>
      <string_view> <utility> <variant> <vector>)
  elseif(NOT folder MATCHES "^kernels/")
    target_precompile_headers(${target} REUSE_FROM edgetwin_base)
  endif()
endfunction()

# Fails the build on an #include that cmake/layers.cmake does not allow.
add_custom_target(check_includes ALL
  COMMAND ${CMAKE_COMMAND} -P ${CMAKE_SOURCE_DIR}/tools/check_includes.cmake
  COMMENT "Checking the direction of dependencies" VERBATIM)
