# Without the shared libraries another project of the same build links the static ones: all but the
# program's for C++, all for C.
add_library(edgetwin_all INTERFACE)
add_library(edgetwin::cxx ALIAS edgetwin_all)
foreach(folder IN LISTS EDGETWIN_FOLDERS)
  string(REPLACE "/" "_" name ${folder})
  if(NOT folder MATCHES "^(cli|c$)")
    target_link_libraries(edgetwin_all INTERFACE edgetwin_${name})
  endif()
endforeach()
add_library(edgetwin::edgetwin ALIAS edgetwin_c)
