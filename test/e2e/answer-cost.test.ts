import { describe, expect, it } from 'vitest'
import { type OpenGateway, openGateway } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 100, totalTokenCount: 1100 }
const answer = {
  candidates: [{ content: { parts: [{ text: 'Hi.' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
  usageMetadata,
}

/** A gateway with a priced model. */
function openPriced(): Promise<OpenGateway> {
  return openGateway({
    format: 'gemini',
    upstreamModel: 'gemini-2.5-flash',
    scripts: [
      ({ path }) =>
        path.includes('streamGenerateContent')
          ? sseAnswer([`data: ${JSON.stringify(answer)}\r\n\r\n`])
          : jsonAnswer(answer),
    ],
  })
}

const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
type Ask = (stream: boolean) => readonly [path: string, body: object]
const callers: readonly (readonly [format: string, ask: Ask])[] = [
  [
    'chat',
    (stream) => ['/v1/chat/completions', { model: 'm', messages, stream, ...(stream && includeUsage) }],
  ],
  [
    'completions',
    (stream) => ['/v1/completions', { model: 'm', prompt: 'Hi', stream, ...(stream && includeUsage) }],
  ],
  ['messages', (stream) => ['/v1/messages', { model: 'm', messages, max_tokens: 9, stream }]],
  ['responses', (stream) => ['/v1/responses', { model: 'm', input: 'Hi', stream }]],
  [
    'gemini',
    (stream) => [
      `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      { contents },
    ],
  ],
  ['ollama-chat', (stream) => ['/api/chat', { model: 'm', messages, stream }]],
  ['ollama-generate', (stream) => ['/api/generate', { model: 'm', prompt: 'Hi', stream }]],
]
const includeUsage = { stream_options: { include_usage: true } }

async function costIn(open: OpenGateway, [path, body]: ReturnType<Ask>) {
  const response = await fetch(`${open.gateway.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'x-headgate-usage': 'cost',
    },
    body: JSON.stringify(body),
  })
  const costs = [...(await response.text()).matchAll(/"cost":([\d.e-]+)/g)].map(([, cost]) => Number(cost))
  return { header: response.headers.get('x-headgate-cost'), costs }
}

describe('the cost that a caller asks for', () => {
  it.each(callers)('is in an answer of the %s format, whole and streamed', async (_format, ask) => {
    await using open = await openPriced()
    const { header, costs } = await costIn(open, ask(false))
    expect(costs).toEqual([Number(header)])
    expect(costs[0]).toBeGreaterThan(0)
    expect((await costIn(open, ask(true))).costs).toEqual(costs)
  })
})
