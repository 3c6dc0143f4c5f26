import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FormatId, formatIds } from '../../src/canonical/format.ts'
import { allClients, clientErrors } from '../support/all-clients.ts'
import type { Ask } from '../support/ask-with-clients.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { openFakeVertex } from '../support/fake-vertex.ts'
import { readAnswer } from '../support/judge.ts'
import { fieldsOf, type Judged, listOf } from '../support/judged.ts'
import { NamedCounts } from '../support/named-counts.ts'
import { forEachAtOnce } from '../support/open-corpus-replay.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { compared, plainly } from '../support/plainly.ts'
import { answerOfCase } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const loaded = loadCases({ where: ({ provider }) => provider === 'vertex' })
const cases = loaded ?? []
const formatOf = {
  'gemini.generateContent': 'gemini',
  'anthropic.messages': 'messages',
} as const

function channelFormatOf({ api }: CorpusCase): 'gemini' | 'messages' | undefined {
  return Object.entries(formatOf).find(([name]) => name === api)?.[1]
}

const conversations = cases.filter((recorded) => channelFormatOf(recorded) !== undefined)
const isGood = ({ response }: CorpusCase): boolean => response.status === 200
const nameOf = (recorded: CorpusCase): string => `case-${cases.indexOf(recorded)}`

/** A stream is a list where nobody asked for events. */
function isStream({ response }: CorpusCase): boolean {
  return response.sse !== undefined || Array.isArray(response.body)
}

function readRecording(recorded: CorpusCase): Judged {
  const { response } = recorded
  const body = response.sse ?? JSON.stringify(response.body)
  const format = channelFormatOf(recorded) ?? 'gemini'
  return readAnswer({ format, body, isStream: response.sse !== undefined })
}

describe.skipIf(loaded === undefined)('recorded traffic of Vertex AI', () => {
  const cleanup = new AsyncDisposableStack()
  let clients: Readonly<Record<FormatId, Ask>>
  let openai: OpenAI
  beforeAll(async () => {
    const vertex = cleanup.use(
      await openFakeVertex(({ model }) => {
        const found = cases[Number(/case-(\d+)$/.exec(model)?.[1])]
        if (found === undefined) throw new Error(`no case of this name: ${model}`)
        return answerOfCase(found)
      }),
    )
    const folder = mkdtempSync(join(tmpdir(), 'headgate-vertex-'))
    cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'key.json'), vertex.keyFile)
    const channel = (format: string, models: object) =>
      `  - { name: ${format}, provider: vertex, format: ${format}, base_url: "${vertex.upstream.origin}", allow_private: true, breaker: off, credentials: { project: some-project, service_account_file: key.json }, models: ${JSON.stringify(models)} }\n`
    const others = cases.filter((recorded) => channelFormatOf(recorded) !== 'messages')
    // Vectors of the newer models have a path of their own, which the name tells.
    const upstreamOf = ({ api }: CorpusCase) => (api === 'gemini.embedContent' ? 'gemini-embedding-2-' : '')
    const gemini = Object.fromEntries(others.map((one) => [nameOf(one), upstreamOf(one) + nameOf(one)]))
    const claude = cases.filter((recorded) => channelFormatOf(recorded) === 'messages').map(nameOf)
    const yaml = `channels:\n${channel('gemini', gemini)}${channel('messages', claude)}retry: { attempts: 1 }\n`
    const gateway = cleanup.use(await startGateway(yaml, folder))
    clients = allClients(gateway.url)
    openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
  })
  afterAll(() => cleanup.disposeAsync())

  it.each(formatIds)(
    'gives the official client of %s the content of the recording',
    async (caller) => {
      const counts = new NamedCounts()
      const failed: string[] = []
      await forEachAtOnce(conversations.filter(isGood), 4, async (recorded) => {
        const expected = plainly(readRecording(recorded))
        const said = await clients[caller](nameOf(recorded), isStream(recorded)).then(plainly, String)
        const differing =
          typeof said === 'string'
            ? [said]
            : compared.filter((key) => !isDeepStrictEqual(said[key], expected[key]))
        counts.add(differing.length === 0 ? `equal (${channelFormatOf(recorded)})` : 'failed')
        if (differing.length > 0)
          failed.push(
            `${recorded.id}: ${differing.join(', ')} ${JSON.stringify(said)} for ${JSON.stringify(expected)}`,
          )
      })
      counts.print(`vertex answers to ${caller} callers`)
      expect(failed, failed.join('\n')).toEqual([])
    },
    120_000,
  )

  it.each(formatIds)('reports an error to the client of %s as an error', async (caller) => {
    const faults = conversations.filter((recorded) => !isGood(recorded))
    expect(faults.length).toBeGreaterThan(0)
    await forEachAtOnce(faults, 4, async (recorded) => {
      const refusal = await refusalOf(clients[caller](nameOf(recorded), isStream(recorded)))
      expect(refusal, recorded.id).toBeInstanceOf(clientErrors[caller])
    })
  })

  it('returns the recorded vectors to the official client unchanged', async () => {
    const embeddings = cases.filter((recorded) => channelFormatOf(recorded) === undefined)
    expect(embeddings).toHaveLength(3)
    for (const recorded of embeddings) {
      const { predictions, embedding, usageMetadata } = fieldsOf(recorded.response.body)
      const list =
        embedding === undefined ? listOf(predictions).map((one) => fieldsOf(one)['embeddings']) : [embedding]
      const tokens = list.map((one) => Number(fieldsOf(fieldsOf(one)['statistics'])['token_count'] ?? 0))
      const { data, usage } = await openai.embeddings.create({
        model: nameOf(recorded),
        input: list.map(() => 'Hi'),
        encoding_format: 'float',
      })
      expect(
        data.map((one) => one.embedding),
        recorded.id,
      ).toEqual(list.map((one) => fieldsOf(one)['values']))
      const counted = fieldsOf(usageMetadata)['promptTokenCount'] ?? tokens.reduce((sum, one) => sum + one, 0)
      expect(usage.prompt_tokens, recorded.id).toBe(counted)
    }
  })
})
