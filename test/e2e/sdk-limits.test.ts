import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readBudget } from '../../src/access/limits/budget-schema.ts'
import type { Failure } from '../../src/canonical/failure.ts'
import { brand } from '../../src/kit/brand.ts'
import type { JsonObject } from '../../src/kit/json/json.ts'
import type { BudgetId } from '../../src/metering/budget.ts'
import type { RateLimitId } from '../../src/metering/rate-limit.ts'
import { renderFailure } from '../../src/pipeline/response/response-writer.ts'
import { describeRateRefusal } from '../../src/pipeline/spending/acquire-rate.ts'
import { describeHoldRefusal } from '../../src/pipeline/spending/describe-hold-refusal.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { geminiFormat } from '../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { responsesFormat } from '../../src/wire/responses/format.ts'
import type { FormatFrames } from '../../src/wire/wire-format.ts'
import { refusalOf } from '../support/open-gateway.ts'

interface LimitedServer extends AsyncDisposable {
  readonly url: string
  readonly requests: number
}

interface Limiting {
  readonly format: FormatFrames
  readonly failure: Failure
  /** So many requests are refused. */
  readonly times: number
  readonly answer: JsonObject
}

/** Refuses with our own words first, then answers. */
async function openLimited({ format, failure, times, answer }: Limiting): Promise<LimitedServer> {
  let requests = 0
  const server = createServer((request, response) => {
    request.resume()
    requests += 1
    const refusal = renderFailure(failure, { format, requestId: 'req_1', headers: {} })
    const { status, headers, body } =
      requests <= times ? refusal : { status: 200, headers: {}, body: JSON.stringify(answer) }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Client {
  readonly format: FormatFrames
  readonly answer: JsonObject
  /** The class of the error for a spent budget, and how the client knows it. */
  readonly errorClass: abstract new (
    ...input: never[]
  ) => Error
  readonly spent: object
  ask(url: string): Promise<unknown>
}

const message = [{ role: 'user' as const, content: 'Hi' }]
const openai = (url: string) => new OpenAI({ apiKey: 'key', baseURL: `${url}/v1` })

const clients: Readonly<Record<string, Client>> = {
  'the OpenAI SDK, chat': {
    format: chatFormat,
    answer: { id: 'c', object: 'chat.completion', model: 'm', choices: [] },
    errorClass: OpenAI.RateLimitError,
    spent: { status: 429, code: 'insufficient_quota', type: 'insufficient_quota' },
    ask: (url) => openai(url).chat.completions.create({ model: 'm', messages: message }),
  },
  'the OpenAI SDK, responses': {
    format: responsesFormat,
    answer: { id: 'r', object: 'response', model: 'm', output: [] },
    errorClass: OpenAI.RateLimitError,
    spent: { status: 429, code: 'insufficient_quota', type: 'insufficient_quota' },
    ask: (url) => openai(url).responses.create({ model: 'm', input: 'Hi' }),
  },
  'the Anthropic SDK': {
    format: messagesFormat,
    answer: { id: 'm', type: 'message', model: 'm', content: [] },
    errorClass: Anthropic.RateLimitError,
    spent: { status: 429, type: 'rate_limit_error' },
    ask: (url) =>
      new Anthropic({ apiKey: 'key', baseURL: url }).messages.create({
        model: 'm',
        max_tokens: 9,
        messages: message,
      }),
  },
}

const midnight = Date.parse('2026-11-24T00:00:00Z')
const budget = {
  ...readBudget({ window: 'day' }, undefined),
  id: brand<BudgetId>('ci'),
  name: 'ci-day',
  scope: { type: 'key' as const, name: 'ci' },
}
const spent = describeHoldRefusal({
  type: 'refused',
  budget,
  tagValue: undefined,
  reason: 'spent',
  resetsAtMs: midnight,
})
const limit = {
  id: brand<RateLimitId>('ci'),
  name: 'key:ci',
  terms: {
    requestsPerMinute: 60,
    tokensPerMinute: undefined,
    inputTokensPerMinute: undefined,
    outputTokensPerMinute: undefined,
    concurrency: 8,
    burst: undefined,
    waitMs: 0,
  },
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(Object.entries(clients))('%s', (_, { format, answer, ask, errorClass, spent: known }) => {
  it('calls once at a spent budget, and gets its name and the time of its reset', async () => {
    await using server = await openLimited({
      format,
      failure: spent,
      times: Number.POSITIVE_INFINITY,
      answer,
    })
    const refusal = await refusalOf(ask(server.url))
    expect(refusal).toBeInstanceOf(errorClass)
    expect(refusal).toMatchObject(known)
    expect(String(refusal).replaceAll('\\"', '"')).toContain(
      'The budget "ci-day" is spent. It resets at 2026-11-24T00:00:00.000Z',
    )
    expect(server.requests).toBe(1)
  })

  it.each(['requests', 'concurrency'] as const)(
    'retries after the seconds that a limit of %s states',
    async (kind) => {
      const failure = describeRateRefusal({ type: 'refused', limit, kind, retryAfterMs: 370 })
      await using server = await openLimited({ format, failure, times: 1, answer })
      const timers = vi.spyOn(globalThis, 'setTimeout')
      await ask(server.url)
      expect(server.requests).toBe(2)
      expect(timers.mock.calls.filter(([, delay]) => delay === 1_000)).toHaveLength(1)
    },
  )
})

it('Google’s SDK gets a status and a message at a spent budget', async () => {
  await using server = await openLimited({ format: geminiFormat, failure: spent, times: 9, answer: {} })
  const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: server.url } })
  const refusal = await refusalOf(client.models.generateContent({ model: 'm', contents: 'Hi' }))
  expect(refusal).toBeInstanceOf(ApiError)
  expect(refusal).toMatchObject({ status: 429 })
  expect(String(refusal)).toContain('RESOURCE_EXHAUSTED')
  expect(String(refusal)).toContain('QUOTA_EXHAUSTED')
  expect(server.requests).toBe(1)
})
