// Fills the port through which certifications call channels. A canonical request becomes a caller's request in the
// channel's own format and goes through the pipeline to only that channel. Its answer is converted back to the
// canonical form.
import { describeInternalCaller } from '../../access/internal-caller.ts'
import type {
  CallChannel,
  CallOutcome,
  CertifiedTarget,
  ChannelCall,
  ChannelCallContext,
  ObservedCall,
} from '../../admin/certification/call-channel.ts'
import { GatewayError, isFailure } from '../../canonical/failure.ts'
import { createReplyFold } from '../../canonical/fold-reply.ts'
import { isContent } from '../../canonical/reply-event.ts'
import type { CatalogSource, Target } from '../../catalog/catalog.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import { dialectOf } from '../../providers/registry.ts'
import type { RequestRow } from '../../telemetry/observer.ts'
import { defaultDialect } from '../../wire/dialect.ts'
import type { WireFormat } from '../../wire/wire-format.ts'
import { callerFormats, channelFormats } from '../formats.ts'
import { type ArrivedBytes, ObservingSink } from './observing-sink.ts'
import { readVectors } from './read-vectors.ts'
import { type InternalRequest, type InternalSender, sendInternally } from './send-internally.ts'

export interface CallChannelOptions extends InternalSender {
  readonly catalog: CatalogSource
  readonly providers: ProviderRegistry
  /** Removes the secrets of channels from a text. */
  readonly redact: (text: string) => string
  /** The path under which requests to a channel are logged. */
  readonly pathOf: (channel: string) => string
}

export function createCallChannel(options: CallChannelOptions): CallChannel {
  return async (call, context) => {
    try {
      const written = writeCall(call, findTarget(context.target, options), options)
      return written.type === 'not-offered'
        ? unsent(written)
        : await observe(call, { context, written }, options)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      const { code, message } = error.failure
      return unsent({ type: 'failed', code, message, upstreamStatus: undefined })
    }
  }
}

/** A call in the form of a caller's request. */
interface WrittenCall extends Pick<InternalRequest, 'format' | 'body' | 'terms'> {
  readonly type: 'written'
  /** The format of the answer. */
  readonly answerFormat: WireFormat
}

type NotOffered = Extract<CallOutcome, { readonly type: 'not-offered' }>

const noEndpoint: NotOffered = { type: 'not-offered', losses: [] }

function unsent(outcome: CallOutcome): ObservedCall {
  return { requestId: undefined, outcome, usage: undefined, cost: undefined, totalMs: 0 }
}

function findTarget({ channel, upstreamModel, model }: CertifiedTarget, options: CallChannelOptions): Target {
  const route = options.catalog.current().findRoute(model)
  const target = route?.targets.find(
    (each) => each.channel.name === channel && each.upstreamModel === upstreamModel,
  )
  if (target === undefined) throw new GatewayError('model_not_found', { param: 'model' })
  return target
}

function writeCall(call: ChannelCall, target: Target, options: CallChannelOptions): WrittenCall | NotOffered {
  switch (call.type) {
    case 'conversation':
      return writeConversation(call, target, options)
    case 'embedding':
      return {
        type: 'written',
        format: callerFormats.embeddings,
        answerFormat: channelFormats.chat,
        body: { input: [...call.texts], encoding_format: 'float' },
      }
    case 'token-count':
      return writeCount(call, target, options)
  }
}

/**
 * Channels in the formats of Cohere and Bedrock are called in the messages format, which is the most expressive format
 * of callers. Features that the channel's own format lacks are detected before anything is sent.
 */
const carrier = { ...defaultDialect, cacheMarks: true, reasoning: 'effort' } as const

function writeConversation(
  { request, needs, needsExactly }: Extract<ChannelCall, { readonly type: 'conversation' }>,
  target: Target,
  { providers }: CallChannelOptions,
): WrittenCall | NotOffered {
  const { channel, upstreamModel: model } = target
  const provider = providers.find(channel.provider)
  if (provider === undefined) return noEndpoint
  const fullRequest = { ...request, model }
  const own = { model, dialect: dialectOf(provider, target) }
  const written = channelFormats[channel.format].writeRequest(fullRequest, own)
  const lost = written.losses.filter(
    ({ feature, kind }) =>
      (kind === 'dropped' && needs.includes(feature)) ||
      (kind !== 'defaulted' && needsExactly.includes(feature)),
  )
  if (lost.length > 0) return { type: 'not-offered', losses: lost }
  const isCarried = channel.format === 'cohere' || channel.format === 'converse'
  const format = isCarried ? channelFormats.messages : channelFormats[channel.format]
  const body = isCarried ? format.writeRequest(fullRequest, { model, dialect: carrier }).value : written.value
  return { type: 'written', format, answerFormat: format, body, ...termsOf(format, request.stream) }
}

/** Gemini's callers send the model in the path. All others send it in the body. */
function termsOf(format: WireFormat, isStream: boolean) {
  return format.id === 'gemini' ? { terms: { model: '', isStream } } : {}
}

const countedFields = ['messages', 'system', 'contents'] as const

/**
 * Writes a request for a token count. Channels of other formats than messages and Gemini cannot count tokens without an
 * answer.
 */
function writeCount(
  { request }: Extract<ChannelCall, { readonly type: 'token-count' }>,
  target: Target,
  options: CallChannelOptions,
): WrittenCall | NotOffered {
  const { format } = target.channel
  if (format !== 'messages' && format !== 'gemini') return noEndpoint
  const written = writeConversation(
    { type: 'conversation', request, needs: [], needsExactly: [] },
    target,
    options,
  )
  if (written.type === 'not-offered') return written
  const counted = Object.fromEntries(
    countedFields.flatMap((name) => (written.body[name] === undefined ? [] : [[name, written.body[name]]])),
  )
  const counting = format === 'gemini' ? 'gemini-count-tokens' : 'count-tokens'
  return { ...written, format: callerFormats[counting], body: counted }
}

interface SentCall {
  readonly context: ChannelCallContext
  readonly written: WrittenCall
}

async function observe(
  call: ChannelCall,
  { context, written }: SentCall,
  options: CallChannelOptions,
): Promise<ObservedCall> {
  const { target, operator, signal } = context
  const { format, body, terms } = written
  using sink = new ObservingSink(options.clock, signal)
  const startedAtMs = options.clock.monotonicMs()
  const row = await sendInternally(
    {
      caller: describeInternalCaller({
        purpose: 'certification',
        user: operator.user,
        group: undefined,
        permission: { type: 'all' },
      }),
      address: operator.address,
      format,
      path: options.pathOf(target.channel),
      body: terms === undefined ? { ...body, model: target.model } : body,
      terms: terms && { ...terms, model: target.model },
      pin: { channel: target.channel, upstreamModel: target.upstreamModel, isTrial: true },
    },
    sink,
    options,
  )
  const outcome = readOutcome(call, { row, sink, written, startedAtMs, isCancelled: signal.aborted })
  return {
    requestId: row.requestId,
    usage: row.usage,
    cost: row.cost,
    totalMs: row.totalMs,
    outcome: outcome.type === 'failed' ? { ...outcome, message: options.redact(outcome.message) } : outcome,
  }
}

interface AnsweredCall {
  readonly row: RequestRow
  readonly sink: ObservingSink
  readonly written: WrittenCall
  readonly startedAtMs: number
  readonly isCancelled: boolean
}

function readOutcome(call: ChannelCall, answered: AnsweredCall): CallOutcome {
  const { row, sink, written, startedAtMs, isCancelled } = answered
  if (isCancelled) return { type: 'cancelled' }
  const json = call.type === 'conversation' && row.isStream ? undefined : parseWhole(sink.arrived)
  if (row.error !== undefined || (sink.status ?? 0) >= 400) return readFailed(answered, json)
  switch (call.type) {
    case 'conversation':
      return row.isStream
        ? readStream(sink.arrived, written.answerFormat, startedAtMs)
        : readReply(json, written.answerFormat)
    case 'embedding':
      return readVectors(json) ?? unreadable
    case 'token-count':
      // Without an attempt, the provider has no endpoint and Headgate itself has counted the tokens.
      return row.attempts.length === 0 ? noEndpoint : readCount(json)
  }
}

const unreadable: CallOutcome = {
  type: 'failed',
  code: 'upstream_bad_response',
  message: 'The answer could not be read.',
  upstreamStatus: 200,
}

function parseWhole(arrived: readonly ArrivedBytes[]): JsonObject | undefined {
  const value = tryParseJson(Buffer.concat(arrived.map(({ bytes }) => bytes)).toString('utf8'))
  return isJsonObject(value) ? value : undefined
}

/** The message of the upstream is preferred, since it shows the problem of the channel. */
function readFailed({ row, isCancelled }: AnsweredCall, json: JsonObject | undefined): CallOutcome {
  if (isCancelled) return { type: 'cancelled' }
  const attempt = row.attempts.at(-1)
  const { error } = json ?? {}
  const stated = isJsonObject(error) && typeof error['message'] === 'string' ? error['message'] : undefined
  return {
    type: 'failed',
    code: row.error ?? 'internal_error',
    message: attempt?.cause ?? stated ?? row.cause ?? '',
    upstreamStatus: attempt?.upstreamStatus,
  }
}

function readReply(json: JsonObject | undefined, format: WireFormat): CallOutcome {
  const reply = format.readReply(json ?? {})
  return isFailure(reply)
    ? { type: 'failed', code: reply.code, message: reply.message, upstreamStatus: 200 }
    : { type: 'reply', reply, stream: undefined }
}

function readStream(arrived: readonly ArrivedBytes[], format: WireFormat, startedAtMs: number): CallOutcome {
  const parser = createSseParser()
  const reader = format.createStreamReader()
  const fold = createReplyFold()
  const contentAtMs: number[] = []
  for (const { bytes, atMs } of arrived) {
    for (const event of parser.push(bytes).flatMap((frame) => reader.push(frame))) {
      fold.push(event)
      if (isContent(event) && event.type !== 'choice-end') contentAtMs.push(atMs - startedAtMs)
    }
  }
  for (const event of reader.end()) fold.push(event)
  const reply = fold.result()
  return isFailure(reply)
    ? { type: 'failed', code: reply.code, message: reply.message, upstreamStatus: 200 }
    : { type: 'reply', reply, stream: { contentAtMs } }
}

function readCount(json: JsonObject | undefined): CallOutcome {
  const { input_tokens: ofMessages, totalTokens: ofGemini } = json ?? {}
  const inputTokens = ofMessages ?? ofGemini
  return typeof inputTokens === 'number' ? { type: 'count', inputTokens } : unreadable
}
