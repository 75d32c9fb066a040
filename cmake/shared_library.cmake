# What another project links:
#   edgetwin::edgetwin  libedgetwin.so.0, the C interface; exports edgetwin_* only
#   edgetwin::cxx       libedgetwin_cxx.so.0, the C++ interface; exports what is marked EDGETWIN_API
# The objects of the folders that implement the interface go in whole, of the other folders'
# libraries the linker takes what they use.
function(edgetwin_shared_library target output export map)
  add_library(${target} SHARED)
  add_library(edgetwin::${export} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${output} EXPORT_NAME ${export} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION 0
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    BUILD_RPATH ${PROJECT_BINARY_DIR}/lib/edgetwin
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/${map})
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  edgetwin_link_used_only(${target})
  target_link_options(${target} PRIVATE
    LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/${map} LINKER:-z,relro LINKER:-z,now)
  foreach(folder IN LISTS ARGN)
    string(REPLACE "/" "_" name ${folder})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:edgetwin_${name}>)
    target_link_libraries(${target} PRIVATE edgetwin_${name})
  endforeach()
endfunction()

edgetwin_shared_library(edgetwin_shared edgetwin edgetwin edgetwin_c.map c)
target_link_options(edgetwin_shared PRIVATE LINKER:--exclude-libs,ALL)
edgetwin_shared_library(edgetwin_cxx_shared edgetwin_cxx cxx edgetwin.map ${EDGETWIN_PUBLIC_FOLDERS})
target_compile_features(edgetwin_cxx_shared INTERFACE cxx_std_20)
