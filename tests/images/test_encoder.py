"""The model: the numbers of transformers itself, and nothing loaded that could run."""

import json
from pathlib import Path

import numpy as np
import pytest

from apexgp.errors import RequestError
from apexgp.images.encoder import _EDGES, Encoder
from apexgp.images.preprocess import Preprocessing
from conftest import require
from image_files import save_model

pytestmark = pytest.mark.slow  # PyTorch is imported


@pytest.fixture(scope="module")
def torch():
    return require("torch")


@pytest.fixture(scope="module")
def transformers():
    return require("transformers")


@pytest.fixture(scope="module")
def vit(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("model") / "vit")


def real_pictures():
    """Photographs that ship with scikit-learn, written as nothing else: their own files."""
    import sklearn.datasets

    folder = Path(sklearn.datasets.__file__).parent / "images"
    return [folder / "china.jpg", folder / "flower.jpg"]


def test_embeddings_are_the_class_tokens_of_the_model_called_by_hand(vit, rng, torch, transformers):
    planes = rng.normal(size=(3, 3, 32, 32)).astype(np.float32)
    encoder = Encoder(vit, "cpu")
    by_hand = transformers.ViTModel.from_pretrained(vit).eval()
    with torch.no_grad():
        expected = by_hand(pixel_values=torch.from_numpy(planes)).last_hidden_state[:, 0].numpy()
    np.testing.assert_allclose(encoder(planes), expected, atol=1e-6)
    assert (encoder.size, encoder.width, encoder.precision) == (32, 32, "float32")


def test_embeddings_agree_with_the_models_own_image_processor(tmp_path):
    # 224 pixels, mean and sd of 0.5: the standard preprocessing of google/vit-base-patch16-224-in21k.
    vit = save_model(tmp_path / "vit", size=224)
    ViTImageProcessorPil = require("transformers.models.vit.image_processing_pil_vit").ViTImageProcessorPil
    encoder, ours = Encoder(vit, "cpu"), Preprocessing.build("pictures", False, 224, "half")
    pictures = [require("PIL.Image").open(path) for path in real_pictures()]
    theirs = ViTImageProcessorPil()(pictures, return_tensors="np")["pixel_values"]
    planes = ours.make_batch([ours.read_planes(path).values[0] for path in real_pictures()])
    np.testing.assert_allclose(planes, theirs, atol=1e-6)
    np.testing.assert_allclose(encoder(planes), encoder(theirs), atol=1e-5)
    imagenet = ViTImageProcessorPil(image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225])
    ours = Preprocessing.build("pictures", False, 224, "imagenet")
    planes = ours.make_batch([ours.read_planes(path).values[0] for path in real_pictures()])
    np.testing.assert_allclose(planes, imagenet(pictures, return_tensors="np")["pixel_values"], atol=1e-6)


def test_weights_are_known_by_their_numbers_not_by_their_folder(vit, tmp_path, transformers):
    known = Encoder(vit, "cpu").weights
    assert Encoder(save_model(tmp_path / "copy"), "cpu").weights == known
    transformers.ViTModel.from_pretrained(vit, add_pooling_layer=False).save_pretrained(tmp_path / "bare")
    assert Encoder(tmp_path / "bare", "cpu").weights == known  # the class token does not depend on it
    assert Encoder(save_model(tmp_path / "other", seed=1), "cpu").weights != known


def test_a_wrong_model_is_refused_with_a_word(vit, tmp_path, transformers):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    damaged = save_model(tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes((damaged / "model.safetensors").read_bytes()[:5000])
    text = tmp_path / "text"
    transformers.BertModel(
        transformers.BertConfig(
            hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8, vocab_size=9
        )
    ).save_pretrained(text)
    larger = save_model(tmp_path / "larger")
    config = json.loads((larger / "config.json").read_text())
    (larger / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}))
    for folder, message in [
        ("none/at/all", "there is no such folder"),
        (tmp_path / "missing", "there is no such folder"),
        (tmp_path / "empty", "has no config.json"),
        (tmp_path / "file", "got the file"),
        (damaged, "was not loaded"),
        (text, "must be a vision transformer with a class token .*of the type 'bert'"),
        (larger, "lacks weights of its own architecture"),
    ]:
        with pytest.raises(RequestError, match=message):
            Encoder(folder, "cpu")
    for device in ("warp", "meta"):
        with pytest.raises(RequestError, match=rf"device {device!r} cannot be used: .*\. Try device='auto'"):
            Encoder(vit, device)
    with pytest.raises(RequestError, match=r"device must be the name of a device, got 3\.5"):
        Encoder(vit, 3.5)


def test_a_hub_that_cannot_be_reached_is_said_to_be(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(
        RequestError, match=r"no-one/no-such-vit was not loaded: the Hugging Face hub cannot be reached"
    ):
        Encoder("no-one/no-such-vit", "cpu")


def test_no_pickle_is_loaded(vit, tmp_path, torch):
    marker = tmp_path / "ran"

    class Trap:
        def __reduce__(self):
            return (Path.touch, (marker,))

    folder = save_model(tmp_path / "pickled")
    (folder / "model.safetensors").unlink()
    torch.save({"trap": Trap()}, folder / "pytorch_model.bin")
    with pytest.raises(RequestError, match=r"no weights as safetensors. Other formats are pickles"):
        Encoder(folder, "cpu")
    assert not marker.exists()


def test_no_code_that_comes_with_a_model_is_run(tmp_path):
    marker = tmp_path / "ran"
    folder = save_model(tmp_path / "own")
    code = f"from pathlib import Path\nPath({str(marker)!r}).touch()\nclass Own: pass\n"
    (folder / "own.py").write_text(code)
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModel": "own.Own"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(RequestError, match="needs its own code, which could do anything and is never run"):
        Encoder(folder, "cpu")
    assert not marker.exists()


def with_settings(folder, **settings):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))
    return folder


@pytest.mark.parametrize("named", ["shard.bin", "../ok/model.safetensors", "/model.safetensors", ".."])
def test_weights_are_named_plainly_and_are_safetensors(named, tmp_path, torch):
    save_model(tmp_path / "ok")
    folder = save_model(tmp_path / "model")
    weights = torch.nn.Linear(2, 2).state_dict()
    torch.save(weights, folder / "shard.bin")
    (folder / "model.safetensors").rename(folder / "other.safetensors")
    index = {"metadata": {}, "weight_map": dict.fromkeys(weights, named)}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(
        RequestError, match="refers to weights that are not safetensors files in its own folder"
    ) as refused:
        Encoder(folder, "cpu")
    assert "weights_only" not in str(refused.value)


@pytest.mark.parametrize("index", ["[]", "{}", '{"weight_map": {}}', '{"weight_map": {"a": "none.safetensors"}}', "{"])
def test_an_index_that_names_nothing_is_refused(index, tmp_path):
    folder = save_model(tmp_path / "model")
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises(RequestError, match=r"refers to weights|cannot be read|lacks none\.safetensors"):
        Encoder(folder, "cpu")


@pytest.mark.parametrize(
    "settings",
    [
        {"num_hidden_layers": 10**6},
        {"hidden_size": 10**9},
        {"image_size": 10**6},
        {"image_size": [10**6, 3]},
        {"patch_size": 0},
        {"image_size": 4000, "patch_size": 1},
        {"num_labels": 10**9},
        {"backbone": {"any": 10**12}},
    ],
)
def test_a_network_that_nobody_has_is_refused_before_it_is_laid_out(settings, tmp_path, monkeypatch, transformers):
    monkeypatch.setattr(transformers.AutoModel, "from_pretrained", lambda *_, **__: pytest.fail("laid out"))
    with pytest.raises(RequestError, match="was not loaded: it"):
        Encoder(with_settings(save_model(tmp_path / "model"), **settings), "cpu")


def test_how_attention_is_computed_is_ours_to_say(vit, tmp_path, rng):
    planes = rng.normal(size=(1, 3, 32, 32)).astype(np.float32)
    told = with_settings(
        save_model(tmp_path / "told"), attn_implementation="no-one/kernel", _attn_implementation="no-one/kernel"
    )
    np.testing.assert_array_equal(Encoder(told, "cpu")(planes), Encoder(vit, "cpu")(planes))
    with pytest.raises(RequestError, match="quantised"):
        Encoder(with_settings(save_model(tmp_path / "small"), quantization_config={"quant_method": "gptq"}), "cpu")


@pytest.mark.parametrize("kind", _EDGES)
def test_every_architecture_is_embedded(kind, tmp_path, transformers):
    config = transformers.AutoConfig.for_model(
        kind,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        image_size=28,
        patch_size=14,
    )
    model = transformers.AutoModel.from_config(config)
    model.save_pretrained(tmp_path / "model")
    encoder = Encoder(tmp_path / "model", "cpu")
    assert encoder(np.zeros((1, 3, encoder.size, encoder.size), np.float32)).shape == (1, 8)


def test_weights_that_are_not_finite_are_refused(tmp_path, torch, transformers):
    model = transformers.ViTModel.from_pretrained(save_model(tmp_path / "whole"))
    with torch.no_grad():
        model.embeddings.cls_token[0, 0, 0] = float("nan")
    model.save_pretrained(tmp_path / "broken")
    with pytest.raises(RequestError, match=r"weights that are not finite \(embeddings.cls_token\)"):
        Encoder(tmp_path / "broken", "cpu")
