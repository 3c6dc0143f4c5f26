import { describe, expect, it } from 'vitest'
import { agentFormats, answerStrictly } from '../support/agent/speech.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { fieldsOf } from '../support/judged.ts'
import { openGateway } from '../support/open-gateway.ts'
import { testKey } from '../support/start-gateway.ts'

const cases = [...(loadCases({ api: 'ollama.chat' }) ?? []), ...(loadCases({ api: 'ollama.generate' }) ?? [])]
const asked = cases.filter(({ request, response }) => request !== null && response.status === 200)

function pathOf({ request }: CorpusCase): string {
  return request?.path ?? ''
}

/** Recorded requests end in whole answers of the members that recorded answers have. */
describe.skipIf(asked.length === 0).each(agentFormats)(
  'recorded requests of Ollama on %s channels',
  (format) => {
    it('are served, each in the form of its own operation', async () => {
      await using open = await openGateway({
        format,
        scripts: [(request) => answerStrictly(format, request, { text: 'Blue.' })],
      })
      for (const recorded of asked) {
        const body = { ...fieldsOf(recorded.request?.body), model: 'm' }
        const answer = await fetch(`${open.gateway.url}${pathOf(recorded)}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        const text = await answer.text()
        expect([answer.status, recorded.id], text).toEqual([200, recorded.id])
        const lines = text
          .trim()
          .split('\n')
          .map((line) => fieldsOf(JSON.parse(line)))
        const isStream = fieldsOf(recorded.request?.body)['stream'] !== false
        expect(answer.headers.get('content-type')).toBe(
          isStream ? 'application/x-ndjson' : 'application/json',
        )
        const recordedLast = fieldsOf(
          recorded.response.body ?? JSON.parse(recorded.response.ndjson?.trim().split('\n').at(-1) ?? '{}'),
        )
        const last = fieldsOf(lines.at(-1))
        // `context` is the state of a program that runs models.
        const names = Object.keys(recordedLast).filter((name) => name !== 'context')
        expect(names.filter((name) => !Object.hasOwn(last, name))).toEqual([])
      }
    })
  },
)
