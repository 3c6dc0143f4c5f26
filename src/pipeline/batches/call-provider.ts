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
import type { CallerFormat } from '../../wire/caller-format.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { geminiFormat } from '../../wire/gemini/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { buildUpstreamRequest } from '../attempt/build-upstream-request.ts'
import { failureOfFault, failureOfTimeout } from '../attempt/transport-failure.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'

export interface ProviderCall {
  readonly owner: FoundOwner
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path after the channel's base address. */
  readonly path: string
  /** True where the path belongs to the channel's host instead of its base address. */
  readonly isHostPath?: true
  /** Headers in addition to those of the channel. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: JsonObject
  /** A JSON body that is already written. */
  readonly bytes?: readonly Buffer[]
  readonly upload?: { readonly contentType: string; readonly body: UploadBody }
  readonly timeoutMs: number
}

export interface CallDependencies {
  readonly upstream: Upstream
  readonly userAgent: string
  readonly clock: Clock
  readonly redactor: Redactor
  /** Ends the calls of work in the background when the process ends. */
  readonly ending?: AbortSignal | undefined
}

/** A reader of an answer with a good status, chunk by chunk. */
export interface AnswerSink {
  /** Called before the bytes of an answer with a good status. */
  onHead?(headers: UpstreamHeaders): void
  /**
   * Receives a chunk. Returns false to pause the flow until its `resume` is called. An error that it throws ends the
   * call.
   */
  onData(chunk: Buffer): boolean
}

const MAX_ANSWER_BYTES = 1024 ** 2

/** Asks a provider for a JSON object. Rejects with `GatewayError`, whose message names no object of the provider. */
export async function askProvider(call: ProviderCall, dependencies: CallDependencies): Promise<JsonObject> {
  const { text } = await askForText(call, dependencies)
  const value = refuseJson(text) === undefined ? tryParseJson(text) : undefined
  if (!isJsonObject(value)) throw badAnswer('it is no JSON object')
  return value
}

export interface TextAnswer {
  readonly headers: UpstreamHeaders
  readonly text: string
}

/**
 * Asks a provider for an answer that may be empty. Rejects with `GatewayError`, whose message names no object of the
 * provider.
 */
export async function askForText(call: ProviderCall, dependencies: CallDependencies): Promise<TextAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  let headers: UpstreamHeaders = {}
  const running = callProvider(call, dependencies, {
    onHead(received) {
      headers = received
    },
    onData(chunk) {
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) throw badAnswer('it is too long')
      chunks.push(chunk)
      return true
    },
  })
  await running.done
  return { headers, text: Buffer.concat(chunks).toString('utf8') }
}

export function badAnswer(reason: string): GatewayError {
  return new GatewayError('upstream_bad_response', { logCause: `the answer cannot be read: ${reason}` })
}

export interface RunningCall {
  /** Fulfilled at the end of the answer. Rejects with `GatewayError`. */
  readonly done: Promise<void>
  resume(): void
  abort(reason: unknown): void
}

/** Makes one call. It is never repeated, since the provider may already have accepted it. */
export function callProvider(
  call: ProviderCall,
  dependencies: CallDependencies,
  sink: AnswerSink,
): RunningCall {
  const running = new ProviderCallRun(readErrorOf(call.owner), dependencies, sink)
  running.begin(writeRequest(call, dependencies.userAgent), call.timeoutMs)
  return running
}

type ReadError = CallerFormat['readError']

/** Creates the reader of errors, which are written in the channel's format. */
function readErrorOf({ candidate, provider }: FoundOwner): ReadError {
  const { format: id } = candidate.target.channel
  const format = id === 'messages' ? messagesFormat : id === 'gemini' ? geminiFormat : chatFormat
  return (answer) => provider.readError?.(answer) ?? format.readError(answer)
}

function writeRequest(call: ProviderCall, userAgent: string): UpstreamRequest {
  const { owner, method, path, isHostPath, headers: added, body, upload } = call
  const bytes = call.bytes ?? (body === undefined ? [] : [Buffer.from(JSON.stringify(body))])
  const { channel } = owner.candidate.target
  const lane = {
    path: owner.provider.endpoints?.batches?.pathOf?.(path, channel) ?? path,
    headers: { ...added, ...(upload !== undefined && { 'content-type': upload.contentType }) },
    body:
      upload === undefined
        ? ({ type: 'bytes', parts: bytes } as const)
        : ({ type: 'upload', upload: upload.body } as const),
  }
  const built = buildUpstreamRequest({ ...owner, lane, isStream: false, userAgent, onNewConnection: false })
  const request = isHostPath ? { ...built, pathAndQuery: path } : built
  if (bytes.length > 0 || upload !== undefined) return { ...request, method }
  const { 'content-type': _type, ...headers } = request.headers
  return { ...request, method, headers }
}

class ProviderCallRun implements UpstreamListener, RunningCall {
  readonly #readFailure: ReadError
  readonly #dependencies: CallDependencies
  readonly #sink: AnswerSink
  readonly #settled = Promise.withResolvers<void>()
  #flow: UpstreamFlow | undefined
  #timer: ReturnType<Clock['startTimer']> | undefined
  #status = 0
  #headers: UpstreamHeaders = {}
  #error: Buffer[] = []
  #isOver = false

  constructor(readFailure: ReadError, dependencies: CallDependencies, sink: AnswerSink) {
    this.#readFailure = readFailure
    this.#dependencies = dependencies
    this.#sink = sink
  }

  get done(): Promise<void> {
    return this.#settled.promise
  }

  begin(request: UpstreamRequest, timeoutMs: number): void {
    const { upstream, clock, ending } = this.#dependencies
    ending?.addEventListener('abort', this.#leave)
    this.#timer = clock.startTimer(timeoutMs, () => {
      const failure = failureOfTimeout(this.#status === 0 ? 'headers' : 'total')
      this.abort(new GatewayError(failure.code, { message: failure.message }))
    })
    const flow = upstream.call(request, this)
    if (this.#isOver) flow.abort()
    else this.#flow = flow
    if (ending?.aborted === true) this.#leave()
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
    if (this.#isOver || status < 200 || status > 299) return
    try {
      this.#sink.onHead?.(headers)
    } catch (error) {
      this.abort(error)
    }
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
    this.#dependencies.ending?.removeEventListener('abort', this.#leave)
    return true
  }

  readonly #leave = (): void => this.abort(new GatewayError('shutting_down'))

  #readError(): GatewayError {
    const headers = Object.fromEntries(
      Object.entries(this.#headers).map(([name, value]) => [name, [value].flat()[0]]),
    )
    const body = Buffer.concat(this.#error)
    const read = this.#readFailure({ status: this.#status, headers, body, namesStoredObjects: true })
    const words = withoutIds(this.#dependencies.redactor.redact(read.message))
    const failure = createFailure(read.code, { message: words })
    return new GatewayError(failure.code, {
      message: words,
      ...(read.retryAfterSeconds !== undefined && { retryAfterSeconds: read.retryAfterSeconds }),
      upstream: { status: this.#status },
    })
  }
}

/** The IDs of providers. No caller can use them, and no caller may see them. */
const REMOTE_ID =
  /\b(?:(?:file|batch|batch_req|req|resp|org|proj|user|msgbatch|msg|container|workspace|wrkspc)[-_]|(?:files|cachedContents)\/)[A-Za-z0-9_-]{6,}/g

/** The text of a provider without the IDs in it. */
export function withoutIds(words: string): string {
  return words.replace(REMOTE_ID, '[id]')
}
