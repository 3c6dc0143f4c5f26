import { type Failure, GatewayError, isFailure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import { countReplyCharacters } from '../../canonical/reply.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import type { Provider } from '../../providers/provider.ts'
import { dialectOf, pathOf } from '../../providers/registry.ts'
import type { Dialect } from '../../wire/dialect.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import type { CapChange, ChannelFormat, ConversationFormat, UpstreamError } from '../../wire/wire-format.ts'
import { showCost } from '../exchange/answer-cost.ts'
import { createCallerWriter } from '../exchange/create-caller-writer.ts'
import type { ConversationExchange, Exchange, ForAttempt } from '../exchange/exchange.ts'
import type { RecordedTarget, ResponseRecorder } from '../exchange/response-recorder.ts'
import { renameInError } from '../references/restrict-to-holder.ts'
import { createRecoverableRelay } from '../relay/recoverable-relay.ts'
import type { StreamRelay } from '../relay/stream-relay.ts'
import { createVerbatimRelay } from '../relay/verbatim-relay.ts'
import { conversationBound, type FailedUsage, type Lane, type WholeReply, wholeJson } from './lane.ts'
import { findFailedUsage, parseWatchedInSteps, readReplyBody, writeReplay } from './read-whole-reply.ts'
import { recordVerbatim, recordWhole } from './record-verbatim.ts'

export interface VerbatimInput {
  readonly target: Target
  readonly provider: Provider
  /** Reads the channel's streams where their content is needed; undefined where the format has no reader. */
  readonly channelFormat: ChannelFormat | undefined
  readonly createdAtSeconds: number
  /** The target that made the answer. Called where the answer is recorded. */
  readonly recordedTarget: () => RecordedTarget
}

/**
 * Opens the lane between equal formats. The caller's bytes and the channel's bytes are passed on, except for what has
 * to change.
 */
export function openVerbatimLane(exchange: ForAttempt<ConversationExchange>, input: VerbatimInput): Lane {
  return new VerbatimLane(exchange, input)
}

class VerbatimLane implements Lane {
  /** An answer that another answer may have to complete is read and written again. */
  readonly kind: Lane['kind']
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Lane['body']
  readonly answerHeaders: readonly string[]
  readonly answerBound = conversationBound
  readonly whole = wholeJson
  readonly losses: readonly Loss[]
  readonly #call: VerbatimCall
  readonly #exchange: ForAttempt<ConversationExchange>
  readonly #input: VerbatimInput
  readonly #format: ConversationFormat
  readonly #addsUsage: boolean
  readonly #recorder: ResponseRecorder | undefined

  constructor(exchange: ForAttempt<ConversationExchange>, input: VerbatimInput) {
    const { scanned, format, recorder } = exchange
    const { target, provider, recordedTarget } = input
    const addsUsage =
      scanned.isStream &&
      dialectOf(provider, target).streamUsageOption === true &&
      !format.asksForUsage(scanned)
    const call = writeVerbatimCall(exchange, { target, provider, askForUsage: addsUsage })
    const isRewritten = exchange.transcript !== undefined && input.channelFormat !== undefined
    this.kind = isRewritten ? 'translated' : 'verbatim'
    this.path = call.path
    this.headers = call.headers
    this.body = call.body
    this.answerHeaders = call.answerHeaders
    this.losses = call.losses
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
    const { transcript, costOf } = this.#exchange
    if (transcript === undefined || channelFormat === undefined)
      return createVerbatimRelay(this.#format, {
        stripsUsage: this.#addsUsage && costOf === undefined,
        parser,
        costOf,
      })
    const reader = channelFormat.createStreamReader()
    const { findStatedUsage: statedUsageOf } = this.#format
    return createRecoverableRelay({ reader, transcript, createdAtSeconds, parser, statedUsageOf, costOf })
  }

  readWhole(body: Buffer, replaysAsStream: boolean): Steps<WholeReply | Failure> {
    return replaysAsStream ? this.#replaySteps(body) : this.#readSteps(body)
  }

  findFailedUsage(body: Buffer): FailedUsage {
    return findFailedUsage(this.#exchange.format, body)
  }

  *#readSteps(body: Buffer): Steps<WholeReply | Failure> {
    const parsed = yield* parseWatchedInSteps(body)
    if (isFailure(parsed)) return parsed
    yield
    const { failure, usage, servedTier } = this.#format.watchReply(parsed.json)
    if (failure !== undefined) return failure
    yield
    const recorder = this.#recorder
    const named = recorder === undefined ? body : recordWhole(body, parsed.json, recorder)
    yield
    const priced = showCost(named, this.#exchange, { usage, servedTier })
    const whole = { body: priced, usage, servedTier, losses: [] }
    if (usage?.isEstimated === false && usage.outputTokens > 0) return whole
    return { ...whole, shownCharacters: yield* this.#countCharacters(parsed.json, body.length) }
  }

  /**
   * Counts the characters of an answer whose usage does not state the output. An answer that cannot be read has as many
   * as its body, and one without content, such as a response in the background, has none.
   */
  *#countCharacters(answer: JsonValue, length: number): Steps<number> {
    const reply = yield* this.#format.readReplyInSteps(answer)
    if (!isFailure(reply)) return countReplyCharacters(reply)
    return reply.code === 'upstream_empty' ? 0 : length
  }

  *#replaySteps(body: Buffer): Steps<WholeReply | Failure> {
    const format = this.#format
    const reply = yield* readReplyBody(format, body)
    if (isFailure(reply)) return reply
    const { scanned, callerRequest, recorder, costOf } = this.#exchange
    const { requestId } = callerRequest
    const showsCost = costOf !== undefined
    const writer = createCallerWriter({ format, scanned, requestId, recorder, isSparse: false, showsCost })
    return yield* writeReplay(reply, { writer, costOf })
  }
}

export type VerbatimCall = Pick<
  Lane,
  'kind' | 'path' | 'headers' | 'body' | 'answerHeaders' | 'losses' | 'readError'
>

export interface VerbatimCallOptions {
  readonly target: Target
  readonly provider: Provider
  /** Whether to ask the provider for the usage of a stream, which the caller did not ask for. */
  readonly askForUsage?: boolean
}

/**
 * Writes the call that sends the caller's own bytes to a channel of their format. `openLane` has refused the fields
 * that lead past the gateway's checks.
 */
export function writeVerbatimCall(
  exchange: ForAttempt<Exchange>,
  { target, provider, askForUsage = false }: VerbatimCallOptions,
): VerbatimCall {
  const { callerRequest, scanned, format } = exchange
  const { edits: capEdits, losses } = capOutput(exchange, dialectOf(provider, target))
  const previousResponseId = previousIdOf(exchange)
  const query = provider.pathOf === undefined ? (format.forwardQuery?.(callerRequest.query) ?? '') : ''
  const forwarded = forwardHeaders(callerRequest.headers, format, provider)
  const { channel, upstreamModel: model } = target
  const call = { operation: format.id, channel, headers: forwarded }
  const { body: shape, headers = forwarded } = provider.shapeOf?.(call) ?? {}
  return {
    kind: 'verbatim',
    path: pathOf(provider, format, { ...target, isStream: scanned.isStream }) + query,
    headers,
    body: {
      type: 'bytes',
      parts: format.spliceRequest(scanned, { model, askForUsage, shape, previousResponseId, capEdits }),
    },
    answerHeaders: provider.answerHeaders ?? noNames,
    losses,
    readError(answer) {
      const shown = renameInError(answer, callerRequest)
      return provider.readError?.(shown) ?? format.readError(shown)
    },
  }
}

function previousIdOf(exchange: ForAttempt<Exchange>): string | undefined {
  if (exchange.kind !== 'conversation' || exchange.source.type !== 'caller') return undefined
  return exchange.source.upstreamPreviousId
}

const uncapped: CapChange = { edits: [], losses: [] }

function capOutput(exchange: ForAttempt<Exchange>, dialect: Dialect): CapChange {
  const { maxOutputTokens: tokens, isStrict } = exchange
  if (tokens === undefined || exchange.kind !== 'conversation') return uncapped
  const { format, scanned } = exchange
  const change = format.setOutputCap(scanned, { tokens, dialect })
  const [lost] = change.losses
  if (!isStrict || lost === undefined) return change
  const param = format.paramOf(lost)
  throw new GatewayError('cannot_be_carried', {
    param,
    message: `The budgets of this key leave ${tokens} tokens of output, too few for "${param}", and the request asked for strict translation. Leave the field out, or send the request without "x-headgate-strict".`,
  })
}

/**
 * The caller's headers that may be passed on. Only names on the lists of the format and of the provider are passed on.
 */
function forwardHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  format: Pick<Exchange['format'], 'forwardedHeaders'>,
  provider: Provider,
): Record<string, string> {
  const forwarded: Record<string, string> = {}
  const ownOfConnection = namesOfConnection(headers['connection'])
  for (const names of [format.forwardedHeaders, provider.forwardHeaders ?? noNames])
    for (const name of names) {
      if (ownOfConnection.includes(name)) continue
      const value = headers[name]
      if (typeof value === 'string') forwarded[name] = value
      else if (value !== undefined) forwarded[name] = value.join(', ')
    }
  return forwarded
}

const noNames: readonly string[] = []

/** The headers that `connection` names. They are only for this hop (RFC 9110 §7.6.1). */
function namesOfConnection(header: string | string[] | undefined): readonly string[] {
  if (header === undefined || header === 'keep-alive') return noNames
  return String(header)
    .split(',')
    .map((name) => name.trim().toLowerCase())
}
