import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { GuardedListener } from '../../../src/upstream/call-handler.ts'
import { createInflatingListener } from '../../../src/upstream/inflating-listener.ts'
import type { Upstream, UpstreamFlow, UpstreamListener } from '../../../src/upstream/upstream.ts'

export const compressions = ['gzip', 'deflate', 'br'] as const
export type Coding = 'identity' | (typeof compressions)[number]

export interface SentAnswer {
  readonly contentType: string
  readonly coding: Coding
  /** In the pieces in which they come. */
  readonly pieces: readonly Buffer[]
}

const fast = { level: 1 }
const fastBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

export function compress(bytes: Buffer, coding: Coding): Buffer {
  switch (coding) {
    case 'identity':
      return bytes
    case 'gzip':
      return gzipSync(bytes, fast)
    case 'deflate':
      return deflateSync(bytes, fast)
    case 'br':
      return brotliCompressSync(bytes, fastBrotli)
  }
}

/** An upstream without a socket: the real guard and the real inflating listener before the reader. */
export function createSendingUpstream(answer: SentAnswer): Upstream {
  return {
    call(_request, listener) {
      const feed = new Feed(answer, listener)
      setImmediate(() => feed.start())
      return feed
    },
    close: () => Promise.resolve(),
  }
}

class Feed implements UpstreamFlow {
  readonly #answer: SentAnswer
  readonly #target: UpstreamListener
  #inflating: ReturnType<typeof createInflatingListener>
  #next = 0
  #isPaused = false
  #isPushing = false
  #isOver = false

  constructor(answer: SentAnswer, listener: UpstreamListener) {
    this.#answer = answer
    this.#target = new GuardedListener(listener, this)
  }

  start(): void {
    const { contentType, coding } = this.#answer
    const headers = {
      'content-type': contentType,
      ...(coding !== 'identity' && { 'content-encoding': coding }),
    }
    this.#target.onSent?.()
    const source = { pause: () => this.#hold(), resume: () => this.#goOn(), abort: () => this.abort() }
    if (coding !== 'identity') this.#inflating = createInflatingListener(headers, this.#target, source)
    const sink = this.#inflating ?? this.#target
    sink.onHead(200, headers)
    this.#push()
  }

  pause(): void {
    if (this.#inflating === undefined) this.#hold()
    else this.#inflating.pause()
  }

  resume(): void {
    if (this.#inflating === undefined) this.#goOn()
    else this.#inflating.resume()
  }

  abort(): void {
    this.#isOver = true
    this.#inflating?.abort()
  }

  #hold(): void {
    this.#isPaused = true
  }

  #goOn(): void {
    this.#isPaused = false
    this.#push()
  }

  #push(): void {
    if (this.#isPushing) return
    this.#isPushing = true
    const sink = this.#inflating ?? this.#target
    const { pieces } = this.#answer
    while (!this.#isPaused && !this.#isOver && this.#next < pieces.length) {
      const piece = pieces[this.#next]
      this.#next += 1
      if (piece !== undefined) sink.onData(piece)
    }
    this.#isPushing = false
    if (this.#isPaused || this.#isOver) return
    this.#isOver = true
    sink.onEnd()
  }
}
