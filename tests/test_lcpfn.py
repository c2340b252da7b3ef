"""LC-PFN of the study, read and computed without torch, against torch: a small network in the file format of theirs."""

import math
import sys
import types

import numpy as np
import pytest

from conftest import REPOSITORY, require

X, Y, LATER = np.array([17.0, 21, 25, 29, 33]), np.array([0.6, 0.65, 0.7, 0.72, 0.74]), np.array([37.0, 60.0])


def stand_in(torch, pre_norm):
    """Modules with the names and parts of the package `lcpfn`, computed by torch; its own do not run on today's."""
    nn = torch.nn
    module = types.ModuleType("lcpfn.transformer")

    class Normalize(nn.Module):
        def __init__(self, mean, std):
            super().__init__()
            self.mean, self.std = mean, std

        def forward(self, x):
            return (x - self.mean) / self.std

    class TransformerEncoderLayer(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(width, 2)
            self.linear1, self.linear2 = nn.Linear(width, 24), nn.Linear(24, width)
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.activation, self.pre_norm = nn.functional.gelu, pre_norm

        def forward(self, x, mask):
            inner = self.norm1(x) if pre_norm else x
            x = x + self.self_attn(inner, inner, inner, attn_mask=mask)[0]
            x = x if pre_norm else self.norm1(x)
            x = x + self.linear2(self.activation(self.linear1(self.norm2(x) if pre_norm else x)))
            return x if pre_norm else self.norm2(x)

    class Layers(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.layers = nn.ModuleList(TransformerEncoderLayer(width) for _ in range(2))

    class Bars(nn.Module):
        def __init__(self, borders):
            super().__init__()
            self.register_buffer("borders", borders)

    class TransformerModel(nn.Module):
        def __init__(self, width=12, bars=30):
            super().__init__()
            self.encoder = nn.Sequential(Normalize(0.0, 101.0), Normalize(0.5, math.sqrt(1 / 12)), nn.Linear(1, width))
            self.y_encoder = nn.Sequential(Normalize(0.5, math.sqrt(1 / 12)), nn.Linear(1, width))
            self.transformer_encoder = Layers(width)
            self.decoder = nn.Sequential(nn.Linear(width, 20), nn.GELU(), nn.Linear(20, bars))
            self.criterion = Bars(torch.linspace(0, 1, bars + 1) ** 0.5)
            self.style_encoder = None

        def forward(self, x, y):
            tokens = self.encoder(x)
            tokens = torch.cat([tokens[: len(y)] + self.y_encoder(y), tokens[len(y) :]])
            hidden = ~torch.eye(len(x), dtype=torch.bool)
            hidden[:, : len(y)] = False
            for layer in self.transformer_encoder.layers:
                tokens = layer(tokens, hidden)
            return self.decoder(tokens[len(y) :]).softmax(-1)

    for own in (Normalize, TransformerEncoderLayer, Layers, Bars, TransformerModel):
        own.__module__, own.__qualname__ = module.__name__, own.__name__
        setattr(module, own.__name__, own)
    return module


@pytest.fixture(params=[False, True], ids=["norm after", "norm before"])
def network(request, monkeypatch, tmp_path):
    """A file, and what torch makes of it."""
    torch = require("torch")
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    module = stand_in(torch, request.param)
    monkeypatch.setitem(sys.modules, "lcpfn", types.ModuleType("lcpfn"))
    monkeypatch.setitem(sys.modules, "lcpfn.transformer", module)
    torch.manual_seed(1)
    model = module.TransformerModel()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    torch.save(model, tmp_path / "weights.pt")
    with torch.no_grad():
        x, y = (torch.tensor(values, dtype=torch.float32)[:, None] for values in (np.append(X, LATER), Y))
        expected = model(x, y).numpy()
    return tmp_path / "weights.pt", expected


@pytest.mark.slow
def test_bars_are_as_probable_as_torch_finds_them(network):
    from study import lcpfn

    path, expected = network
    np.testing.assert_allclose(lcpfn.bar_weights(lcpfn.read_model(path), X, Y, LATER), expected, atol=1e-5)


def test_a_forecast_has_the_moments_and_quantiles_of_the_bars(network):
    from study import lcpfn

    path, expected = network
    borders = np.linspace(0, 1, 31) ** 0.5
    sizes, later = (16 * 2 ** ((anchors - 1) / 8) for anchors in (X, LATER))
    forecast = lcpfn.forecast(lcpfn.read_model(path), sizes, Y, later)
    middle = (borders[1:] + borders[:-1]) / 2
    np.testing.assert_allclose(forecast.mean, expected @ middle, atol=1e-3)
    below = np.concatenate([np.zeros((2, 1)), expected.cumsum(axis=1)], axis=1)
    for level in (0.1, 0.5, 0.9):
        wanted = [np.interp(level, own, borders) for own in below]
        np.testing.assert_allclose(forecast.quantile([level])[0], wanted, atol=3e-3)


def test_a_file_that_names_anything_else_is_not_obeyed(network, tmp_path):
    import os

    from study import lcpfn

    torch = require("torch")

    class Command:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "obeyed"),)

    torch.save(Command(), tmp_path / "evil.pt")
    with pytest.raises(lcpfn.UnknownFormatError, match=r"posix\.mkdir, which no model of LC-PFN needs"):
        lcpfn.read_model(tmp_path / "evil.pt")
    assert not (tmp_path / "obeyed").exists()
    torch.save({"weight": torch.ones(2)}, tmp_path / "state.pt")
    with pytest.raises(lcpfn.UnknownFormatError, match="not a whole model"):
        lcpfn.read_model(tmp_path / "state.pt")
    (tmp_path / "text.pt").write_text("weights")
    with pytest.raises(lcpfn.UnknownFormatError, match=r"not a model as torch\.save writes it"):
        lcpfn.read_model(tmp_path / "text.pt")


def test_without_weights_it_is_left_out_with_the_reason(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    from study import peers

    with pytest.raises(peers.NotAvailableError, match="not ours to ship; name a file of them: --lcpfn or APEXGP_LCPFN"):
        peers.lc_pfn(None)(None)
    with pytest.raises(peers.NotAvailableError, match=r"none\.pt"):
        peers.lc_pfn(str(tmp_path / "none.pt"))(None)
