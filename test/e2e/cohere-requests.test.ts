import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { bodyFormatIds } from '../support/body-formats.ts'
import { loadCases } from '../support/corpus.ts'
import { NamedCounts } from '../support/named-counts.ts'
import { jsonAnswer, openScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts'
import { compareMeanings, readLossHeader } from '../support/second-reader/compare-meanings.ts'
import { fieldsOf, type Meaning } from '../support/second-reader/meaning.ts'
import { readChatRequest } from '../support/second-reader/read-chat-request.ts'
import { readCohereRequest } from '../support/second-reader/read-cohere-request.ts'
import { readMessagesRequest } from '../support/second-reader/read-messages-request.ts'
import { readResponsesRequest } from '../support/second-reader/read-responses-request.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'

const loaded = {
  chat: loadCases({ api: 'openai.chat' }),
  messages: loadCases({ api: 'anthropic.messages' }),
  responses: loadCases({ api: 'openai.responses' }),
}
const readers = { chat: readChatRequest, messages: readMessagesRequest, responses: readResponsesRequest }
/** Models that think, that do not, and that know no choice of tools. */
const models = ['command-a-03-2025', 'command-a-reasoning-08-2025', 'command-r-08-2024']

/**
 * Offers a demanded tool alone; and none to a model that knows no choice, where no call is wanted: it says the same.
 */
function offerChosen(meaning: Meaning, model: string): Meaning {
  const { tools, toolChoice } = meaning
  if (toolChoice === 'none' && model === 'command-r-08-2024') return { ...meaning, tools: [] }
  const chosen = toolChoice.startsWith('tool ') ? toolChoice.slice('tool '.length) : undefined
  return chosen === undefined ? meaning : { ...meaning, tools: tools.filter(({ name }) => name === chosen) }
}

const answer = {
  id: 'c',
  message: { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
  finish_reason: 'COMPLETE',
  usage: { tokens: { input_tokens: 1, output_tokens: 1 } },
}

describe.skipIf(loaded.chat === undefined)('a recorded request to Cohere', () => {
  const cleanup = new AsyncDisposableStack()
  let upstream: ScriptedUpstream
  let gateway: StartedGateway
  beforeAll(async () => {
    upstream = cleanup.use(await openScriptedUpstream(() => jsonAnswer(answer)))
    gateway = cleanup.use(
      await startGateway(`
channels: [{ name: c, provider: cohere, base_url: ${upstream.origin}, allow_private: true, api_key: k, models: ${JSON.stringify(models)} }]
retry: { attempts: 1 }
stored_responses: off
`),
    )
  })
  afterAll(() => cleanup.disposeAsync())

  it.each(bodyFormatIds)(
    'keeps all that %s callers send, except for declared losses',
    async (from) => {
      const counts = new NamedCounts()
      const failed: string[] = []
      const bodies = (loaded[from] ?? []).filter(({ request }) => request?.body !== undefined)
      for (const [index, { id, request }] of bodies.entries()) {
        const model = models[index % models.length] ?? ''
        const body = { ...fieldsOf(request?.body), model }
        const before = upstream.requests.length
        const asked = await ask({ url: gateway.url, format: from }, body)
        const sent = upstream.requests[before]?.body.toString('utf8')
        if (sent === undefined) {
          const error = fieldsOf(fieldsOf(JSON.parse(asked.body.toString()))['error'])
          const isRefused = asked.status === 400 && typeof error['param'] === 'string'
          counts.add(isRefused ? 'refused' : 'failed')
          if (!isRefused) failed.push(`${id} on ${model}: ${asked.status} ${asked.body.toString()}`)
          continue
        }
        const losses = readLossHeader(String(asked.headers['x-headgate-loss'] ?? ''))
        const { silent, declared } = compareMeanings({
          caller: offerChosen(readers[from](body), model),
          upstream: readCohereRequest(JSON.parse(sent)),
          losses,
        })
        if (silent.length > 0) failed.push(`${id} on ${model}: ${silent.join(', ')}`)
        counts.add(declared.length === 0 ? 'equal' : 'equal save what is declared')
      }
      counts.print(`${from} requests to cohere channels (${bodies.length})`)
      expect(failed, failed.join('\n')).toEqual([])
      expect(counts.count('refused')).toBeLessThanOrEqual(bodies.length * 0.05)
    },
    120_000,
  )
})
