# cmake -P tools/check_targets.cmake: the names of targets are in src/targets/targets.def and nowhere
# else in src/. Code names a chip by targets::Id, texts take the names from the table. Command lines
# shown as examples ("--target NAME") and comments are free.
cmake_minimum_required(VERSION 3.25)
if(NOT ROOT)
  get_filename_component(ROOT "${CMAKE_CURRENT_LIST_DIR}/../src" ABSOLUTE)
endif()

# FILE=REASON: where a word is the same as a target's but does not mean one.
set(allowed
  "cli/demo/arguments.h=the numerics of that name"
  "cli/demo/fft.cc=the numerics of that name"
  "cli/template/fft.cc=the numerics of that name"
  "twin/tools/diff.cc=a kind of file in the JSON document"
  "cli/info/edgetpu.cc=a member of the JSON document"
  "cli/run/arguments.cc=a machine: --machine edgetpu"
  "cli/run/machine.cc=the numerics of that name"
  "cli/verify/=the numerics of that name"
  "ops/registry/numerics.cc=the numerics of that name, the only ones with options"
  "robotics/engine/twin_engine.h=the numerics of that name"
  "signals/measure/tables.cc=the numerics of that name"
  "targets/edgetpu/=the numerics of that name"
  "twin/machine.h=the numerics of that name"
  "twin/network.cc=a kind of file"
  "twin/verify/=the numerics of that name")

# The same for every name of a chip: words of other tables that begin with one.
set(allowed_all
  "estimate/espdl/boards.cc=names of boards"
  "estimate/espdl/boards.def=names of boards"
  "estimate/max78/time.cc=names of models of time"
  "twin/estimate/residual_rows.def=rows of published tables"
  "twin/estimate/measured.cc=models of time and rows of published tables"
  "twin/estimate/residuals.cc=models of time and rows of published tables")

# "c" and "tflite" are words of other tables too; they cannot be told from them.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../src/targets/targets.def rows REGEX "^TARGET\\(")
set(names)
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^TARGET\\([a-z0-9_]+, \"([^\"]+)\".*" "\\1" name "${row}")
  list(APPEND names ${name})
endforeach()
list(REMOVE_ITEM names c tflite)
list(LENGTH names count)
if(count LESS 5)
  message(FATAL_ERROR "targets.def has ${count} names: this check does not read it any more")
endif()
list(JOIN names "|" any_name)

set(used)
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/*.cc ${ROOT}/*.h ${ROOT}/*.def)
list(REMOVE_ITEM sources targets/targets.def)
foreach(source IN LISTS sources)
  file(STRINGS ${ROOT}/${source} lines REGEX "(${any_name})")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "//.*" "" line "${line}")
    string(REGEX REPLACE "^#include .*" "" line "${line}")  # names a file
    string(REGEX REPLACE "--(target|numerics|machine|ref) (${any_name})" "" line "${line}")
    # A chip of digits anywhere in a text; edgetpu only as the whole text.
    if(NOT line MATCHES "\"[^\"]*(max7800[0-9]|esp32[a-z][0-9])[^\"]*\"" AND
       NOT line MATCHES "\"(${any_name})\"")
      continue()
    endif()
    set(reason)
    foreach(exception IN LISTS allowed)
      string(REGEX MATCH "^[^=]+" place "${exception}")
      string(FIND ${source} ${place} at)
      if(at EQUAL 0 AND line MATCHES "\"edgetpu\"")
        set(reason ${exception})
        list(APPEND used ${place})
      endif()
    endforeach()
    foreach(exception IN LISTS allowed_all)
      string(REGEX MATCH "^[^=]+" place "${exception}")
      if(source STREQUAL place)
        set(reason ${exception})
        list(APPEND used ${place})
      endif()
    endforeach()
    if(NOT reason)
      string(STRIP "${line}" line)
      message(SEND_ERROR "src/${source} names a target: ${line}\n"
                         "Take it from src/targets/targets.def: targets::Id, targets_with(), target_names().")
    endif()
  endforeach()
endforeach()

if(NOT DEFINED CHECK_EXCEPTIONS OR CHECK_EXCEPTIONS)
  foreach(exception IN LISTS allowed allowed_all)
    string(REGEX MATCH "^[^=]+" place "${exception}")
    if(NOT place IN_LIST used)
      message(SEND_ERROR "tools/check_targets.cmake: the exception ${place} is not needed any more")
    endif()
  endforeach()
endif()
