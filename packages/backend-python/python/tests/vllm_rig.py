"""A vllm model with random weights, and requests to it."""

import json
import os

import numpy as np
from rig import Rig

_BACKEND = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "backends", "vllm", "model.py")
_LOAD_SECONDS = 600
_TEXT = ["Licensed under the Apache License, Version 2.0: you may not use this file except in compliance with it."]


def tiny_llama(directory):
    """Writes a Llama of two layers and its tokenizer."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<unk>", "<s>", "</s>"]
    tokenizer.train_from_iterator(
        _TEXT, trainers.BpeTrainer(vocab_size=300, special_tokens=special, initial_alphabet=alphabet)
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    fast.save_pretrained(directory)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=512,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=512,
        bos_token_id=1,
        eos_token_id=2,
    )
    LlamaForCausalLM(config).save_pretrained(directory)


class VllmRig(Rig):
    """A process with the vllm backend. The server's answers to questions about metrics are handles."""

    def __init__(self, engine, parameters=()):
        self._engine = engine
        config = {
            "name": "m",
            "max_batch_size": 0,
            "input": [],
            "output": [],
            "parameters": {name: {"string_value": "true"} for name in parameters},
        }
        super().__init__("", decoupled=True, initialize=False, config=config)
        self.socket.settimeout(_LOAD_SECONDS)
        self.config = self.ask("complete", config=self.config)["config"]
        self.initialized = self.ask("initialize", **self.arguments())

    def send(self, blobs=b"", **header):
        if header["k"] == "hello":
            directory = os.path.dirname(self.file)
            with open(os.path.join(directory, "model.json"), "w") as file:
                json.dump(self._engine, file)
            header.update(file=_BACKEND, model_directory=directory)
        super().send(blobs, **header)

    def receive(self):
        while True:
            frame = super().receive()
            if frame["k"] != "call":
                return frame
            self.send(k="result", id=frame["id"], value=1)

    def generate(self, text, sampling=None, slot=1, window=1000, **flags):
        """Sends a request for text."""
        inputs = {"text_input": text}
        if sampling is not None:
            inputs["sampling_parameters"] = json.dumps(sampling)
        self.ask_model(inputs, flags, slot, window)

    def ask_model(self, texts, flags=(), slot=1, window=1000):
        """Sends a request with inputs of one text each, and booleans."""
        blobs = bytearray()
        tensors = []
        for name, text in texts.items():
            wire = len(text.encode()).to_bytes(4, "little") + text.encode()
            tensors.append([name, "BYTES", [1], *self.tensor(blobs, name, wire, "BYTES")[3:]])
        for name in flags:
            tensors.append(self.tensor(blobs, name, np.array([flags[name]]), "BOOL"))
        self.send(bytes(blobs), k="execute", b=slot, r=[{"s": slot, "in": tensors, "w": window}])

    def answers(self):
        """The responses of the request that ends next: dicts of outputs, or `{"error": ...}`."""
        _, before = self.until("release")
        return [self._values(frame) for frame in before if frame["k"] == "send"]

    def _values(self, frame):
        if "error" in frame:
            return {"error": frame["error"]}
        return {output[0]: self._value(frame, output) for output in frame["out"]}

    def _value(self, frame, output):
        content = self.bytes_of(frame, output)
        if output[1] != "BYTES":
            return np.frombuffer(content, {"FP32": np.float32, "UINT32": np.uint32}[output[1]]).tolist()
        texts = []
        while content:
            size = int.from_bytes(content[:4], "little")
            texts.append(content[4 : 4 + size].decode())
            content = content[4 + size :]
        return texts
