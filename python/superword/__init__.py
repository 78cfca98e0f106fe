"""Superword tokenizers: train and run BPE, SuperBPE and BoundlessBPE."""
