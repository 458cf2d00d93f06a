// A library without TRITONBACKEND_ModelInstanceExecute, the one function which a backend must have.
extern "C" __attribute__((visibility("default"))) int triton_ts_no_entry() { return 0; }
