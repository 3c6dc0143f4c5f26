import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readImageSize } from './read-image-size.ts'

function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(33)
  head.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}

function gif(width: number, height: number): Buffer {
  const head = Buffer.alloc(13)
  head.write('GIF89a', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  return head
}

function jpeg(width: number, height: number): Buffer {
  const note = Buffer.alloc(300)
  note.writeUInt16BE(0xffe1, 0)
  note.writeUInt16BE(298, 2)
  const frame = Buffer.alloc(19)
  frame.writeUInt16BE(0xffc2, 0)
  frame.writeUInt16BE(17, 2)
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), note, frame])
}

function webp(kind: string, write: (head: Buffer) => void): Buffer {
  const head = Buffer.alloc(30)
  head.write(`RIFF\0\0\0\0WEBP${kind}`, 'latin1')
  write(head)
  return head
}

const lossy = webp('VP8 ', (head) => {
  head.writeUInt16LE(640, 26)
  head.writeUInt16LE(480, 28)
})

const lossless = webp('VP8L', (head) => head.writeUInt32LE((640 - 1) | ((480 - 1) << 14), 21))
const extended = webp('VP8X', (head) => {
  head.writeUIntLE(640 - 1, 24, 3)
  head.writeUIntLE(480 - 1, 27, 3)
})

describe('the size of an image', () => {
  it.each([
    ['PNG', png(640, 480)],
    ['GIF', gif(640, 480)],
    ['JPEG behind a note', jpeg(640, 480)],
    ['lossy WebP', lossy],
    ['lossless WebP', lossless],
    ['extended WebP', extended],
  ])('is read from the header of a %s', (_kind, bytes) => {
    expect(readImageSize(bytes.toString('base64'))).toEqual({ width: 640, height: 480 })
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('not an image at all, only words that go on for a while')],
    ['a PNG without width', png(0, 480)],
    ['a JPEG that ends early', jpeg(640, 480).subarray(0, 100)],
  ])('is unknown for %s', (_kind, bytes) => {
    expect(readImageSize(bytes.toString('base64'))).toBeUndefined()
  })

  it('is read from any bytes without throwing', () => {
    const starts = [png(1, 1), gif(1, 1), jpeg(1, 1), lossy, lossless, extended].map((bytes) =>
      bytes.subarray(0, 16),
    )
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 60 }), (start, rest) => {
        readImageSize(Buffer.concat([start, rest]).toString('base64'))
      }),
    )
  })
})
