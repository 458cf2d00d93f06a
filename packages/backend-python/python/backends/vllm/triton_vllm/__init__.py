"""The parts of the vllm backend."""
