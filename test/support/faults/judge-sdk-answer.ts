import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { testKey } from '../start-gateway.ts'
import { type ExpectedCode, expectedCodes } from './expected-codes.ts'
import { statusOf, writeHealthyText } from './judge-raw-answer.ts'
import type { FaultCase } from './list-fault-cases.ts'

/** The answer as an official client saw it. */
interface Seen {
  readonly text: string
  readonly error: unknown
  /** The first call and the client's own repeats. */
  readonly calls: number
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>
type Client = { readonly url: string; readonly fetch: Fetch }

const messages = [{ role: 'user' as const, content: 'Hi' }]

/** The differences from the expectation in what the caller's official client does; empty where there are none. */
export async function judgeSdkAnswer(one: FaultCase, url: string): Promise<readonly string[]> {
  const seen = await askBySdk(one, url)
  const problems = problemsOf(one, seen)
  return problems.length === 0
    ? []
    : [...problems, `it came: ${seen.calls} calls, ${seen.text}, ${String(seen.error)}`]
}

/**
 * One repeat is allowed, and it is not sent: the client gets the first error again. That it waits for as long as
 * `retry-after` says is its own business; here it need not.
 */
async function askBySdk(one: FaultCase, url: string): Promise<Seen> {
  let calls = 0
  let first: (() => Response) | undefined
  const send: Fetch = async (input, init) => {
    calls += 1
    if (first !== undefined) return first()
    const answer = await fetch(input, init)
    if (answer.ok) return answer
    const headers = new Headers(answer.headers)
    headers.set('retry-after-ms', '1')
    const body = await answer.arrayBuffer()
    first = () => new Response(body, { status: answer.status, headers })
    return first()
  }
  let text = ''
  try {
    const pieces =
      one.caller === 'chat' ? askChat(one, { url, fetch: send }) : askMessages(one, { url, fetch: send })
    for await (const piece of pieces) text += piece
    return { text, error: undefined, calls }
  } catch (error) {
    return { text, error, calls }
  }
}

async function* askChat({ model, form }: FaultCase, { url, fetch }: Client): AsyncGenerator<string> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testKey, maxRetries: 1, fetch })
  if (form === 'whole') {
    const reply = await client.chat.completions.create({ model, messages })
    yield reply.choices[0]?.message.content ?? ''
    return
  }
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
    yield chunk.choices[0]?.delta.content ?? ''
}

async function* askMessages({ model, form }: FaultCase, { url, fetch }: Client): AsyncGenerator<string> {
  const client = new Anthropic({ baseURL: url, apiKey: testKey, maxRetries: 1, fetch })
  if (form === 'whole') {
    const reply = await client.messages.create({ model, messages, max_tokens: 64 })
    yield reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    return
  }
  for await (const event of await client.messages.create({ model, messages, max_tokens: 64, stream: true }))
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text
}

function problemsOf({ caller, outcome }: FaultCase, { text, error, calls }: Seen): string[] {
  switch (outcome.type) {
    case 'whole': {
      const problems =
        error === undefined && calls === 1 ? [] : ['the client got no answer at its first call']
      const isSame = outcome.text === 'other' || text === writeHealthyText(outcome.words)
      return isSame ? problems : [...problems, 'the words are others']
    }
    case 'error': {
      const expected: ExpectedCode = expectedCodes[outcome.code]
      const status = outcome.status ?? statusOf(expected, caller)
      const wanted = classOf(caller, status)
      const mayRepeat = expected.retry !== 'never'
      return [
        ...(error instanceof wanted && error.status === status
          ? []
          : [`it is no ${wanted.name} of ${status}`]),
        ...(calls === (mayRepeat ? 2 : 1) ? [] : [`it should ${mayRepeat ? '' : 'not '}be repeated`]),
        ...(text === '' ? [] : ['words came']),
      ]
    }
    case 'event':
      return [
        ...(isErrorInStream(error) ? [] : ['it is no APIError without a status']),
        ...(calls === 1 ? [] : ['a stream was asked for again']),
        ...(text.startsWith('word-1') ? [] : ['no words came']),
      ]
  }
}

function isErrorInStream(error: unknown): boolean {
  const isOwn = error instanceof OpenAI.APIError || error instanceof Anthropic.APIError
  return isOwn && error.status === undefined
}

function classOf(caller: string, status: number) {
  const sdk = caller === 'chat' ? OpenAI : Anthropic
  if (status >= 500) return sdk.InternalServerError
  switch (status) {
    case 400:
      return sdk.BadRequestError
    case 409:
      return sdk.ConflictError
    case 422:
      return sdk.UnprocessableEntityError
    case 429:
      return sdk.RateLimitError
    default:
      return sdk.APIError
  }
}
