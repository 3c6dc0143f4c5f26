export interface AwsEvent {
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

/** Reads a whole event stream of AWS whose headers are texts, checksums unread. Knows nothing of the product. */
export function readAwsEvents(bytes: Buffer): readonly AwsEvent[] {
  const events: AwsEvent[] = []
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const end = at + bytes.readUInt32BE(at) - 4
    const headersEnd = at + 12 + bytes.readUInt32BE(at + 4)
    const headers: Record<string, string> = {}
    for (let position = at + 12; position < headersEnd; ) {
      const nameEnd = position + 1 + bytes.readUInt8(position)
      const valueStart = nameEnd + 3
      const valueEnd = valueStart + bytes.readUInt16BE(nameEnd + 1)
      headers[bytes.toString('utf8', position + 1, nameEnd)] = bytes.toString('utf8', valueStart, valueEnd)
      position = valueEnd
    }
    events.push({ headers, payload: bytes.toString('utf8', headersEnd, end) })
  }
  return events
}
