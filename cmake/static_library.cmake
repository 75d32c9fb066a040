# Without the shared library another project of the same build links the static ones: all but the
# program's.
add_library(edgetwin_all INTERFACE)
add_library(edgetwin::edgetwin ALIAS edgetwin_all)
foreach(folder IN LISTS EDGETWIN_FOLDERS)
  string(REPLACE "/" "_" name ${folder})
  if(NOT folder MATCHES "^cli")
    target_link_libraries(edgetwin_all INTERFACE edgetwin_${name})
  endif()
endforeach()
