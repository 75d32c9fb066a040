# How every target of this project is compiled, and the one way to declare a library of src/.
include(${CMAKE_CURRENT_LIST_DIR}/layers.cmake)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/verbs.def)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# Exactness: no contraction into fused multiply-add, no value-changing optimisation, and IEEE
# behaviour of conversions; a result must not depend on the compiler.
add_compile_options(-ffp-contract=off)

# Files of one folder are compiled together, in groups (CONTRIBUTING.md has the figures).
option(EDGETWIN_UNITY "Compile the files of a folder in groups" ON)
set(EDGETWIN_UNITY_BYTES 60000 CACHE STRING "The most source, in bytes, of a group")

set(EDGETWIN_WARNINGS -Wall -Wextra -Wconversion -Werror
    # Several files in one compilation see each other's names: only locals are held apart there.
    $<IF:$<BOOL:${EDGETWIN_UNITY}>,-Wshadow=local,-Wshadow>
    # GCC 12 sees overlapping copies inside its own std::string (its bug 105651), and takes every file
    # that is included for a header whose types belong to several compilations.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${EDGETWIN_UNITY}>>:-Wno-subobject-linkage>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(TRANSFORM EDGETWIN_WARNINGS REPLACE "-Wshadow=local" "")
endif()

function(edgetwin_compile_options target)
  target_compile_options(${target} PRIVATE ${EDGETWIN_WARNINGS})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>
                                              $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
endfunction()

# Compiles the .cc files of a target in groups of at most `bytes` of source: two thirds of what a
# file costs the compiler alone is the standard library and our own headers. Files with options of
# their own (COMPILE_OPTIONS, COMPILE_DEFINITIONS) stay alone: CMake sees to it. Needs names in
# anonymous namespaces to be unique within a folder.
function(edgetwin_group_sources target bytes)
  if(NOT EDGETWIN_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(root ${target} SOURCE_DIR)
  set(group 0)
  set(filled 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${root} OUTPUT_VARIABLE path)
    if(NOT source MATCHES "\\.cc$" OR NOT EXISTS ${path})
      continue()
    endif()
    file(SIZE ${path} size)
    math(EXPR filled "${filled} + ${size}")
    if(filled GREATER bytes)
      math(EXPR group "${group} + 1")
      set(filled ${size})
    endif()
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP g${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# The library of one folder of src/: edgetwin_library(SOURCES a.cc b.cc [PRIVATE lib...] [FAST] [ALONE]).
# Its name and what it links come from the folder and cmake/layers.cmake.
#   FAST   its loops are what users wait for: -O2 in a release build. All others get -O1, which takes
#          the compiler two thirds of the time.
#   ALONE  its files are compiled one by one.
function(edgetwin_library)
  cmake_parse_arguments(arg "FAST;ALONE" "" "SOURCES;PRIVATE" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
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
  if(arg_FAST)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  if(NOT arg_ALONE)
    # Once all sources are known: target_sources may follow.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL edgetwin_group_sources ${target} ${EDGETWIN_UNITY_BYTES})")
  endif()
endfunction()

# Fails the build on an #include that cmake/layers.cmake does not allow.
add_custom_target(check_includes ALL
  COMMAND ${CMAKE_COMMAND} -P ${CMAKE_SOURCE_DIR}/tools/check_includes.cmake
  COMMENT "Checking the direction of dependencies" VERBATIM)
