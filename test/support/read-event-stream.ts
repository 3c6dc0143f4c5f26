export interface ReadEvent {
  /** `message` where no field says otherwise, as the standard has it. */
  readonly event: string
  readonly data: string
}

/** Reads a whole stream as WHATWG HTML §9.2.6 says it, step by step. Knows nothing of the product. */
export function readEventStream(text: string): readonly ReadEvent[] {
  const events: ReadEvent[] = []
  let data = ''
  let event = ''
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data !== '') events.push({ event: event === '' ? 'message' : event, data: data.replace(/\n$/, '') })
      data = ''
      event = ''
      continue
    }
    const colon = line.indexOf(':')
    if (colon === 0) continue
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') data += `${value}\n`
    if (name === 'event') event = value
  }
  return events
}
