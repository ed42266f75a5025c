// Binary answers of docs/design/viewing.md that the page makes itself, as src/view/bytes_out.hpp lays them out: decode.ts reads them.
export function encoded(magic: string, header: readonly [number, number, number], arrays: ArrayBufferView[]): ArrayBuffer {
  const padded = (bytes: number) => (bytes + 3) & ~3,
    size = 16 + arrays.reduce((sum, { byteLength }) => sum + padded(byteLength), 0),
    out = new Uint8Array(size);
  for (let i = 0; i < 4; ++i) out[i] = magic.charCodeAt(i);
  new Uint32Array(out.buffer, 4, 3).set(header);
  let at = 16;
  for (const array of arrays) {
    out.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += padded(array.byteLength);
  }
  return out.buffer;
}
