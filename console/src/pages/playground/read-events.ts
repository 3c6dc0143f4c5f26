const LINE_END = /\r\n|\r|\n/
const FIELD = 'data:'

/**
 * The data of each event of a stream, in which lines end in LF, CRLF or CR. Comments and event names are skipped. A
 * line without an end is cut off, and skipped too.
 */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let data: string[] = []
  for await (const line of readLines(body)) {
    if (line.startsWith(FIELD)) data.push(line.slice(FIELD.length).trim())
    if (line !== '' || data.length === 0) continue
    yield data.join('\n')
    data = []
  }
  if (data.length > 0) yield data.join('\n')
}

async function* readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let unread = ''
  let isAfterReturn = false
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    let text = decoder.decode(read.value, { stream: true })
    if (text === '') continue
    // The carriage return before it has ended the line.
    if (isAfterReturn && text.startsWith('\n')) text = text.slice(1)
    isAfterReturn = text.endsWith('\r')
    const lines = (unread + text).split(LINE_END)
    unread = lines.pop() ?? ''
    yield* lines
  }
}
