import { describe, expect, it } from 'vitest'
import { type AgentFormat, agentFormats, answerStrictly } from '../support/agent/speech.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { fieldsOf } from '../support/judged.ts'
import { forEachAtOnce } from '../support/open-corpus-replay.ts'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const cases = (loadCases({ api: 'bedrock.converse' }) ?? []).filter(
  ({ request, response }) => request !== null && response.status === 200,
)

/** The caller's path, with the model's public name. */
function pathOf({ request }: CorpusCase, model: string): string {
  const isStream = request?.path.endsWith('/converse-stream') === true
  return `/model/${model}/converse${isStream ? '-stream' : ''}`
}

async function ask(url: string, recorded: CorpusCase, model: string, requestMetadata?: object) {
  const answer = await fetch(`${url}${pathOf(recorded, model)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...fieldsOf(recorded.request?.body),
      ...(requestMetadata && { requestMetadata }),
    }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** The model that takes most of what a request of Claude's can say. */
const models: Readonly<Record<AgentFormat, object>> = {
  chat: {},
  messages: { provider: 'anthropic', upstreamModel: 'claude-sonnet-4-5' },
}

/** Films, and words for a guardrail alone, which only channels of Converse take. */
const isForBedrock = ({ request }: CorpusCase) =>
  /"(?:video|guardContent)":/.test(JSON.stringify(request?.body))

describe.skipIf(cases.length === 0)('recorded requests of Converse', () => {
  it.each(agentFormats)(
    'are served by %s channels that check as strictly as the service',
    async (format) => {
      await using open = await openGateway({
        format,
        ...models[format],
        scripts: [(request) => answerStrictly(format, request, { text: 'Blue.' })],
      })
      const asked = cases.filter((recorded) => !isForBedrock(recorded))
      expect(asked.length).toBeGreaterThan(60)
      const refused: unknown[] = []
      await forEachAtOnce(asked, 4, async (recorded) => {
        const { status, text } = await ask(open.gateway.url, recorded, 'm')
        if (status !== 200 || !text.includes('Blue.')) refused.push([recorded.id, status, text.slice(0, 300)])
      })
      expect(refused).toEqual([])
    },
    60_000,
  )

  it('reach channels of Converse with all their fields', async () => {
    const output = { message: { role: 'assistant', content: [{ text: 'Blue.' }] } }
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    const sent = new Map<unknown, readonly string[]>()
    await using open = await openGateway({
      format: 'converse',
      upstreamModel: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
      firstMore: 'allow_fields: [guardrailconfig]',
      scripts: [
        ({ body }) => {
          const { requestMetadata, ...fields } = fieldsOf(JSON.parse(String(body)))
          sent.set(fieldsOf(requestMetadata)['case'], Object.keys(fields))
          return jsonAnswer({ output, stopReason: 'end_turn', usage })
        },
      ],
    })
    const changed: unknown[] = []
    await forEachAtOnce(cases, 4, async (recorded) => {
      const { requestMetadata: _own, ...asked } = fieldsOf(recorded.request?.body)
      const { status, text } = await ask(open.gateway.url, recorded, 'm', { case: recorded.id })
      const said = Object.keys(asked).filter((name) => !/^(?:\{\}|\[\])$/.test(JSON.stringify(asked[name])))
      const names = said.filter((name) => sent.get(recorded.id)?.includes(name) !== true)
      if (status !== 200 || names.length > 0)
        changed.push([recorded.id, status, names, status === 200 ? '' : text])
    })
    expect(changed).toEqual([])
  })
})
