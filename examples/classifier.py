"""A frozen classifier, from the file to the features of an image: `python examples/classifier.py`.

The network in shapes.pb classifies discs, rings, squares, triangles and crosses. README.md beside
this file says where it comes from, and does the same on the command line.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

import tensordraft as td

HERE = Path(__file__).resolve().parent
MODEL = HERE / "shapes.pb"
IMAGE, FEATURES, ANSWER = "image:0", "shapes_1/features_1/Mean:0", "Identity:0"
LAYERS = ("Conv2D", "DepthwiseConv2dNative", "MaxPool", "Mean", "MatMul", "Softmax")


def main() -> tuple[dict[str, str], dict[str, float], list[str]]:
    """Prints the result of each step; returns the shapes, the probabilities and similar images."""
    examples = np.load(HERE / "shapes.npz")
    labels, drawing = examples["labels"].tolist(), np.load(HERE / "drawing.npy")

    graph = td.load_graph(MODEL)
    types = Counter(op.type for op in graph.get_operations())
    print(f"{MODEL.name} has " + ", ".join(f"{types[layer]} {layer}" for layer in LAYERS))

    shapes = shapes_of_layers(graph)
    print("\nThe results of its layers, for any number of images, before anything runs:\n")
    for name, shape in shapes.items():
        print(f"   {name:<46}{shape}")

    with td.Session(graph=graph) as session:
        [answer] = session.run(ANSWER, {IMAGE: drawing})
    probabilities = dict(zip(labels, answer.tolist(), strict=True))
    print(f"\nA drawing, and what it is:\n\n{as_text(drawing[0, :, :, 0])}\n")
    for label, probability in sorted(probabilities.items(), key=lambda pair: -pair[1]):
        print(f"   {label:<10}{probability:8.3%}")

    # What is needed for the features is a graph of its own, which could be saved.
    front = td.graph_util.extract_sub_graph(graph, [FEATURES])
    with td.Session(graph=front) as session:
        known, new = (session.run(FEATURES, {IMAGE: x}) for x in (examples["input"], drawing))
    alike = [labels[i % len(labels)] for i in np.argsort(-cosines(known, new[0]))]
    numbers = [len(part.get_operations()) for part in (front, graph)]
    print(f"\nThe features take {numbers[0]} of {numbers[1]} nodes. By these, the drawing is like")
    print(f"a {alike[0]} first, then like another {alike[1]}, and least of all like a {alike[-1]}.")

    # The rest is fed with features: any tensor can be fed, not only a placeholder.
    with td.Session(graph=graph) as session:
        from_features = session.run(ANSWER, {FEATURES: new})
    print(f"The rest of the graph makes of them: {labels[int(from_features.argmax())]}.")
    return shapes, probabilities, alike


def shapes_of_layers(graph: td.Graph) -> dict[str, str]:
    """The shape of each layer's result for a batch of any size."""
    report = td.check_graph(MODEL, shapes={IMAGE: ["batch", 16, 16, 1]})
    report.raise_for_errors()
    shapes = {fact.name: str(fact.shape) for fact in report.tensors}
    layers = [op.outputs[0].name for op in graph.get_operations() if op.type in LAYERS]
    return {name: shapes[name] for name in layers}


def cosines(rows: np.ndarray, row: np.ndarray) -> np.ndarray:
    """The cosines of the angles between `row` and each of `rows`."""
    found: np.ndarray = rows @ row / np.linalg.norm(rows, axis=1) / np.linalg.norm(row)
    return found


def as_text(pixels: np.ndarray) -> str:
    """Pixels between 0 and 1 as lines of text."""
    inks = [[" .:#"[round(3 * pixel)] * 2 for pixel in row] for row in pixels.tolist()]
    return "\n".join(("   " + "".join(row)).rstrip() for row in inks)


if __name__ == "__main__":
    main()
