import { describe, expect, it } from 'vitest'
import type { FormatId } from '../../src/canonical/format.ts'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { expectedFault } from '../support/expected-fault.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { answerOfCase, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'

const embeddings = loadCases({ api: 'openai.embeddings' })
const counts = loadCases({ api: 'anthropic.count_tokens' })

/** A gateway whose one channel answers the model `case-n` with the n-th recording. */
async function openReplay(format: FormatId, cases: readonly CorpusCase[]) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await openScriptedUpstream(({ body }) => {
      const model = String(fieldsOf(JSON.parse(body.toString()))['model'])
      const found = cases[Number(model.slice('case-'.length))]
      if (found === undefined) throw new Error('no case of this name')
      return answerOfCase(found)
    }),
  )
  const models = cases.map((_case, index) => `case-${index}`)
  const yaml = channelYaml({ format, origin: upstream.origin, models, more: 'breaker: off' })
  const gateway = cleanup.use(await startGateway(`${yaml}retry: { attempts: 1 }\n`))
  const open = cleanup.move()
  return { upstream, url: gateway.url, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The request that was recorded under the case's own name; where it is missing, one that fits the answer. */
function requestOf({ request, response }: CorpusCase, index: number): Readonly<Record<string, unknown>> {
  const recorded = fieldsOf(request?.body)
  const input = listOf(fieldsOf(response.body)['data']).map(() => 'Hi')
  return { ...(request?.body === undefined ? { input } : recorded), model: `case-${index}` }
}

function bytesOf(recorded: CorpusCase): string {
  return (answerOfCase(recorded).chunks ?? []).map(String).join('')
}

describe.skipIf(embeddings === undefined)('recorded embeddings through the running gateway', () => {
  const cases = embeddings ?? []

  it('are forwarded word for word, and their answers are returned byte for byte', async () => {
    await using replay = await openReplay('chat', cases)
    let [good, faults, ours] = [0, 0, 0]
    for (const [index, recorded] of cases.entries()) {
      const body = requestOf(recorded, index)
      const answer = await ask({ url: replay.url, format: 'embeddings' }, body)
      const { status, type } = expectedFault(recorded.response.status)
      expect(replay.upstream.requests.at(-1)?.body.toString(), recorded.id).toBe(JSON.stringify(body))
      expect(answer.status, recorded.id).toBe(status)
      if (type === undefined) expect(answer.body.toString(), recorded.id).toBe(bytesOf(recorded))
      else
        expect(JSON.parse(answer.body.toString()), recorded.id).toMatchObject({ error: { type: type.chat } })
      if (type !== undefined) ours += 1
      else if (status === 200) good += 1
      else faults += 1
    }
    process.stdout.write(
      `verbatim embeddings: ${good} answers and ${faults} faults byte for byte, ${ours} faults of our account\n`,
    )
    expect(good + faults + ours).toBe(cases.length)
    expect(replay.upstream.requests).toHaveLength(cases.length)
  })

  it('with numbers return the same numbers as 32-bit floats, in base64 on request', async () => {
    const isOfNumbers = ({ response }: CorpusCase) => vectorsOf(response.body).some(Array.isArray)
    const chosen = cases.filter(isOfNumbers)
    await using replay = await openReplay('chat', chosen)
    let compared = 0
    for (const [index, recorded] of chosen.entries()) {
      const body = { ...requestOf(recorded, index), encoding_format: 'base64' }
      const answer = await ask({ url: replay.url, format: 'embeddings' }, body)
      const packed = vectorsOf(JSON.parse(answer.body.toString()))
      for (const [position, vector] of vectorsOf(recorded.response.body).entries()) {
        const bytes = Buffer.from(String(packed[position]), 'base64')
        const floats = [...new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)]
        expect(floats, recorded.id).toEqual(listOf(vector).map((value) => Math.fround(Number(value))))
        compared += 1
      }
    }
    process.stdout.write(`embeddings as base64: ${compared} vectors of ${chosen.length} recordings\n`)
    expect(compared).toBeGreaterThan(chosen.length)
  })
})

function vectorsOf(body: unknown): readonly unknown[] {
  return listOf(fieldsOf(body)['data']).map((entry) => fieldsOf(entry)['embedding'])
}

describe.skipIf(counts === undefined)('recorded token counts through the running gateway', () => {
  const cases = counts ?? []

  it('are forwarded word for word, and their answers returned byte for byte, except that a missing model is estimated', async () => {
    await using replay = await openReplay('messages', cases)
    let [good, estimated] = [0, 0]
    for (const [index, recorded] of cases.entries()) {
      const body = requestOf(recorded, index)
      const answer = await ask({ url: replay.url, format: 'count-tokens' }, body)
      expect(replay.upstream.requests.at(-1)?.body.toString(), recorded.id).toBe(JSON.stringify(body))
      expect(answer.status, recorded.id).toBe(200)
      if (recorded.response.status === 200) {
        expect(answer.body.toString(), recorded.id).toBe(bytesOf(recorded))
        expect(answer.headers, recorded.id).not.toHaveProperty('x-headgate-loss')
        good += 1
      } else {
        expect(answer.headers['x-headgate-loss'], recorded.id).toBe('token-count=approximated')
        estimated += 1
      }
    }
    process.stdout.write(`verbatim token counts: ${good} byte for byte, ${estimated} estimated\n`)
    expect(good + estimated).toBe(cases.length)
  })
})
