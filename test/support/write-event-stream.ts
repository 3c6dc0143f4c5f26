/** One message as bytes of `application/vnd.amazon.eventstream`, its headers texts. Knows nothing of the decoder. */
export function writeEventStreamMessage(
  headers: Readonly<Record<string, string>>,
  payload: string | Buffer,
): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(Buffer.byteLength(value))
      return Buffer.concat([
        Buffer.from([Buffer.byteLength(name)]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ])
    }),
  )
  return writeRawMessage(head, Buffer.from(payload))
}

/** The same around headers that are bytes already. */
export function writeRawMessage(headers: Buffer, payload: Buffer): Buffer {
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(12 + headers.length + payload.length + 4, 0)
  prelude.writeUInt32BE(headers.length, 4)
  const before = Buffer.concat([prelude, checksum(prelude), headers, payload])
  return Buffer.concat([before, checksum(before)])
}

/** An event as Bedrock sends it. */
export function writeEvent(type: string, payload: unknown): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }
  return writeEventStreamMessage(headers, JSON.stringify(payload))
}

export function writeException(type: string, message: string): Buffer {
  const headers = {
    ':exception-type': type,
    ':content-type': 'application/json',
    ':message-type': 'exception',
  }
  return writeEventStreamMessage(headers, JSON.stringify({ message }))
}

/** CRC-32 as ISO 3309 has it, by a table of our own, so that the decoder's is not its judge. */
export function checksum(bytes: Buffer): Buffer {
  let register = 0xffffffff
  for (const byte of bytes) register = (register >>> 8) ^ (remainders[(register ^ byte) & 0xff] ?? 0)
  const result = Buffer.alloc(4)
  result.writeUInt32BE((register ^ 0xffffffff) >>> 0)
  return result
}

/** The remainder of each byte, computed bit by bit. */
const remainders = Uint32Array.from({ length: 256 }, (_none, byte) => {
  let register = byte
  for (let bit = 0; bit < 8; bit += 1) register = (register >>> 1) ^ ((register & 1) === 1 ? 0xedb88320 : 0)
  return register
})
