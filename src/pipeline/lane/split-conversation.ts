import { echoReply } from '../../canonical/echo-reply.ts'
import { createFailure, type Failure, GatewayError, isFailure } from '../../canonical/failure.ts'
import { countReplyCharacters, joinReplies, type Reply } from '../../canonical/reply.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Steps } from '../../kit/async/steps.ts'
import { stringifyInSteps } from '../../kit/json/stringify-in-steps.ts'
import { withCost } from '../exchange/answer-cost.ts'
import type { ConversationExchange, ForAttempt } from '../exchange/exchange.ts'
import type { AnswerFormat } from '../reasoning/restore-answers.ts'
import type { Lane, SplitLane, WholeReply } from './lane.ts'
import { readReplyBody } from './read-whole-reply.ts'
import { type Translation, writeTranslatedCall } from './translated-call.ts'
import { createWholeLane } from './whole-lane.ts'

/**
 * Opens one call for each request of the body, and one answer with all their choices. Throws if a stream is asked for.
 */
export function* openSplitConversation(
  exchange: ForAttempt<ConversationExchange>,
  requests: readonly ChatRequest[],
  translation: Translation,
): Steps<SplitLane> {
  if (exchange.scanned.isStream) throw severalInStream(requests.length)
  const replies: Reply[] = []
  const lanes: Lane[] = []
  for (const [index, request] of requests.entries()) {
    const { answers, ...call } = yield* writeTranslatedCall(exchange, request, translation)
    const add = (reply: Reply) => {
      replies[index] = reply
    }
    lanes.push(createWholeLane(call, (body) => readPart(body, { answers, request, add })))
    yield
  }
  return {
    lanes,
    losses: lanes[0]?.losses ?? [],
    join: () => joinParts(replies, exchange, translation),
  }
}

interface PartReading {
  readonly answers: AnswerFormat
  readonly request: ChatRequest
  readonly add: (reply: Reply) => void
}

function* readPart(body: Buffer, { answers, request, add }: PartReading): Steps<WholeReply | Failure> {
  const reply = yield* readReplyBody(answers, body)
  if (isFailure(reply)) return reply
  if (reply.choices.length !== (request.choices ?? 1)) return wrongCount()
  add(echoReply(reply, request.echo))
  return { body: '', usage: reply.usage, losses: [], shownCharacters: countReplyCharacters(reply) }
}

function* joinParts(
  replies: readonly Reply[],
  exchange: ForAttempt<ConversationExchange>,
  { createdAtSeconds }: Translation,
): Steps<WholeReply | Failure> {
  const [first, ...others] = replies
  if (first === undefined) return createFailure('upstream_empty')
  const reply = { createdAtSeconds, ...joinReplies(first, others) }
  const { value, losses } = exchange.format.writeReply(reply)
  yield
  const { usage, serviceTier: servedTier } = reply
  const priced = withCost(value, exchange, { usage, servedTier })
  return { body: yield* stringifyInSteps(priced), usage, servedTier, losses }
}

/**
 * The failure of a wrong number of answers. Callers tell the answers of one prompt from those of the next by their
 * count, so none may be missing.
 */
function wrongCount(): Failure {
  const message = 'The model provider gave another number of answers than it was asked for.'
  return createFailure('upstream_bad_response', { message })
}

function severalInStream(count: number): GatewayError {
  return new GatewayError('cannot_be_carried', {
    param: 'prompt',
    message: `The channel for this model takes one prompt a call, so ${count} prompts cannot be answered in one stream. Send them one by one, or without "stream".`,
  })
}
