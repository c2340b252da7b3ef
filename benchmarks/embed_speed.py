"""Pictures per second of embedding beside the bare model on the same batches; memory by the number of pictures.

The model is a ViT-B/16 with random weights, which take as long as any; the pictures are grey PNG files of 1,024 x 1,024
pixels with as much detail as a radiograph, made on the spot. Both ways take turns, so that other work on the machine
slows both.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import torch
import transformers
from PIL import Image
from scipy.ndimage import gaussian_filter

from apexgp.images.embed import _embed_cases
from apexgp.images.encoder import Encoder
from apexgp.images.items import read_own_files
from apexgp.images.preprocess import Preprocessing
from apexgp.images.stores import open_picture_store

_MEMORY = """
import resource, sys
from apexgp import embed_images
embed_images(sys.argv[1], sys.argv[2], labels=sys.argv[3], model=sys.argv[4], device="cpu", progress=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def save_pictures(folder, count, edge, distinct=16):
    """So many pictures, of which some are copies: they are read alike."""
    rng = np.random.default_rng(0)
    folder.mkdir()
    names = []
    for i in range(count):
        path = folder / f"{i:05d}.png"
        if i < distinct:
            soft = gaussian_filter(rng.normal(size=(edge, edge)), edge / 20)
            values = 128 + 90 * soft / np.abs(soft).max() + rng.normal(0, 3, (edge, edge))
            Image.fromarray(np.clip(values, 0, 255).astype(np.uint8)).save(path)
        else:
            path.write_bytes((folder / names[i % distinct]).read_bytes())
        names.append(path.name)
    labels = folder.with_suffix(".csv")
    labels.write_text("file,y\n" + "".join(f"{name},{i % 2}\n" for i, name in enumerate(names)))
    return labels


def save_model(folder, **config):
    torch.manual_seed(0)
    transformers.utils.logging.disable_progress_bar()
    transformers.ViTModel(transformers.ViTConfig(**config), add_pooling_layer=False).save_pretrained(folder)
    return folder


def throughput(place, batch, batches, rounds):
    labels = save_pictures(place / "large", batch * batches, 1024)
    encoder = Encoder(save_model(place / "vit-b-16"), "cpu")
    labelled = read_own_files(place / "large", labels)
    preprocessing = Preprocessing.build("pictures", False, encoder.size, "imagenet")
    settings = {**encoder.to_settings(), "preprocessing": preprocessing.to_settings()}
    planes = np.random.default_rng(0).normal(size=(batch, 3, 224, 224)).astype(np.float32)
    encoder(planes)  # what is done once is done
    bare, whole = [], []
    for _ in range(rounds):
        start = perf_counter()
        for _ in range(batches):
            encoder(planes)
        bare.append(perf_counter() - start)
        start = perf_counter()
        with open_picture_store(place / "out.npz", settings, labelled, overwrite=True) as store:
            _embed_cases(store, place / "out.npz", labelled, preprocessing, encoder, batch, progress=False)
        whole.append(perf_counter() - start)
    n = batch * batches
    print(f"bare model {n / median(bare):.2f} pictures/s, whole pipeline {n / median(whole):.2f} pictures/s")
    print(
        f"pipeline / bare model: {median(b / w for b, w in zip(bare, whole, strict=True)):.2f} (wanted: 0.80 or more)"
    )


def memory(place, counts):
    model = save_model(
        place / "small", hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128
    )
    for count in counts:
        labels = save_pictures(place / f"p{count}", count, 256)
        command = [sys.executable, "-c", _MEMORY, place / f"p{count}", place / f"p{count}.npz", labels, model]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
        print(f"{count:>6,} pictures: {float(done.stdout):,.0f} MB at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--batches", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        memory(Path(folder), (200, 800, 3200))  # first: Linux counts what a process was started from as its own
        throughput(Path(folder), given.batch, given.batches, given.rounds)


if __name__ == "__main__":
    main()
