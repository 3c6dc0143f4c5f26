import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { GatewayError } from '../../canonical/failure.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { UnreadBody } from '../../pipeline/exchange/caller-request.ts'
import type { DeadlineWatch, WatchEntry, Watched } from '../../pipeline/response/deadline-watch.ts'
import { announcesBody, findAsk } from '../check-head.ts'
import { closeAfterAnswer } from '../end-connection.ts'
import type { RequestingCaller } from '../request-head.ts'
import type { BodyBudget, BodyHold } from './body-budget.ts'
import { BodyPace, readBody, tooLarge, type UnbufferedRequest } from './read-body.ts'

/** The request to which the body belongs, with the resources that it holds until its end. */
interface BodyOwner {
  readonly options: {
    readonly clock: Clock
    readonly watch: DeadlineWatch
    readonly bodies: BodyBudget
    readonly limits: { readonly bodyBytes: number; readonly uploadBytes: number }
  }
  readonly message: UnbufferedRequest
  readonly response: ServerResponse
  hold: BodyHold | undefined
  body: BodyBytes | undefined
}

/** The error of a body that ends before it is complete. */
class BodyBrokenError extends Error {
  override readonly name = 'BodyBrokenError'
}

/** Opens the body of a request without reading it; undefined if the request has no body. Throws `request_too_large`. */
export function openUnreadBody(served: BodyOwner, caller: RequestingCaller): UnreadBody | undefined {
  const { message, response, options } = served
  if (message.headers.upgrade !== undefined) response.shouldKeepAlive = false
  if (!announcesBody(message)) return undefined
  // The answer may be sent before the end of the body. The rest of the body must not be parsed as the next request.
  if (!message.complete) closeAfterAnswer({ message, response }, options.clock)
  const length = readLength(message.headers['content-length'])
  if (length !== undefined && length > options.limits.uploadBytes)
    throw tooLarge(options.limits.uploadBytes, 'limits.upload')
  return new MessageBody(served, caller, length)
}

function readLength(written: string | undefined): number | undefined {
  return written === undefined ? undefined : Number(written)
}

class MessageBody implements UnreadBody {
  readonly #served: BodyOwner
  readonly #caller: RequestingCaller
  readonly length: number | undefined
  bytesRead = 0
  fault: GatewayError | undefined

  constructor(served: BodyOwner, caller: RequestingCaller, length: number | undefined) {
    this.#served = served
    this.#caller = caller
    this.length = length
  }

  async readWhole(): Promise<BodyBytes> {
    const { message, response, options } = this.#served
    const { clock, watch, limits, bodies } = options
    this.#served.hold = bodies.open(this.#caller.keyId)
    const body = await readBody(message, {
      clock,
      watch,
      maxBytes: limits.bodyBytes,
      hold: this.#served.hold,
      ask: findAsk(message, response),
    })
    this.#served.body = body
    this.bytesRead = body.length
    return body
  }

  openStream(): Readable {
    const { message, response, options } = this.#served
    const stream = new BoundedBody(message, {
      maxBytes: options.limits.uploadBytes,
      onBytes: (bytes) => {
        this.bytesRead = bytes
      },
      onFault: (fault) => {
        this.fault = fault
      },
    })
    const entry: WatchEntry = options.watch.add(new StreamPace(stream, options.clock.monotonicMs()))
    stream.once('close', () => options.watch.remove(entry))
    findAsk(message, response)?.()
    return stream
  }
}

interface BoundedOptions {
  readonly maxBytes: number
  readonly onBytes: (bytes: number) => void
  readonly onFault: (fault: GatewayError) => void
}

/** A body as a stream. The stream fails if the body is too large, arrives too slowly, or is cut off. */
class BoundedBody extends Readable {
  readonly #source: Readable
  readonly #options: BoundedOptions
  bytes = 0
  /** Whether the reader waits for bytes. Only then is the caller responsible for a slow body. */
  isWanted = false

  constructor(source: Readable, options: BoundedOptions) {
    super()
    this.#source = source
    this.#options = options
    source.pause()
    source.on('data', this.#receive)
    source.on('end', this.#end)
    source.on('error', this.#break)
    source.on('close', this.#break)
  }

  refuse(fault: GatewayError): void {
    this.#options.onFault(fault)
    this.destroy(fault)
  }

  override _read(): void {
    this.isWanted = true
    this.#source.resume()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const source = this.#source
    source.off('data', this.#receive)
    source.off('end', this.#end)
    source.off('error', this.#break)
    source.off('close', this.#break)
    source.on('error', () => undefined)
    // The rest is not read. The connection closes with the answer.
    source.pause()
    callback(error)
  }

  readonly #receive = (chunk: Buffer): void => {
    this.bytes += chunk.length
    this.#options.onBytes(this.bytes)
    if (this.bytes > this.#options.maxBytes) {
      this.refuse(tooLarge(this.#options.maxBytes, 'limits.upload'))
      return
    }
    if (this.push(chunk)) return
    this.isWanted = false
    this.#source.pause()
  }

  readonly #end = (): void => {
    this.push(null)
  }

  readonly #break = (): void => {
    if (!this.#source.readableEnded) this.destroy(new BodyBrokenError('the body broke off'))
  }
}

/** Ends a body that arrives too slowly while the reader waits for it. */
class StreamPace implements Watched {
  readonly #body: BoundedBody
  #pace: BodyPace
  /** The bytes that had arrived when the reader began to wait. */
  #offset = 0

  constructor(body: BoundedBody, nowMs: number) {
    this.#body = body
    this.#pace = new BodyPace(nowMs)
  }

  look(nowMs: number): void {
    const { bytes, isWanted } = this.#body
    if (!isWanted) {
      this.#pace = new BodyPace(nowMs)
      this.#offset = bytes
    } else if (!this.#pace.keepsUp(nowMs, bytes - this.#offset)) {
      this.#body.refuse(new GatewayError('request_timeout'))
    }
  }
}
