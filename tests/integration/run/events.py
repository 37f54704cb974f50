"""A reader of TensorBoard's event files, written from the format: TFRecords with masked CRC-32C, Event messages."""
import pathlib
import struct


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(path):
    data, at = pathlib.Path(path).read_bytes(), 0
    while at < len(data):
        (size,), (check,) = struct.unpack("<Q", data[at:at + 8]), struct.unpack("<I", data[at + 8:at + 12])
        if check != masked(data[at:at + 8]):
            raise ValueError(f"byte {at}: the length's checksum is wrong")
        message = data[at + 12:at + 12 + size]
        if len(message) < size or struct.unpack("<I", data[at + 12 + size:at + 16 + size])[0] != masked(message):
            raise ValueError(f"byte {at}: the message's checksum is wrong")
        yield message
        at += 16 + size


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def fields(message):
    """(number, value) of a message: bytes of length-delimited fields, numbers of varints, raw bytes of fixed ones."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        if key & 7 == 0:
            value, at = varint(message, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(message, at)
            value, at = message[at:at + size], at + size
        yield key >> 3, value


def scalars(path):
    """[(step, {tag: value})] of an event file, whose first record must name the version."""
    found, first = [], True
    for record in records(path):
        event = dict(fields(record))
        if first and event.get(3) != b"brain.Event:2":
            raise ValueError("the first event does not name the version")
        first = False
        if 5 not in event:
            continue
        values = [dict(fields(value)) for number, value in fields(event[5]) if number == 1]
        found.append((event.get(2, 0), {v[1].decode(): struct.unpack("<f", v[2])[0] for v in values}))
    return found
