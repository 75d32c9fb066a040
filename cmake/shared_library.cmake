# libedgetwin.so.0: what another project links. Only what include/edgetwin marks EDGETWIN_API is
# exported. The objects of the folders that implement these headers go in whole, of the other
# folders' libraries the linker takes what they use.
add_library(edgetwin_shared SHARED)
add_library(edgetwin::edgetwin ALIAS edgetwin_shared)
set_target_properties(edgetwin_shared PROPERTIES
  OUTPUT_NAME edgetwin EXPORT_NAME edgetwin LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION 0
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/edgetwin.map)
target_compile_features(edgetwin_shared INTERFACE cxx_std_20)
target_include_directories(edgetwin_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(edgetwin_shared PRIVATE
  LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/edgetwin.map)
foreach(folder IN LISTS EDGETWIN_PUBLIC_FOLDERS)
  string(REPLACE "/" "_" name ${folder})
  target_sources(edgetwin_shared PRIVATE $<TARGET_OBJECTS:edgetwin_${name}>)
  target_link_libraries(edgetwin_shared PRIVATE edgetwin_${name})
endforeach()
