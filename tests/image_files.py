"""Small pictures, scans and models for the tests of images."""

import numpy as np

from conftest import require


def save_picture(path, values, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    require("PIL.Image").fromarray(np.asarray(values)).save(path, **how)
    return path


def save_model(folder, *, size=32, width=32, seed=0):
    """A vision transformer of two layers, as `save_pretrained` writes it."""
    torch, transformers = require("torch"), require("transformers")
    config = transformers.ViTConfig(
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=2 * width,
        image_size=size,
        patch_size=size // 4,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = transformers.ViTModel(config)
    transformers.utils.logging.disable_progress_bar()
    model.save_pretrained(folder)
    return folder


def dicom_file(values, *, kind="MONOCHROME2", **tags):
    """A DICOM data set around stored values, which say themselves how many bits they have."""
    pydicom = require("pydicom")
    from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

    values = np.ascontiguousarray(values)
    data = pydicom.Dataset()
    data.file_meta = pydicom.dataset.FileMetaDataset()
    data.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    data.file_meta.MediaStorageSOPClassUID = data.SOPClassUID = CTImageStorage
    data.file_meta.MediaStorageSOPInstanceUID = data.SOPInstanceUID = generate_uid()
    data.Rows, data.Columns = values.shape[:2]
    data.SamplesPerPixel = 3 if values.ndim == 3 else 1
    if values.ndim == 3:
        data.PlanarConfiguration = 0
    data.PhotometricInterpretation = kind
    data.BitsAllocated = data.BitsStored = 8 * values.dtype.itemsize
    data.HighBit = data.BitsStored - 1
    data.PixelRepresentation = int(values.dtype.kind == "i")
    data.PixelData = values.tobytes()
    for name, value in tags.items():
        setattr(data, name, value)
    return data


def save_dicom(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    data.save_as(path, enforce_file_format=True)
    return path


def save_series(folder, volume, *, spacing=(1.0, 1.0), step=(0.0, 0.0, 2.0), across=(1, 0, 0), down=(0, 1, 0), **tags):
    """Slices of a volume (slice, row, column) in Hounsfield units, each a file; in no order that their names tell."""
    uid = tags.pop("SeriesInstanceUID", "1.2.3")
    for i, plane in enumerate(volume):
        position = np.array(tags.get("origin", (0.0, 0.0, 0.0))) + i * np.array(step)
        data = dicom_file(
            (np.asarray(plane) + 1024).astype(np.int16),
            Modality="CT",
            SeriesInstanceUID=uid,
            ImageOrientationPatient=[*across, *down],
            ImagePositionPatient=[float(f"{x:.6f}") for x in position],
            PixelSpacing=list(spacing),
            RescaleSlope=1,
            RescaleIntercept=-1024,
            InstanceNumber=i + 1,
            PatientName="Secret^Name",
            PatientID="SECRET-ID",
            **{name: value for name, value in tags.items() if name != "origin"},
        )
        save_dicom(folder / f"{uid}-{(7 * i) % 101:03d}-{i}.dcm", data)
    return folder
