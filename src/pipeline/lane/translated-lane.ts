import { echoReply, StreamEcho } from '../../canonical/echo-reply.ts'
import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Written } from '../../canonical/loss.ts'
import { countReplyCharacters, type Reply } from '../../canonical/reply.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { inOneStep, type Steps } from '../../kit/async/steps.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { AnswerForm, AnswerTimer } from '../../wire/answer-form.ts'
import type { StreamWriter } from '../../wire/reply-stream.ts'
import type { ConversationFormat } from '../../wire/wire-format.ts'
import { withCost } from '../exchange/answer-cost.ts'
import { callerAnswerForm, createCallerWriter } from '../exchange/create-caller-writer.ts'
import type { ConversationExchange, ForAttempt } from '../exchange/exchange.ts'
import { findBrokenCall } from '../exchange/find-broken-call.ts'
import type { AnswerFormat } from '../reasoning/restore-answers.ts'
import { createRecoverableRelay } from '../relay/recoverable-relay.ts'
import { createTranslatedRelay } from '../relay/translated-relay.ts'
import { conversationBound, type Lane, type WholeReply, wholeJson } from './lane.ts'
import { encodeWhole, findFailedUsage, readReplyBody, writeReplay } from './read-whole-reply.ts'
import { type Translation, writeTranslatedCall } from './translated-call.ts'

/**
 * Opens the lane between different formats. Every field is read into the canonical form and written from it. Losses are
 * declared.
 */
export function* openTranslatedLane(
  exchange: ForAttempt<ConversationExchange>,
  request: ChatRequest,
  translation: Translation,
): Steps<Lane> {
  exchange.recorder?.begin('translation')
  const { createdAtSeconds, clock } = translation
  const { answers, ...call } = yield* writeTranslatedCall(exchange, request, translation)
  const { echo } = request
  const { format, callerRequest } = exchange
  const timer = format.statesTimes ? { startedAtMs: callerRequest.startedAtMs, clock } : undefined
  const carried: AnswerTranslation = { exchange, answers, echo, createdAtSeconds, timer }
  return {
    ...call,
    whole: wholeJson,
    createStreamRelay(parser) {
      const reader = answers.createStreamReader()
      const { transcript, costOf } = exchange
      // An echo is written before the answer's text, and no other generation would repeat it.
      if (transcript === undefined || echo !== undefined)
        return createTranslatedRelay({
          reader,
          writer: createWriter(carried),
          createdAtSeconds,
          costOf,
          parser,
        })
      return createRecoverableRelay({ reader, transcript, createdAtSeconds, costOf, parser })
    },
    answerHeaders: [],
    answerBound: conversationBound,
    readWhole: (body, replaysAsStream) =>
      replaysAsStream ? replaySteps(carried, body) : readSteps(carried, body),
    findFailedUsage: (body) => findFailedUsage(translation.format, body),
  }
}

/** The parts that turn an answer in the channel's format into one in the caller's format. */
interface AnswerTranslation {
  readonly exchange: ForAttempt<ConversationExchange>
  readonly answers: AnswerFormat
  /** The text that is written before the answer's text. */
  readonly echo: string | undefined
  readonly createdAtSeconds: number
  /** Undefined where the caller's format states no times. */
  readonly timer: AnswerTimer | undefined
}

function createWriter({ exchange, echo, timer }: AnswerTranslation): StreamWriter {
  const { callerRequest, scanned, format, recorder, costOf } = exchange
  const { requestId } = callerRequest
  const showsCost = costOf !== undefined
  const writer = createCallerWriter({
    format,
    scanned,
    requestId,
    recorder,
    timer,
    isSparse: false,
    showsCost,
  })
  return echo === undefined ? writer : new EchoingWriter(writer, echo)
}

function* readSteps(
  { exchange, answers, echo, createdAtSeconds, timer }: AnswerTranslation,
  body: Buffer,
): Steps<WholeReply | Failure> {
  const { scanned, format, recorder } = exchange
  const reply = yield* readReplyBody(answers, body)
  if (isFailure(reply)) return reply
  yield
  const dated = { createdAtSeconds, ...echoReply(reply, echo) }
  const form = callerAnswerForm({ format, scanned, recorder, timer })
  const { value, losses } = yield* writeInSteps(format, dated, form)
  const broken = findBrokenCall(reply, losses)
  if (broken !== undefined) return broken
  yield
  if (recorder?.form !== undefined) recorder.record(value)
  yield
  const { usage, serviceTier: servedTier } = reply
  const priced = withCost(value, exchange, { usage, servedTier })
  const shownCharacters = countReplyCharacters(reply)
  return { body: yield* encodeWhole(priced), usage, servedTier, losses, shownCharacters }
}

function* replaySteps(translation: AnswerTranslation, body: Buffer): Steps<WholeReply | Failure> {
  const reply = yield* readReplyBody(translation.answers, body)
  if (isFailure(reply)) return reply
  const { exchange, createdAtSeconds } = translation
  const replay = { writer: createWriter(translation), costOf: exchange.costOf }
  return yield* writeReplay({ createdAtSeconds, ...reply }, replay)
}

function writeInSteps(
  format: ConversationFormat,
  reply: Reply,
  form: AnswerForm,
): Steps<Written<JsonObject>> {
  return format.writeReplyInSteps?.(reply, form) ?? inOneStep(() => format.writeReply(reply, form))
}

/** A writer that puts this text before the text of each choice. */
class EchoingWriter implements StreamWriter {
  readonly #writer: StreamWriter
  readonly #echo: StreamEcho

  constructor(writer: StreamWriter, text: string) {
    this.#writer = writer
    this.#echo = new StreamEcho(text)
  }

  get keepsText() {
    return this.#writer.keepsText
  }

  get losses() {
    return this.#writer.losses
  }

  push(event: ReplyEvent): string {
    let output = ''
    for (const each of this.#echo.push(event)) output += this.#writer.push(each)
    return output
  }
}
