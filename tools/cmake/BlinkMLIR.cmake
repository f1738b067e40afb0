# Finds LLVM and MLIR 19 and the other libraries the compiler stands on.
#
# MLIR is linked as component archives, never as its dylibs: those have the
# dynamic linker relocate 150 MB of code generators at each start, 24 ms, while
# the components that are used are 2 MB (R250 in docs/rationale.md).
find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_path(GLPK_INCLUDE_DIR glpk.h REQUIRED)
find_library(GLPK_LIBRARY glpk REQUIRED)

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
# TableGen.cmake writes depfiles the old way; under the new policy every build
# would run TableGen again.
cmake_policy(SET CMP0116 OLD)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Debian's archives of MLIR name the dylib of LLVM as what they stand on; two
# LLVMs in one process would be the end of both.
foreach(archive IN LISTS MLIR_EXPORTED_TARGETS)
  get_target_property(needed ${archive} INTERFACE_LINK_LIBRARIES)
  if(needed)
    list(TRANSFORM needed REPLACE "^LLVM$" "LLVMSupport")
    set_target_properties(${archive} PROPERTIES INTERFACE_LINK_LIBRARIES "${needed}")
  endif()
endforeach()

add_library(blink_llvm INTERFACE)
target_include_directories(blink_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(blink_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(blink_llvm INTERFACE LLVMSupport)

add_library(blink_mlir INTERFACE)
target_link_libraries(blink_mlir INTERFACE MLIRIR MLIRParser MLIRPass MLIRTransforms blink_llvm)

add_library(blink_glpk INTERFACE)
target_include_directories(blink_glpk SYSTEM INTERFACE ${GLPK_INCLUDE_DIR})
target_link_libraries(blink_glpk INTERFACE ${GLPK_LIBRARY})
