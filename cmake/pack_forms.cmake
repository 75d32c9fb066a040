# Writes forms.def as a list of its words, and each row as the numbers of its words: the same word
# stands in hundreds of rows, so that the program has a fifth of the bytes.
#   cmake -DFROM=forms.def -DTO=packed_forms.inc -P pack_forms.cmake
# Rows: COARSE is 65535, the opcode's word, words of the form; FINE is 65534, count by 65536, rest,
# files, words of the form.
cmake_minimum_required(VERSION 3.25)
file(STRINGS "${FROM}" rows REGEX "^(COARSE|FINE)")
set(words "")
set(codes "")
set(known 0)

# The number of a word. Numbers are kept by the word's bytes in base 16, as names of variables.
function(number_of word result)
  string(HEX "${word}" key)
  if(NOT DEFINED "number_${key}")
    set("number_${key}" ${known} PARENT_SCOPE)
    set("number_${key}" ${known})
    set(words "${words}  \"${word}\\n\"\n" PARENT_SCOPE)
    math(EXPR known "${known} + 1")
    set(known ${known} PARENT_SCOPE)
  endif()
  set(${result} "${number_${key}}" PARENT_SCOPE)
endfunction()

foreach(row IN LISTS rows)
  if(row MATCHES "^COARSE\\(\"([^\"]*)\", \"([^\"]*)\"\\)$")
    set(form "${CMAKE_MATCH_2}")
    number_of("${CMAKE_MATCH_1}" opcode)
    string(APPEND codes "65535,${opcode},")
  elseif(row MATCHES "^FINE\\(\"([^\"]*)\", ([0-9]+), ([0-9]+)\\)$")
    set(form "${CMAKE_MATCH_1}")
    math(EXPR high "${CMAKE_MATCH_2} / 65536")
    math(EXPR low "${CMAKE_MATCH_2} % 65536")
    string(APPEND codes "65534,${high},${low},${CMAKE_MATCH_3},")
  else()
    message(FATAL_ERROR "${FROM}: neither COARSE nor FINE: ${row}")
  endif()
  string(REPLACE " " ";" parts "${form}")
  foreach(part IN LISTS parts)
    number_of("${part}" number)
    string(APPEND codes "${number},")
  endforeach()
  string(APPEND codes "\n")
endforeach()
file(WRITE "${TO}" "// Made of forms.def by cmake/pack_forms.cmake.\n"
  "constexpr char kWords[] =\n${words};\n"
  "constexpr uint16_t kCodes[] = {\n${codes}};\n")
