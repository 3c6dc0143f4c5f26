import { describe, expect, it } from 'vitest'
import { type CorpusCase, loadCases } from '../../test/support/corpus.ts'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import { readRequest } from '../wire/chat/request/read-request.ts'
import { writeRequest } from '../wire/chat/request/write-request.ts'
import { type ProviderId, providers } from './registry.ts'

interface Row {
  /** The name under which the recordings know the vendor. */
  readonly vendor: string
  readonly id: ProviderId
  /** The fields that are written and were never recorded, by the provider's documentation. */
  readonly beyond: readonly string[]
  /** The fields that are left out or changed although they were recorded as taken. */
  readonly lost: readonly string[]
}

const rows: readonly Row[] = [
  { vendor: 'openrouter', id: 'openrouter', beyond: [], lost: ['tool-result-content approximated'] },
  // One model was recorded to take the user right after a tool, which others refuse.
  {
    vendor: 'mistral',
    id: 'mistral',
    beyond: [],
    lost: ['tool-choice dropped', 'turn-order approximated'],
  },
  // `strict` is taken and does nothing; earlier turns without reasoning were recorded before it was demanded.
  { vendor: 'deepseek', id: 'deepseek', beyond: [], lost: ['thinking defaulted', 'tool-strict dropped'] },
  { vendor: 'xai', id: 'xai', beyond: ['max_completion_tokens'], lost: [] },
  { vendor: 'groq', id: 'groq', beyond: ['max_completion_tokens'], lost: [] },
  { vendor: 'huggingface', id: 'huggingface', beyond: [], lost: [] },
  { vendor: 'zai', id: 'zai', beyond: [], lost: [] },
  { vendor: 'perplexity', id: 'perplexity', beyond: [], lost: [] },
  { vendor: 'llamacpp', id: 'llamacpp', beyond: ['max_tokens'], lost: [] },
  { vendor: 'together', id: 'together', beyond: [], lost: [] },
  { vendor: 'cerebras', id: 'cerebras', beyond: [], lost: [] },
  { vendor: 'vllm', id: 'vllm', beyond: ['stream_options'], lost: [] },
  { vendor: 'azure', id: 'azure-openai', beyond: [], lost: [] },
]

const cases = loadCases({ api: 'openai.chat' })

/** Bodies of requests that were answered well. */
function acceptedBy(vendor: string): readonly JsonObject[] {
  const isAccepted = ({ provider, response }: CorpusCase) => provider === vendor && response.status === 200
  return (cases ?? [])
    .filter(isAccepted)
    .flatMap(({ request }) => (isJsonObject(request?.body) ? [request.body] : []))
}

function rewrite(body: JsonObject, id: ProviderId) {
  const model = String(body['model'])
  return writeRequest(readRequest(body), { model, dialect: providers[id].dialect(model) })
}

describe.skipIf(cases === undefined)('requests that vendors are recorded to accept', () => {
  it.each(rows)(
    '$vendor: a rewritten request gains and loses only the expected fields',
    ({ vendor, id, beyond, lost }) => {
      const bodies = acceptedBy(vendor)
      expect(bodies.length).toBeGreaterThan(0)
      const known = new Set(bodies.flatMap((body) => Object.keys(body)))
      const written = bodies.map((body) => rewrite(body, id))
      const added = written.flatMap(({ value }) => Object.keys(value)).filter((name) => !known.has(name))
      const losses = written.flatMap((each) => each.losses.map(({ feature, kind }) => `${feature} ${kind}`))
      expect([...new Set(added)].sort()).toEqual(beyond)
      expect([...new Set(losses)].sort()).toEqual(lost)
      process.stdout.write(`recorded requests of ${vendor}: ${bodies.length} written again\n`)
    },
  )
})
