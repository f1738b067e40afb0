# `cmake --install`: the runtime library, shared and static, with its header, a
# CMake package and a pkg-config file. A consumer writes
#   find_package(Blink REQUIRED)
#   target_link_libraries(app PRIVATE Blink::runtime)
# or Blink::runtime_static, or asks `pkg-config --cflags --libs blink`.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Blink)
install(TARGETS blink_shared blink_static EXPORT BlinkTargets COMPONENT runtime)
if(BLINK_HAVE_UCX) # loaded from beside libblink.so
  install(TARGETS blink_network LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/runtime/blink.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(EXPORT BlinkTargets NAMESPACE Blink:: FILE BlinkTargets.cmake
  DESTINATION ${package_dir} COMPONENT runtime)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/BlinkConfig.cmake.in ${PROJECT_BINARY_DIR}/BlinkConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS BLINK_BUNDLES_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BlinkConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BlinkConfig.cmake ${PROJECT_BINARY_DIR}/BlinkConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT runtime)

# Not with all else: whoever has it on a search path has it in place of NCCL.
if(BLINK_HAVE_CUDA)
  install(TARGETS blink_nccl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT nccl EXCLUDE_FROM_ALL)
  install(FILES $<TARGET_FILE_DIR:blink_nccl>/libnccl.so.2
    DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT nccl EXCLUDE_FROM_ALL)
endif()

# What the archive needs when it is linked.
set(BLINK_PC_PRIVATE "-lstdc++ -pthread")
if(BLINK_HAVE_CUDA)
  string(APPEND BLINK_PC_PRIVATE " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
endif()
# Relative, so that `cmake --install --prefix` may put it anywhere.
file(RELATIVE_PATH BLINK_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/blink.pc.in ${PROJECT_BINARY_DIR}/blink.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/blink.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
