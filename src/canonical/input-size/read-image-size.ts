export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The length that gets past the metadata that cameras put before a JPEG's size. */
const HEAD_CHARACTERS = 131_072

/** Reads the size in pixels from the header of a PNG, GIF, WebP or JPEG. Undefined where the size cannot be read. */
export function readImageSize(base64: string): ImageSize | undefined {
  const bytes = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64')
  const size = readPng(bytes) ?? readGif(bytes) ?? readWebp(bytes) ?? readJpeg(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function readPng(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function readGif(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 4) !== 'GIF8') return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/**
 * WebP has three kinds: lossy, lossless and extended (https://developers.google.com/speed/webp/docs/riff_container,
 * seen 2026-11-20).
 */
function readWebp(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** Walks from segment to segment until the one that starts a frame. */
function readJpeg(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  let position = 2
  while (position + 9 <= bytes.length && bytes[position] === 0xff) {
    const marker = bytes.readUInt8(position + 1)
    if (isFrameStart(marker)) {
      return { width: bytes.readUInt16BE(position + 7), height: bytes.readUInt16BE(position + 5) }
    }
    position += 2 + bytes.readUInt16BE(position + 2)
  }
  return undefined
}

/** The markers C0 to CF start frames, except those of tables and conditioning. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
