import type { RequestHead } from '../script/fault-call.ts'

export type ReadStep =
  | { readonly type: 'head'; readonly head: RequestHead }
  | { readonly type: 'request'; readonly head: RequestHead; readonly body: Buffer }
  | { readonly type: 'bad' }

const MAX_HEAD_BYTES = 1024 * 1024
const MAX_BODY_BYTES = 256 * 1024 * 1024
const MAX_CHUNK_LINE_BYTES = 256

/** The rest of a body; `trailers` are the lines after the last chunk. */
type BodyState =
  | { readonly type: 'length'; left: number }
  | { readonly type: 'chunk-line' }
  | { readonly type: 'chunk'; left: number }
  | { readonly type: 'chunk-end' }
  | { readonly type: 'trailers' }

/** Reads requests of HTTP/1.1 from a connection's bytes, one step at a time, so that an answer can come in between. */
export class RequestReader {
  #held: Buffer = Buffer.alloc(0)
  #head: RequestHead | undefined
  #state: BodyState | undefined
  #body: Buffer[] = []
  #bodyBytes = 0
  #isBad = false

  /** Bytes of which no step was taken yet. */
  get heldBytes(): number {
    return this.#held.length
  }

  push(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
  }

  /** The next step that the bytes allow; undefined where more are needed. After `bad` there is nothing more. */
  next(): ReadStep | undefined {
    if (this.#isBad) return undefined
    const step = this.#head === undefined ? this.#readHead() : this.#readBody(this.#head)
    if (step?.type === 'bad') this.#isBad = true
    return step
  }

  #readHead(): ReadStep | undefined {
    const end = this.#held.indexOf('\r\n\r\n')
    if (end === -1) return this.#held.length > MAX_HEAD_BYTES ? { type: 'bad' } : undefined
    const head = readHead(this.#held.subarray(0, end).toString('latin1'))
    this.#held = this.#held.subarray(end + 4)
    if (head === undefined) return { type: 'bad' }
    const length = Number(head.headers.get('content-length') ?? 0)
    if (!Number.isInteger(length) || length < 0 || length > MAX_BODY_BYTES) return { type: 'bad' }
    const isChunked = head.headers.get('transfer-encoding')?.toLowerCase() === 'chunked'
    this.#state = isChunked ? { type: 'chunk-line' } : { type: 'length', left: length }
    this.#head = head
    return { type: 'head', head }
  }

  #readBody(head: RequestHead): ReadStep | undefined {
    for (;;) {
      const state = this.#state
      if (state === undefined) {
        const body = Buffer.concat(this.#body)
        this.#head = undefined
        this.#body = []
        this.#bodyBytes = 0
        return { type: 'request', head, body }
      }
      const progress = this.#advance(state)
      if (progress === 'bad' || this.#bodyBytes > MAX_BODY_BYTES) return { type: 'bad' }
      if (progress === 'more') return undefined
    }
  }

  #advance(state: BodyState): 'on' | 'more' | 'bad' {
    switch (state.type) {
      case 'length':
        return this.#readBytes(state, undefined)
      case 'chunk':
        return this.#readBytes(state, { type: 'chunk-end' })
      case 'chunk-line':
        return this.#readChunkLine()
      case 'chunk-end':
        return this.#readLine((line) => (line === '' ? { type: 'chunk-line' } : 'bad'))
      default:
        return this.#readLine((line) => (line === '' ? undefined : { type: 'trailers' }))
    }
  }

  #readBytes(state: { left: number }, next: BodyState | undefined): 'on' | 'more' {
    const bytes = this.#held.subarray(0, state.left)
    if (bytes.length > 0) this.#body.push(bytes)
    this.#bodyBytes += bytes.length
    state.left -= bytes.length
    this.#held = this.#held.subarray(bytes.length)
    if (state.left > 0) return 'more'
    this.#state = next
    return 'on'
  }

  #readChunkLine(): 'on' | 'more' | 'bad' {
    return this.#readLine((line) => {
      const size = /^[0-9a-f]{1,8}(?=;|$)/i.exec(line)?.[0]
      if (size === undefined) return 'bad'
      const left = Number.parseInt(size, 16)
      return left === 0 ? { type: 'trailers' } : { type: 'chunk', left }
    })
  }

  #readLine(next: (line: string) => BodyState | undefined | 'bad'): 'on' | 'more' | 'bad' {
    const end = this.#held.indexOf('\r\n')
    if (end === -1) return this.#held.length > MAX_CHUNK_LINE_BYTES ? 'bad' : 'more'
    const state = next(this.#held.subarray(0, end).toString('latin1'))
    if (state === 'bad') return 'bad'
    this.#held = this.#held.subarray(end + 2)
    this.#state = state
    return 'on'
  }
}

function readHead(text: string): RequestHead | undefined {
  const [line = '', ...lines] = text.split('\r\n')
  const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(line) ?? []
  if (method === undefined || path === undefined) return undefined
  const pairs = lines.map((each): [string, string] => {
    const at = each.indexOf(':')
    return [each.slice(0, at).toLowerCase(), each.slice(at + 1).trim()]
  })
  return { method, path, headers: new Map(pairs) }
}
