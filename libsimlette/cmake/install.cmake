# Installs the libraries, their headers, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/simlette)

install(TARGETS simlette_core simlette EXPORT simletteTargets FILE_SET HEADERS)
install(EXPORT simletteTargets NAMESPACE simlette:: DESTINATION ${package_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/simletteConfig.cmake.in simletteConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(simletteConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/simletteConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/simletteConfigVersion.cmake
  DESTINATION ${package_dir})

# A static library leaves its YAML reader and its database to whoever links it, with or without `pkg-config --static`.
if(BUILD_SHARED_LIBS)
  set(pkgconfig_requires "")
else()
  set(pkgconfig_requires "yaml-cpp >= 0.7, sqlite3 >= 3.37")
endif()
file(RELATIVE_PATH pkgconfig_to_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/simlette.pc.in simlette.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/simlette.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
