# What Debian wants in each package: copyright (in its machine readable form) and a changelog. The
# licences that they name are in /usr/share/common-licenses.
set(copyright ${PROJECT_BINARY_DIR}/debian/copyright)
file(READ ${PROJECT_SOURCE_DIR}/THIRD-PARTY.md third_party)
string(REGEX REPLACE "\n(\n+)" "\n.\n" third_party "${third_party}")
string(REGEX REPLACE "\n([^\n])" "\n \\1" third_party "${third_party}")
file(CONFIGURE OUTPUT ${copyright} @ONLY CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: edgetwin
Comment: What of other projects is linked or was read:
 @third_party@
Files: *
Copyright: 2026 the edgetwin authors
License: Apache-2.0

License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0
")
set(changelog ${PROJECT_BINARY_DIR}/debian/changelog)
file(CONFIGURE OUTPUT ${changelog} @ONLY CONTENT
"edgetwin (@PROJECT_VERSION@) bookworm; urgency=medium

  * See /usr/share/doc/edgetwin/CHANGELOG.md.

 -- The edgetwin authors <authors@edgetwin.invalid>  Sun, 01 Nov 2026 00:00:00 +0000
")
find_program(GZIP gzip REQUIRED)
execute_process(COMMAND ${GZIP} -9nkf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
foreach(row program=edgetwin modules=edgetwin-modules library=libedgetwin0 development=libedgetwin-dev python=python3-edgetwin
            python_compat=python3-edgetwin-compat)
  string(REPLACE "=" ";" row ${row})
  list(GET row 0 component)
  list(GET row 1 package)
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${package})
  install(FILES ${copyright} ${changelog}.gz DESTINATION ${folder} COMPONENT ${component})
endforeach()
