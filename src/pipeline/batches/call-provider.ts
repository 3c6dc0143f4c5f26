import { createFailure, GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Redactor } from '../../telemetry/redact.ts'
import type { UploadBody } from '../../uploads/upload-body.ts'
import type { TransportFault } from '../../upstream/transport-fault.ts'
import type {
  Upstream,
  UpstreamFlow,
  UpstreamHeaders,
  UpstreamListener,
  UpstreamRequest,
} from '../../upstream/upstream.ts'
import { refuseJson } from '../../wire/answer-bounds.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { buildUpstreamRequest } from '../attempt/build-upstream-request.ts'
import { failureOfFault, failureOfTimeout } from '../attempt/transport-failure.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'

export interface ProviderCall {
  readonly owner: FoundOwner
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The path below the channel's base address. */
  readonly path: string
  readonly body?: JsonObject
  readonly upload?: { readonly contentType: string; readonly body: UploadBody }
  readonly timeoutMs: number
}

export interface CallDependencies {
  readonly upstream: Upstream
  readonly userAgent: string
  readonly clock: Clock
  readonly redactor: Redactor
}

/** A reader of an answer with a good status, chunk by chunk. */
export interface AnswerSink {
  /** False asks for a pause, until `resume` of the flow is called. Throws what ends the call. */
  onData(chunk: Buffer): boolean
}

const MAX_ANSWER_BYTES = 1024 ** 2

/** Asks a provider for a JSON object. Rejects with `GatewayError`, whose words name no object of the provider. */
export async function askProvider(call: ProviderCall, dependencies: CallDependencies): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let bytes = 0
  const running = callProvider(call, dependencies, {
    onData(chunk) {
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) throw badAnswer('it is too long')
      chunks.push(chunk)
      return true
    },
  })
  await running.done
  const text = Buffer.concat(chunks).toString('utf8')
  const value = refuseJson(text) === undefined ? tryParseJson(text) : undefined
  if (!isJsonObject(value)) throw badAnswer('it is no JSON object')
  return value
}

function badAnswer(reason: string): GatewayError {
  return new GatewayError('upstream_bad_response', { logCause: `the answer cannot be read: ${reason}` })
}

export interface RunningCall {
  /** Rejects with `GatewayError`. */
  readonly done: Promise<void>
  resume(): void
  abort(reason: unknown): void
}

/** Makes one call, once: what was accepted must not be asked a second time. */
export function callProvider(
  call: ProviderCall,
  dependencies: CallDependencies,
  sink: AnswerSink,
): RunningCall {
  const running = new ProviderCallRun(dependencies, sink)
  running.begin(writeRequest(call, dependencies.userAgent), call.timeoutMs)
  return running
}

function writeRequest(
  { owner, method, path, body, upload }: ProviderCall,
  userAgent: string,
): UpstreamRequest {
  const lane = {
    path,
    headers: upload === undefined ? {} : { 'content-type': upload.contentType },
    body: body === undefined ? [] : [Buffer.from(JSON.stringify(body))],
    upload: upload?.body,
  }
  const request = buildUpstreamRequest({ ...owner, lane, isStream: false, userAgent, onNewConnection: false })
  if (body !== undefined || upload !== undefined) return { ...request, method }
  const { 'content-type': _type, ...headers } = request.headers
  return { ...request, method, headers }
}

class ProviderCallRun implements UpstreamListener, RunningCall {
  readonly #dependencies: CallDependencies
  readonly #sink: AnswerSink
  readonly #settled = Promise.withResolvers<void>()
  #flow: UpstreamFlow | undefined
  #timer: ReturnType<Clock['startTimer']> | undefined
  #status = 0
  #headers: UpstreamHeaders = {}
  #error: Buffer[] = []
  #isOver = false

  constructor(dependencies: CallDependencies, sink: AnswerSink) {
    this.#dependencies = dependencies
    this.#sink = sink
  }

  get done(): Promise<void> {
    return this.#settled.promise
  }

  begin(request: UpstreamRequest, timeoutMs: number): void {
    const { upstream, clock } = this.#dependencies
    this.#timer = clock.startTimer(timeoutMs, () => {
      const failure = failureOfTimeout(this.#status === 0 ? 'headers' : 'total')
      this.abort(new GatewayError(failure.code, { message: failure.message }))
    })
    const flow = upstream.call(request, this)
    if (this.#isOver) flow.abort()
    else this.#flow = flow
  }

  resume(): void {
    if (!this.#isOver) this.#flow?.resume()
  }

  abort(reason: unknown): void {
    if (!this.#end()) return
    this.#flow?.abort()
    this.#settled.reject(reason)
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return
    if (this.#status < 200 || this.#status > 299) {
      if (this.#error.length < 64) this.#error.push(chunk)
      return
    }
    try {
      if (!this.#sink.onData(chunk)) this.#flow?.pause()
    } catch (error) {
      this.abort(error)
    }
  }

  onEnd(): void {
    if (!this.#end()) return
    if (this.#status >= 200 && this.#status <= 299) this.#settled.resolve()
    else this.#settled.reject(this.#readError())
  }

  onFault(fault: TransportFault): void {
    if (!this.#end()) return
    const { code, message } = failureOfFault(fault, { isStream: false, hasHead: this.#status !== 0 })
    const logCause = this.#dependencies.redactor.redact(fault.message)
    this.#settled.reject(new GatewayError(code, { message, logCause }))
  }

  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#timer?.cancel()
    return true
  }

  #readError(): GatewayError {
    const headers = Object.fromEntries(
      Object.entries(this.#headers).map(([name, value]) => [name, [value].flat()[0]]),
    )
    const body = Buffer.concat(this.#error)
    const read = chatFormat.readError({ status: this.#status, headers, body, namesStoredObjects: true })
    const words = withoutIds(this.#dependencies.redactor.redact(read.message))
    const failure = createFailure(read.code, { message: words })
    return new GatewayError(failure.code, {
      message: words,
      ...(read.retryAfterSeconds !== undefined && { retryAfterSeconds: read.retryAfterSeconds }),
      upstream: { status: this.#status },
    })
  }
}

/** Ids of providers, which no caller of ours can use and none may learn of. */
const REMOTE_ID = /\b(?:file|batch|batch_req|req|resp|org|proj|user)[-_][A-Za-z0-9_-]{6,}/g

/** The words of a provider without the ids that they name. */
export function withoutIds(words: string): string {
  return words.replace(REMOTE_ID, '[id]')
}
