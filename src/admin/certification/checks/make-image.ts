import { crc32, deflateSync } from 'node:zlib'

type Rgb = readonly [number, number, number]

const SIDE_PIXELS = 128
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Eight bits for each of red, green and blue; compression, filter and interlace as the format has them. */
const FORMAT_BYTES = [8, 2, 0, 0, 0]

/** A square picture whose left and right halves have one colour each (PNG, https://www.w3.org/TR/png-3/). */
export function drawHalves(left: Rgb, right: Rgb): Buffer {
  const half = SIDE_PIXELS / 2
  const row = Buffer.from([0, ...repeat(left, half), ...repeat(right, half)])
  const pixels = Buffer.concat(Array.from({ length: SIDE_PIXELS }, () => row))
  const header = Buffer.concat([uint32(SIDE_PIXELS), uint32(SIDE_PIXELS), Buffer.from(FORMAT_BYTES)])
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([SIGNATURE, ...parts])
}

function repeat(rgb: Rgb, count: number): readonly number[] {
  return Array.from({ length: count }, () => rgb).flat()
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
