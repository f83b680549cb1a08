"""Make the example data that ship with the package, from the Omniglot drawings.

Omniglot (Lake, Salakhutdinov and Tenenbaum 2015, MIT licence): 242 characters of ten
alphabets, each drawn by 20 people. A drawing becomes a unit vector of 48 numbers, by
fixed image processing and principal components, without any label. Ten people's mean
drawing of each character is the gallery; the other ten people's drawings are probes.

Usage: python tools/make_example_data.py omniglot_small_img35.npz
"""

import sys
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter, zoom

N_COMPONENTS = 48
N_GALLERY = 10
TARGET = Path(__file__).parents[1] / "src/scorecast/io/examples/omniglot.npz"


def centred(drawing):
    rows, columns = np.nonzero(drawing)
    cut = drawing[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    cut = zoom(cut, 28 / max(cut.shape), order=1)[:32, :32]
    canvas = np.zeros((32, 32))
    top, left = (32 - cut.shape[0]) // 2, (32 - cut.shape[1]) // 2
    canvas[top : top + cut.shape[0], left : left + cut.shape[1]] = cut
    return gaussian_filter(canvas, 1.6)[::2, ::2].ravel()


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def main(source):
    archive = np.load(source)
    bits = np.unpackbits(archive["img"], axis=-1)[..., :1225]
    n_classes, n_people = bits.shape[:2]
    drawings = bits.reshape(-1, 35, 35).astype(float)
    features = np.sqrt(np.maximum([centred(d) for d in drawings], 0))
    centre = features.mean(axis=0)
    _, _, axes = np.linalg.svd(features - centre, full_matrices=False)
    vectors = unit((features - centre) @ axes[:N_COMPONENTS].T)
    vectors = vectors.reshape(n_classes, n_people, N_COMPONENTS)
    names = [
        f"{a}/{c}"
        for a, c in zip(archive["alphabet"], archive["character"], strict=True)
    ]
    # Whole numbers in -127..127 halve the file twice and lose no accuracy.
    gallery = np.rint(127 * unit(vectors[:, :N_GALLERY].mean(axis=1))).astype(np.int8)
    probes = np.rint(127 * vectors[:, N_GALLERY:]).astype(np.int8)
    np.savez_compressed(
        TARGET,
        gallery=gallery,
        probes=probes.reshape(-1, N_COMPONENTS),
        labels=np.repeat(np.arange(n_classes), n_people - N_GALLERY).astype(np.int16),
        names=np.array(names),
    )


if __name__ == "__main__":
    main(sys.argv[1])
