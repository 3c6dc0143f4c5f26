import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FormatId, formatIds } from '../../src/canonical/format.ts'
import { allClients, clientErrors } from '../support/all-clients.ts'
import type { Ask } from '../support/ask-with-clients.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { readAnswer } from '../support/judge.ts'
import { fieldsOf, type Judged } from '../support/judged.ts'
import { NamedCounts } from '../support/named-counts.ts'
import { forEachAtOnce } from '../support/open-corpus-replay.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { compared, plainly } from '../support/plainly.ts'
import { answerOfCase, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'

const loaded = loadCases({ api: 'cohere.chat' })
const cases = loaded ?? []

function isGood({ response }: CorpusCase): boolean {
  return response.status === 200
}

/** Recordings of the first version, which is another API that only its own clients speak. */
function isFirstVersion({ request }: CorpusCase): boolean {
  return request?.path.startsWith('/v1/') === true
}

function readRecording({ response }: CorpusCase): Judged {
  const body = response.sse ?? JSON.stringify(response.body)
  return readAnswer({ format: 'cohere', body, isStream: response.sse !== undefined })
}

describe.skipIf(loaded === undefined)('recorded traffic of Cohere', () => {
  const cleanup = new AsyncDisposableStack()
  let gateway: StartedGateway
  let clients: Readonly<Record<FormatId, Ask>>
  beforeAll(async () => {
    const upstream = cleanup.use(
      await openScriptedUpstream(({ body }) => {
        const model = String(fieldsOf(JSON.parse(body.toString()))['model'])
        const found = cases[Number(model.slice('case-'.length))]
        if (found === undefined) throw new Error('no case of this name')
        return answerOfCase(found)
      }),
    )
    const models = JSON.stringify(cases.map((_case, index) => `case-${index}`))
    gateway = cleanup.use(
      await startGateway(`
channels: [{ name: c, provider: cohere, base_url: ${upstream.origin}, allow_private: true, api_key: k, models: ${models}, breaker: off }]
retry: { attempts: 1 }
`),
    )
    clients = allClients(gateway.url)
  })
  afterAll(() => cleanup.disposeAsync())

  const askCase = (caller: FormatId, recorded: CorpusCase) =>
    clients[caller](`case-${cases.indexOf(recorded)}`, recorded.response.sse !== undefined)

  it.each(formatIds)('gives the official client of %s the content of the recording', async (caller) => {
    const counts = new NamedCounts()
    const failed: string[] = []
    const good = cases.filter(isGood)
    await forEachAtOnce(good, 4, async (recorded) => {
      if (isFirstVersion(recorded)) {
        counts.add('the first version of the API')
        return
      }
      const expected = plainly(readRecording(recorded))
      const said = await askCase(caller, recorded).then(plainly, String)
      const differing =
        typeof said === 'string'
          ? [said]
          : compared.filter((key) => !isDeepStrictEqual(said[key], expected[key]))
      counts.add(differing.length === 0 ? 'equal' : 'failed')
      if (differing.length > 0)
        failed.push(
          `${recorded.id}: ${differing.join(', ')} ${JSON.stringify(said)} for ${JSON.stringify(expected)}`,
        )
    })
    counts.print(`cohere answers to ${caller} callers`)
    expect(counts.count('the first version of the API')).toBeLessThanOrEqual(good.length * 0.05)
    expect(failed, failed.join('\n')).toEqual([])
  })

  it.each(formatIds)('reports an error to the client of %s as an error', async (caller) => {
    const faults = cases.filter((recorded) => !isGood(recorded))
    expect(faults.length).toBeGreaterThan(0)
    await forEachAtOnce(faults, 4, async (recorded) => {
      const refusal = await refusalOf(askCase(caller, recorded))
      expect(refusal, recorded.id).toBeInstanceOf(clientErrors[caller])
    })
  })
})
