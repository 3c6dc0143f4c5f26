import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Target } from '../../catalog/catalog.ts'
import { dialectOf } from '../../providers/dialect-of.ts'
import type { Provider } from '../../providers/provider.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import { findStatedUsage } from '../../wire/openai/values/read-usage.ts'
import type { ChannelFormat, ConversationFormat, UpstreamError } from '../../wire/wire-format.ts'
import { createCallerWriter } from '../exchange/create-caller-writer.ts'
import type { ConversationExchange } from '../exchange/exchange.ts'
import type { RecordedTarget, ResponseRecorder } from '../exchange/response-recorder.ts'
import { runToEnd, type Steps } from '../relay/answer-steps.ts'
import { createRecoverableRelay } from '../relay/recoverable-relay.ts'
import type { StreamRelay } from '../relay/stream-relay.ts'
import { createVerbatimRelay } from '../relay/verbatim-relay.ts'
import type { Lane, WholeReply } from './lane.ts'
import { parseWatchedInSteps, readBody, writeReplay } from './read-whole-reply.ts'
import { recordVerbatim, recordWhole } from './record-verbatim.ts'
import { type VerbatimCall, writeVerbatimCall } from './verbatim-call.ts'

export interface VerbatimInput {
  readonly target: Target
  readonly provider: Provider
  /** How streams of the channel are read where they must be understood; undefined where nobody can. */
  readonly channelFormat: ChannelFormat | undefined
  readonly createdAtSeconds: number
  /** By whom the answer is made; asked where it is recorded. */
  readonly recordedTarget: () => RecordedTarget
}

/** Same format in and out: the caller's bytes go up and the channel's come down, save what must change. */
export function openVerbatimLane(exchange: ConversationExchange, input: VerbatimInput): Lane {
  return new VerbatimLane(exchange, input)
}

class VerbatimLane implements Lane {
  /** An answer that may have to be made whole by another is read and written anew. */
  readonly kind: Lane['kind']
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: readonly Buffer[]
  readonly answerHeaders: readonly string[] | undefined
  readonly losses: readonly Loss[] = []
  readonly #call: VerbatimCall
  readonly #exchange: ConversationExchange
  readonly #input: VerbatimInput
  readonly #format: ConversationFormat
  readonly #addsUsage: boolean
  readonly #recorder: ResponseRecorder | undefined

  constructor(exchange: ConversationExchange, input: VerbatimInput) {
    const { scanned, format, recorder } = exchange
    const { target, provider, recordedTarget } = input
    const addsUsage =
      scanned.stream &&
      dialectOf(provider, target).streamUsageOption === true &&
      !format.asksForUsage(scanned)
    const call = writeVerbatimCall(exchange, { target, provider }, addsUsage)
    const isRewritten = exchange.transcript !== undefined && input.channelFormat !== undefined
    this.kind = isRewritten ? 'translated' : 'verbatim'
    this.path = call.path
    this.headers = call.headers
    this.body = call.body
    this.answerHeaders = call.answerHeaders
    this.#call = call
    this.#exchange = exchange
    this.#input = input
    this.#addsUsage = addsUsage
    recorder?.begin(recordedTarget())
    this.#recorder = recorder
    this.#format = recorder === undefined ? format : recordVerbatim(format, recorder)
  }

  readError(answer: UpstreamError): Failure {
    return this.#call.readError(answer)
  }

  createStreamRelay(parser: FrameParser): StreamRelay {
    const { channelFormat, createdAtSeconds } = this.#input
    const { transcript } = this.#exchange
    if (transcript === undefined || channelFormat === undefined)
      return createVerbatimRelay(this.#format, this.#addsUsage, parser)
    const reader = channelFormat.createStreamReader()
    const statedUsageOf = this.#format.id === 'chat' ? findStatedUsage : undefined
    return createRecoverableRelay({ reader, transcript, createdAtSeconds, parser, statedUsageOf })
  }

  readWhole(body: Buffer): WholeReply | Failure {
    return runToEnd(this.#readSteps(body))
  }

  replayWhole(body: Buffer): WholeReply | Failure {
    return runToEnd(this.#replaySteps(body))
  }

  wholeSteps(body: Buffer, asStream: boolean): Steps<WholeReply | Failure> {
    return asStream ? this.#replaySteps(body) : this.#readSteps(body)
  }

  *#readSteps(body: Buffer): Steps<WholeReply | Failure> {
    const parsed = yield* parseWatchedInSteps(body)
    if (isFailure(parsed)) return parsed
    yield
    const { failure, usage } = this.#format.watchReply(parsed.json)
    if (failure !== undefined) return failure
    yield
    const recorder = this.#recorder
    const named = recorder === undefined ? body : recordWhole(body, parsed.json, recorder)
    return { body: named, usage, losses: [] }
  }

  *#replaySteps(body: Buffer): Steps<WholeReply | Failure> {
    const format = this.#format
    const reply = yield* readBody(format, body)
    if (isFailure(reply)) return reply
    const { scanned, callerRequest, recorder } = this.#exchange
    const { requestId } = callerRequest
    return yield* writeReplay(reply, createCallerWriter({ format, scanned, requestId, recorder }))
  }
}
