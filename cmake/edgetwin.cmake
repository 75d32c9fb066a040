# How every target of this project is compiled, and the one way to declare a library of src/.
include(${CMAKE_CURRENT_LIST_DIR}/layers.cmake)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/verbs.def)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# Exactness: no contraction into fused multiply-add, no value-changing optimisation, and IEEE
# behaviour of conversions; a result must not depend on the compiler.
add_compile_options(-ffp-contract=off)

# The compiler collects its garbage less often where the machine has the memory: 3 % of its time.
cmake_host_system_information(RESULT edgetwin_megabytes QUERY TOTAL_PHYSICAL_MEMORY)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND edgetwin_megabytes GREATER 7000)
  add_compile_options(--param=ggc-min-expand=400 --param=ggc-min-heapsize=1000000)
endif()

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
# With the calls of the thread sanitizer between its lines, GCC 12 no longer sees how long a std::string is.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  list(APPEND EDGETWIN_WARNINGS -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(TRANSFORM EDGETWIN_WARNINGS REPLACE "-Wshadow=local" "")
endif()

function(edgetwin_compile_options target)
  target_compile_options(${target} PRIVATE ${EDGETWIN_WARNINGS})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                              $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endfunction()

# Headers of the standard library, parsed once for all libraries with the same options; of 800 s of
# compiler time they took 300. Our own headers are not among them: to change one compiles what
# includes it, not everything.
option(EDGETWIN_PRECOMPILED "Precompile the headers of the standard library" ON)
set(EDGETWIN_STANDARD_HEADERS
    <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstring> <filesystem> <functional>
    <limits> <map> <memory> <optional> <set> <span> <string> <string_view> <utility> <vector>)

# `options` names what the options of the target have apart from those of all: plain, warm, fast, loops.
function(edgetwin_precompile target options)
  if(NOT EDGETWIN_PRECOMPILED)
    return()
  endif()
  get_target_property(visibility ${target} CXX_VISIBILITY_PRESET)
  get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
  set(headers edgetwin_headers_${options})
  if(visibility STREQUAL "hidden")
    string(APPEND headers _hidden)
  endif()
  if(NOT TARGET ${headers})
    set(empty ${PROJECT_BINARY_DIR}/generated/headers.cc)
    file(CONFIGURE OUTPUT ${empty} CONTENT "// Only its precompiled headers are used.\n")
    add_library(${headers} STATIC ${empty})
    edgetwin_compile_options(${headers})
    target_link_libraries(${headers} PRIVATE Threads::Threads)
    edgetwin_optimise(${headers} ${options})
    if(visibility)
      set_target_properties(${headers} PROPERTIES CXX_VISIBILITY_PRESET ${visibility}
                            VISIBILITY_INLINES_HIDDEN ON)
    endif()
    if(independent)
      set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    target_precompile_headers(${headers} PRIVATE ${EDGETWIN_STANDARD_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  # Files with options of their own cannot use them.
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(own ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
    if(own)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES
                                  SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# fast: -O2, loops: -O3; all others have -O1 (small: -Os), two thirds of the compiler's time. A debug
# build optimises (by the flags of its preset) what loops over data, and what is searched for minutes
# without it (warm): for the rest the compiler needs half of the time then.
# EDGETWIN_SMALL: all others have -Os, without the passes of GCC that cost the compiler more time than
# they save bytes; GCC 12 takes empty optionals for uninitialized then. What nothing calls is left out
# by the linker.
option(EDGETWIN_SMALL "Make code without loops small" OFF)
set(edgetwin_small -Os)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND edgetwin_small -fno-tree-vrp -fno-tree-pre -fno-schedule-insns2 -fno-devirtualize
       -fno-expensive-optimizations -Wno-maybe-uninitialized)
endif()
if(EDGETWIN_SMALL)
  add_compile_options($<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>)
endif()
function(edgetwin_link_used_only target)
  if(EDGETWIN_SMALL AND NOT APPLE)
    target_link_options(${target} PRIVATE $<$<CONFIG:Release>:LINKER:--gc-sections> $<$<CONFIG:Release>:LINKER:-O2>)
  endif()
endfunction()
function(edgetwin_optimise target options)
  if(options STREQUAL "fast")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>
      "$<$<AND:$<CONFIG:Release>,$<BOOL:${EDGETWIN_SMALL}>>:-falign-functions=1;-falign-jumps=1;-falign-labels=1>")
  elseif(options STREQUAL "loops")
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
  elseif(options STREQUAL "plain")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>
                           "$<$<AND:$<CONFIG:Release>,$<BOOL:${EDGETWIN_SMALL}>>:${edgetwin_small}>")
  endif()
endfunction()

# Files of a folder whose loops are worth -O3, which the rest is too large for.
function(edgetwin_loops target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES
    COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3>")
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

# Links what cmake/layers.cmake lets the folder use.
function(edgetwin_link_used target folder visibility)
  foreach(used IN LISTS EDGETWIN_USES_${folder})
    string(REPLACE "/" "_" used_name ${used})
    target_link_libraries(${target} ${visibility} edgetwin_${used_name})
  endforeach()
endfunction()

# The library of one folder of src/: edgetwin_library([SOURCES a.cc b.cc] [PRIVATE lib...] [FAST] [LOOPS] [SPREAD] [ALONE]).
# Its name and what it links come from the folder and cmake/layers.cmake. Without SOURCES it has
# headers only.
#   FAST   its loops are what users wait for: -O2 in a release build. All others get -O1 or -Os, which takes
#          the compiler two thirds of the time.
#   LOOPS  its files are loops over data, worth vectorising: -O3.
#   SPREAD its files instantiate much: small groups, which keep both processors busy, as of LOOPS.
#   ALONE  its files are compiled one by one.
function(edgetwin_library)
  cmake_parse_arguments(arg "FAST;LOOPS;SPREAD;ALONE" "" "SOURCES;PRIVATE" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name ${folder})
  set(target edgetwin_${name})
  if(NOT arg_SOURCES)
    add_library(${target} INTERFACE)
    add_library(edgetwin::${name} ALIAS ${target})
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
    edgetwin_link_used(${target} ${folder} INTERFACE)
    return()
  endif()
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(edgetwin::${name} ALIAS ${target})
  edgetwin_compile_options(${target})
  edgetwin_link_used(${target} ${folder} PUBLIC)
  if(EDGETWIN_SHARED)
    # Every object can go into the shared library. It exports what is marked EDGETWIN_API, and the
    # folders whose headers are part of the public ones.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(NOT folder IN_LIST EDGETWIN_OPEN_FOLDERS)
      set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden
                            VISIBILITY_INLINES_HIDDEN ON)
    endif()
  endif()
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
  set(options plain)
  if(arg_LOOPS)
    set(options loops)
  elseif(arg_FAST)
    set(options fast)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Debug" AND folder MATCHES "^targets/edgetpu/|^train/")
    set(options warm)
  endif()
  edgetwin_optimise(${target} ${options})
  if(NOT arg_ALONE)
    # Once all sources are known: target_sources may follow.
    # Of loops over data a file costs what its instantiations cost: small groups keep both
    # processors busy.
    set(bytes ${EDGETWIN_UNITY_BYTES})
    if(arg_LOOPS OR arg_SPREAD)
      math(EXPR bytes "${bytes} / 6")
    endif()
    cmake_language(EVAL CODE "cmake_language(DEFER CALL edgetwin_group_sources ${target} ${bytes})
                              cmake_language(DEFER CALL edgetwin_precompile ${target} ${options})")
  endif()
endfunction()

# What of the folder needs large libraries of others: edgetwin_module(name SOURCES a.cc... [USES b.cc...] PRIVATE lib...
# [INCLUDE dir...]), a shared object lib/edgetwin/NAME-VERSION.so that is loaded when it is used first
# (src/base/modules). USES are sources of the folder's library that it needs too. Without EDGETWIN_SHARED all of it is
# part of that library.
function(edgetwin_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PRIVATE;INCLUDE" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" library edgetwin_${folder})
  if(NOT EDGETWIN_SHARED)
    target_sources(${library} PRIVATE ${arg_SOURCES})
    target_link_libraries(${library} PRIVATE ${arg_PRIVATE})
    target_include_directories(${library} SYSTEM PRIVATE ${arg_INCLUDE})
    return()
  endif()
  set(module edgetwin_module_${name})
  add_library(${module} MODULE ${arg_SOURCES} ${arg_USES})
  edgetwin_compile_options(${module})
  edgetwin_optimise(${module} plain)
  target_include_directories(${module} SYSTEM PRIVATE ${arg_INCLUDE})
  edgetwin_link_used(${module} ${folder} PRIVATE)
  target_link_libraries(${module} PRIVATE ${arg_PRIVATE})
  edgetwin_link_used_only(${module})
  target_link_options(${module} PRIVATE LINKER:--as-needed LINKER:--exclude-libs,ALL LINKER:-z,defs LINKER:-z,relro LINKER:-z,now)
  set_target_properties(${module} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name}-${PROJECT_VERSION} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/edgetwin
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_definitions(${library} PRIVATE EDGETWIN_MODULES)
  add_dependencies(${library} ${module})
  set_property(GLOBAL APPEND PROPERTY EDGETWIN_MODULE_TARGETS ${module})
  cmake_language(EVAL CODE "cmake_language(DEFER CALL edgetwin_group_sources ${module} ${EDGETWIN_UNITY_BYTES})
                            cmake_language(DEFER CALL edgetwin_precompile ${module} plain)")
endfunction()

# The accessors of schemas/NAME.fbs for the library of this folder: edgetwin_schema(NAME). They are
# heavy to compile: only .cc files include NAME_generated.h.
find_program(FLATC flatc REQUIRED)
find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h REQUIRED)
function(edgetwin_schema name)
  set(generated ${PROJECT_BINARY_DIR}/generated/${name})
  if(NOT TARGET generated_${name})
    add_custom_command(
      OUTPUT ${generated}/${name}_generated.h
      COMMAND ${FLATC} --cpp --scoped-enums -o ${generated} ${PROJECT_SOURCE_DIR}/schemas/${name}.fbs
      DEPENDS ${PROJECT_SOURCE_DIR}/schemas/${name}.fbs
      COMMENT "Generating ${name}_generated.h" VERBATIM)
    add_custom_target(generated_${name} DEPENDS ${generated}/${name}_generated.h)
    add_dependencies(generated_headers generated_${name})
  endif()
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" library ${folder})
  add_dependencies(edgetwin_${library} generated_${name})
  target_include_directories(edgetwin_${library} SYSTEM PRIVATE ${generated} ${FLATBUFFERS_INCLUDE_DIR})
endfunction()

# Fails the build on an #include that cmake/layers.cmake does not allow.
add_custom_target(check_includes ALL
  COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/tools/check_includes.cmake
  COMMENT "Checking the direction of dependencies" VERBATIM)
