const PREFIX = 'req_'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const UUID_BYTES = 16

/** A request's id in 16 bytes where it is of the form that we mint, else its text. */
export function writeRequestId(requestId: string): Uint8Array {
  const name = requestId.slice(PREFIX.length)
  return requestId.startsWith(PREFIX) && UUID.test(name)
    ? Buffer.from(name.replaceAll('-', ''), 'hex')
    : Buffer.from(requestId, 'utf8')
}

export function readRequestId(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes)
  if (buffer.length !== UUID_BYTES) return buffer.toString('utf8')
  const hex = buffer.toString('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  return PREFIX + parts.join('-')
}
