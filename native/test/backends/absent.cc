// Linked into libtriton_missing_dependency.so and deleted after the build: a dependency that is not there.
extern "C" __attribute__((visibility("default"))) int triton_ts_absent() { return 0; }
