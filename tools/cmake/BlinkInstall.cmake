# `cmake --install`: tools, the runtime library with its header, a CMake package.
