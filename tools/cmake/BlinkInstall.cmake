# `cmake --install`: the runtime library with its header and a CMake package.
# A consumer writes
#   find_package(Blink REQUIRED)
#   target_link_libraries(app PRIVATE Blink::runtime)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Blink)
install(TARGETS blink_shared EXPORT BlinkTargets COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/runtime/blink.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(EXPORT BlinkTargets NAMESPACE Blink:: FILE BlinkTargets.cmake
  DESTINATION ${package_dir} COMPONENT runtime)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/BlinkConfig.cmake.in ${PROJECT_BINARY_DIR}/BlinkConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BlinkConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BlinkConfig.cmake ${PROJECT_BINARY_DIR}/BlinkConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT runtime)
