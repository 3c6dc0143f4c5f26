import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { InvariantError } from '../kit/errors/invariant-error.ts'
import type { TransportFault } from './transport-fault.ts'
import type { UpstreamFlow, UpstreamHeaders, UpstreamListener } from './upstream.ts'

/** The size up to which the compression ratio is not checked. */
const FREE_BYTES = 1024 * 1024
/**
 * The limit of the compression ratio. Text does not compress better than this. Anything above it is a decompression
 * bomb.
 */
const MAX_RATIO = 100

/**
 * Inflates an answer that arrives compressed although no compression was requested, and passes it to the listener.
 * Bytes are passed on as soon as they can be read, so that a stream stays a stream. Undefined for an unknown coding,
 * or for several codings.
 */
export function createInflatingListener(
  headers: UpstreamHeaders,
  listener: UpstreamListener,
  source: UpstreamFlow,
): InflatingListener | undefined {
  const coding = String(headers['content-encoding']).trim().toLowerCase()
  return Object.hasOwn(inflaters, coding) ? new InflatingListener(coding, { listener, source }) : undefined
}

const flushed = { flush: constants.Z_SYNC_FLUSH }

/**
 * The decompressors by coding. `deflate` should have a zlib header but often has none, which its first byte shows
 * (RFC 9110 §8.4.1.2).
 */
const inflaters: Readonly<Record<string, (first: Buffer) => Transform>> = {
  gzip: () => createGunzip(flushed),
  'x-gzip': () => createGunzip(flushed),
  deflate: (first) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate(flushed) : createInflateRaw(flushed)),
  br: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
}

interface Ends {
  readonly listener: UpstreamListener
  /** The call that the bytes belong to. */
  readonly source: UpstreamFlow
}

export class InflatingListener implements UpstreamListener, UpstreamFlow {
  readonly #coding: string
  readonly #ends: Ends
  #inflater: Transform | undefined
  #bytesIn = 0
  #bytesOut = 0
  #isPaused = false
  #isFull = false
  #isOver = false
  /** The fault that ended the connection. It is passed on after all bytes that came before it. */
  #fault: TransportFault | undefined

  constructor(coding: string, ends: Ends) {
    this.#coding = coding
    this.#ends = ends
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    const { 'content-encoding': _coding, 'content-length': _length, ...rest } = headers
    this.#ends.listener.onHead(status, rest)
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return
    this.#bytesIn += chunk.length
    this.#inflater ??= this.#open(chunk)
    if (this.#inflater.write(chunk)) return
    this.#isFull = true
    this.#ends.source.pause()
  }

  onEnd(): void {
    this.#end()
  }

  /** Passes a fault on after the bytes that came before it. */
  onFault(fault: TransportFault): void {
    this.#fault = fault
    this.#end()
  }

  pause(): void {
    this.#isPaused = true
    this.#inflater?.pause()
    this.#ends.source.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#inflater?.resume()
    if (!this.#isFull) this.#ends.source.resume()
  }

  abort(): void {
    this.#isOver = true
    this.#inflater?.destroy()
  }

  /**
   * Ends the inflater after all written bytes were processed. If the inflater knew that they were the last, it would
   * not output them.
   */
  #end(): void {
    const inflater = this.#inflater
    if (inflater === undefined) this.#emitEnd()
    else inflater.write(Buffer.alloc(0), () => void inflater.end())
  }

  #open(first: Buffer): Transform {
    const make = inflaters[this.#coding]
    if (make === undefined) throw new InvariantError(`no decoder for ${this.#coding}`)
    const inflater = make(first)
    inflater.on('data', (chunk: Buffer) => this.#pass(chunk))
    inflater.on('end', () => this.#emitEnd())
    // The inflater also emits an error at the end of an answer that was cut on purpose.
    inflater.on('error', (error) =>
      this.#fault === undefined ? this.#refuse(error.message) : this.#emitEnd(),
    )
    inflater.on('drain', () => {
      this.#isFull = false
      if (!this.#isPaused) this.#ends.source.resume()
    })
    return inflater
  }

  #pass(chunk: Buffer): void {
    if (this.#isOver) return
    this.#bytesOut += chunk.length
    if (this.#bytesOut > FREE_BYTES && this.#bytesOut > this.#bytesIn * MAX_RATIO)
      this.#refuse(`it expands to more than ${MAX_RATIO} times its size`)
    else this.#ends.listener.onData(chunk)
  }

  #emitEnd(): void {
    const { listener } = this.#ends
    const fault = this.#fault
    this.#finish(() => (fault === undefined ? listener.onEnd() : listener.onFault(fault)))
  }

  #refuse(reason: string): void {
    const message = `the compressed answer cannot be read: ${reason}`
    this.#finish(() => this.#ends.listener.onFault({ kind: 'bad-http', message, onReusedConnection: false }))
    this.#ends.source.abort()
  }

  #finish(emit: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#inflater?.destroy()
    emit()
  }
}
