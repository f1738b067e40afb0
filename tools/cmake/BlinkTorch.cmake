# Finds PyTorch where the Python package is for and sets BLINK_HAVE_TORCH and BLINK_TORCH_DIR, its folder.
#
# AUTO takes the PyTorch that the Python has, if any. pip builds in an environment of its own, which does not see it: so
# it is also looked for where that Python installs packages.
set(BLINK_TORCH "AUTO" CACHE STRING "Build the back end of PyTorch: AUTO (when the Python has torch), ON or OFF")
set(BLINK_HAVE_TORCH OFF)
if(BLINK_HAVE_PYTHON AND NOT BLINK_TORCH STREQUAL "OFF")
  execute_process(OUTPUT_VARIABLE BLINK_TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
    COMMAND ${Python_EXECUTABLE} -c "
import importlib.util, os, sysconfig
spec = importlib.util.find_spec('torch')
places = list(spec.submodule_search_locations) if spec else []
places += [os.path.join(sysconfig.get_path(name), 'torch') for name in ('platlib', 'purelib')]
header = 'include/torch/csrc/distributed/c10d/Backend.hpp'
print(next((place for place in places if os.path.exists(os.path.join(place, header))), ''))")
  if(BLINK_TORCH_DIR)
    set(BLINK_HAVE_TORCH ON)
    message(STATUS "PyTorch: ${BLINK_TORCH_DIR}")
  elseif(BLINK_TORCH STREQUAL "ON")
    message(FATAL_ERROR "BLINK_TORCH is ON but ${Python_EXECUTABLE} has no torch: pip install torch")
  endif()
elseif(BLINK_TORCH STREQUAL "ON")
  message(FATAL_ERROR "BLINK_TORCH is ON without BLINK_PYTHON: the back end of PyTorch is a part of the Python package")
endif()
if(NOT BLINK_HAVE_TORCH)
  message(STATUS "PyTorch: not built")
endif()
