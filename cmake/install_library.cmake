# The part of `cmake --install` that other projects use: libedgetwin.so, headers, package files.
include(CMakePackageConfigHelpers)
include(public_headers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS edgetwin_shared edgetwin_cxx_shared EXPORT edgetwinTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT library NAMELINK_COMPONENT development)
edgetwin_public_headers(${PROJECT_BINARY_DIR}/include)
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/edgetwin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# find_package(edgetwin)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/edgetwin)
install(EXPORT edgetwinTargets NAMESPACE edgetwin:: DESTINATION ${config})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/edgetwinConfig.cmake.in
  ${PROJECT_BINARY_DIR}/edgetwinConfig.cmake INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/edgetwinConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/edgetwinConfig.cmake
              ${PROJECT_BINARY_DIR}/edgetwinConfigVersion.cmake DESTINATION ${config})

# pkg-config; the files find their prefix from their own place.
file(RELATIVE_PATH edgetwin_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" edgetwin_prefix ${edgetwin_prefix})
foreach(file edgetwin.pc edgetwin_cxx.pc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file}.in ${PROJECT_BINARY_DIR}/${file} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
