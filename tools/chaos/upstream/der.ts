/** The tags of ASN.1 that certificates are made of (ITU-T X.690). */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** Writes a value: its tag, its length, its contents. */
export function writeDer(tag: keyof typeof tags | number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents)
  return Buffer.concat([
    Buffer.from([typeof tag === 'number' ? tag : tags[tag]]),
    writeLength(body.length),
    body,
  ])
}

function writeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  const short = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
  return Buffer.concat([Buffer.from([0x80 + short.length]), short])
}

/** Writes an object identifier such as `2.5.4.3`. */
export function writeObjectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return writeDer('objectId', Buffer.from([first * 40 + second, ...rest.flatMap(writeBase128)]))
}

function writeBase128(value: number): readonly number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

export function writeText(text: string): Buffer {
  return writeDer('utf8String', Buffer.from(text))
}

/** Writes a time given as `YYYYMMDDHHMMSSZ`. */
export function writeTime(text: string): Buffer {
  return writeDer('generalizedTime', Buffer.from(text, 'latin1'))
}

/** Writes bits, none unused. */
export function writeBits(bytes: Buffer): Buffer {
  return writeDer('bitString', Buffer.from([0]), bytes)
}

export const derTrue: Buffer = writeDer('boolean', Buffer.from([0xff]))
