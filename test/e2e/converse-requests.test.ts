import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationPaths } from '../support/ask.ts'
import { loadCases } from '../support/corpus.ts'
import { NamedCounts } from '../support/named-counts.ts'
import { bedrockRegion, bedrockToken, openFakeBedrock } from '../support/open-fake-bedrock.ts'
import { jsonAnswer, type ScriptedUpstream } from '../support/scripted-upstream.ts'
import {
  compareMeanings,
  type DeclaredLoss,
  readLossHeader,
} from '../support/second-reader/compare-meanings.ts'
import { fieldsOf, type Meaning } from '../support/second-reader/meaning.ts'
import { readChatRequest } from '../support/second-reader/read-chat-request.ts'
import { readConverseRequest } from '../support/second-reader/read-converse-request.ts'
import { readMessagesRequest } from '../support/second-reader/read-messages-request.ts'
import { readResponsesRequest } from '../support/second-reader/read-responses-request.ts'
import { type StartedGateway, startGateway, testKey } from '../support/start-gateway.ts'

type Format = 'chat' | 'messages' | 'responses'

const apis: Readonly<Record<Format, string>> = {
  chat: 'openai.chat',
  messages: 'anthropic.messages',
  responses: 'openai.responses',
}
const readers: Readonly<Record<Format, (body: unknown) => Meaning>> = {
  chat: readChatRequest,
  messages: readMessagesRequest,
  responses: readResponsesRequest,
}
/** One of each family, which differ in what they take. */
const models = [
  'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
  'anthropic.claude-3-haiku-20240307-v1:0',
  'anthropic.claude-opus-5-5-v1',
  'us.amazon.nova-2-lite-v1:0',
  'openai.gpt-oss-120b-1:0',
  'us.meta.llama4-maverick-17b-instruct-v1:0',
]
const recorded = loadCases({ api: apis.chat })
const answer = jsonAnswer({
  output: { message: { role: 'assistant', content: [{ text: 'Yes.' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
})

/**
 * Tools are not offered where none may be called, and described where calls were made without any: the format has no
 * word for the one, and demands the other.
 */
function isOfOffer({ feature, field }: DeclaredLoss): boolean {
  return feature === 'tool-choice' || (feature === 'foreign-field' && field === 'toolConfig')
}

describe.skipIf(recorded === undefined)('recorded requests to a channel of Converse', () => {
  const cleanup = new AsyncDisposableStack()
  let gateway: StartedGateway
  let upstream: ScriptedUpstream
  beforeAll(async () => {
    upstream = cleanup.use(await openFakeBedrock(() => answer))
    gateway = cleanup.use(
      await startGateway(`
channels:
  - name: b
    provider: bedrock
    base_url: ${upstream.origin}
    allow_private: true
    credentials: { region: ${bedrockRegion}, api_key: ${bedrockToken} }
    models: ${JSON.stringify(models)}
retry: { attempts: 1 }
media: off
stored_responses: off
`),
    )
  })
  afterAll(() => cleanup.disposeAsync())

  it.each(['chat', 'messages', 'responses'] as const)(
    'of %s callers keep all that the caller sends, except for declared losses',
    async (format) => {
      const counts = new NamedCounts()
      const failed: string[] = []
      const cases = (loadCases({ api: apis[format] }) ?? []).filter(
        ({ request }) => request?.body !== undefined,
      )
      for (const [index, { id, request }] of cases.entries()) {
        const model = models[index % models.length] ?? ''
        const body = { ...fieldsOf(request?.body), model, stream: false }
        const before = upstream.requests.length
        const response = await fetch(gateway.url + operationPaths[format], {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': testKey },
          body: JSON.stringify(body),
        })
        const text = await response.text()
        const sent = upstream.requests[before]
        if (sent === undefined) {
          counts.add(response.status === 400 ? 'refused' : 'failed')
          if (response.status !== 400) failed.push(`${id} on ${model}: ${response.status} ${text}`)
          continue
        }
        const losses = readLossHeader(response.headers.get('x-headgate-loss') ?? '')
        const { silent, declared } = compareMeanings({
          caller: readers[format](body),
          upstream: readConverseRequest(JSON.parse(sent.body.toString('utf8'))),
          losses,
        })
        const undeclared = silent.filter((part) => part !== 'tools' || !losses.some(isOfOffer))
        if (undeclared.length > 0) failed.push(`${id} on ${model}: ${undeclared.join(', ')}`)
        counts.add(declared.length === 0 ? 'equal' : 'equal save what is declared')
      }
      counts.print(`${format} requests to converse channels (${cases.length})`)
      expect(failed, failed.join('\n')).toEqual([])
      expect(counts.count('refused')).toBeLessThanOrEqual(cases.length * 0.05)
    },
    120_000,
  )
})
