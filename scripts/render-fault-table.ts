import type { ErrorCode } from '../src/canonical/error-table.ts'
import { createFailure } from '../src/canonical/failure.ts'
import type { JsonValue } from '../src/kit/json/json.ts'
import { judgeFailure } from '../src/routing/judge-failure.ts'
import { readReply as readChatReply } from '../src/wire/chat/reply/read-reply.ts'
import { readError as readChatError } from '../src/wire/errors/read-error.ts'
import { readError as readMessagesError } from '../src/wire/messages/errors/read-error.ts'
import { readReply as readMessagesReply } from '../src/wire/messages/reply/read-reply.ts'
import { renderTable } from './render-table.ts'

/** A sample of an answer, in the words of the providers of the two formats. */
interface FaultSample {
  readonly fault: string
  readonly says: string
  readonly status: number
  readonly chat: JsonValue
  readonly messages: JsonValue
}

const chatError = (
  message: string,
  code: string | null = null,
  type = 'invalid_request_error',
): JsonValue => ({
  error: { message, type, param: null, code },
})
const messagesError = (type: string, message: string): JsonValue => ({
  type: 'error',
  error: { type, message },
})

const samples: readonly FaultSample[] = [
  {
    fault: 'F12',
    says: 'an error in the body of a 200: judged by its own words, here a rate limit',
    status: 200,
    chat: chatError('Rate limit reached', 'rate_limit_exceeded', 'rate_limit_error'),
    messages: messagesError('rate_limit_error', 'Rate limit reached'),
  },
  {
    fault: 'F13',
    says: '429, too many requests',
    status: 429,
    chat: chatError('Rate limit reached for requests', 'rate_limit_exceeded', 'requests'),
    messages: messagesError('rate_limit_error', 'Number of requests has exceeded your rate limit'),
  },
  {
    fault: 'F14',
    says: '429 or 402, our account is out of credit',
    status: 429,
    chat: chatError('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'),
    messages: messagesError('billing_error', 'Your credit balance is too low'),
  },
  {
    fault: 'F15',
    says: '500, 502, 520 and their like',
    status: 500,
    chat: chatError('The server had an error', null, 'server_error'),
    messages: messagesError('api_error', 'Internal server error'),
  },
  {
    fault: 'F16',
    says: '503 or 529, overloaded',
    status: 529,
    chat: chatError('The engine is currently overloaded', null, 'server_error'),
    messages: messagesError('overloaded_error', 'Overloaded'),
  },
  {
    fault: 'F17',
    says: '401 or 403, our own credential is refused',
    status: 401,
    chat: chatError('Incorrect API key provided', 'invalid_api_key'),
    messages: messagesError('authentication_error', 'invalid x-api-key'),
  },
  {
    fault: 'F18',
    says: '404, the model or deployment is not there',
    status: 404,
    chat: chatError('The model `m` does not exist', 'model_not_found'),
    messages: messagesError('not_found_error', 'model: m'),
  },
  {
    fault: 'F19',
    says: '400, longer than the context window',
    status: 400,
    chat: chatError("This model's maximum context length is 8192 tokens", 'context_length_exceeded'),
    messages: messagesError('invalid_request_error', 'prompt is too long: 9000 tokens > 8192 maximum'),
  },
  {
    fault: 'F20',
    says: '400 or 422, anything else in the request',
    status: 400,
    chat: chatError('temperature must be at most 2'),
    messages: messagesError('invalid_request_error', 'temperature: range: 0..1'),
  },
  {
    fault: 'F21',
    says: '413, the body is too large',
    status: 413,
    chat: chatError('Request entity too large'),
    messages: messagesError('request_too_large', 'Request exceeds the maximum size'),
  },
  {
    fault: 'F22',
    says: '400, refused under the content policy',
    status: 400,
    chat: chatError('The response was filtered by the content management policy', 'content_filter'),
    messages: messagesError('invalid_request_error', 'Output blocked by content filtering policy'),
  },
]

/** Each fault with the code that our own readers give its samples. */
export function renderFaultTable(): string {
  const rows = samples.map((sample) => {
    const codes = [...new Set(codesOf(sample))]
    const verdicts = codes.map((code) => judgeFailure(createFailure(code)).next)
    const isTriedElsewhere = verdicts.every((next) => next === 'elsewhere')
    return [
      sample.fault,
      sample.says,
      codes.map((code) => `\`${code}\``).join(', '),
      isTriedElsewhere ? 'yes' : 'no',
    ]
  })
  return renderTable(['Fault', 'The provider answers', 'Code', 'Another target is tried'], rows)
}

function codesOf({ status, chat, messages }: FaultSample): readonly ErrorCode[] {
  const answer = (body: JsonValue) => ({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) })
  const outcomes =
    status === 200
      ? [readChatReply(chat), readMessagesReply(messages)]
      : [readChatError(answer(chat)), readMessagesError(answer(messages))]
  return outcomes.map((outcome) => {
    if ('code' in outcome) return outcome.code
    throw new Error('the sample of a fault was read as a good answer')
  })
}
