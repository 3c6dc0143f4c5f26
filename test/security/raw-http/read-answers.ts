export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Takes HTTP/1.1 answers apart, knowing nothing of the product. Throws where the bytes are no whole answers. */
export function readAnswers(text: string, isHead = false): readonly RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const status = /^HTTP\/1\.[01] (\d{3})[ \r]/.exec(rest)
    if (end === -1 || status === null) throw new Error(`not an answer: ${JSON.stringify(rest.slice(0, 200))}`)
    const headers = readHeaders(rest.slice(0, end))
    const { body, length } = readBody({
      text: rest.slice(end + 4),
      headers,
      status: Number(status[1]),
      isHead,
    })
    answers.push({ status: Number(status[1]), headers, body })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

function readHeaders(head: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return headers
}

interface BodyPosition {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  readonly isHead: boolean
}

function readBody({ text, headers, status, isHead }: BodyPosition) {
  if (isHead || status < 200 || status === 204) return { body: '', length: 0 }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(text)
  const length = headers['content-length'] === undefined ? text.length : Number(headers['content-length'])
  if (text.length < length) throw new Error(`the answer is cut: ${JSON.stringify(text.slice(0, 200))}`)
  return { body: text.slice(0, length), length }
}

function readChunks(text: string) {
  let body = ''
  let at = 0
  for (;;) {
    const end = text.indexOf('\r\n', at)
    if (end === -1) throw new Error('the last chunk is missing')
    const size = Number.parseInt(text.slice(at, end), 16)
    body += text.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
    if (size === 0) return { body, length: at }
  }
}
