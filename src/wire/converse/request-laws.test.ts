import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatRequestArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { fieldsOf, listOf } from '../../../test/support/judged.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { readConverseRequest } from '../../../test/support/read-converse-request.ts'
import type { LossFeature } from '../../canonical/loss.ts'
import type { ChatRequest, OutputFormat } from '../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { bedrockDialect } from '../../providers/models/bedrock-dialect.ts'
import { type Dialect, defaultDialect } from '../dialect.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { writeRequest } from './request/write-request.ts'

const fullDialect: Dialect = {
  ...defaultDialect,
  cacheMarks: true,
  converseModel: { reasoning: 'thinking', topK: 'top_k', searchResults: true },
}

function write(request: ChatRequest, dialect = fullDialect) {
  return writeRequest(request, { model: request.model, dialect })
}

/** The body as the upstream gets it. */
function overTheWire(value: JsonObject): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value))
  if (isJsonObject(parsed)) return parsed
  throw new Error('not an object')
}

/** Equivalent requests in one form; model and stream are in the path. */
function plainly(request: ChatRequest): ChatRequest {
  const { outputFormat, choices: _one, logprobs: _none, cache, ...others } = request
  const { presencePenalty: _zero, frequencyPenalty: _nought, ...rest } = others
  const turns = request.turns.map((turn) =>
    turn.role === 'system' ? { ...turn, authority: 'system' as const } : turn,
  )
  const last = turns.at(-1)
  const content = last?.role === 'user' && cache !== undefined ? last.content : undefined
  const marked = content === undefined ? [] : [...content.slice(0, -1), { ...content.at(-1), cache }]
  return JSON.parse(
    JSON.stringify({
      ...rest,
      model: '',
      stream: false,
      turns: content === undefined ? turns : [...turns.slice(0, -1), { ...last, content: marked }],
      ...(outputFormat === undefined || outputFormat.type === 'text'
        ? {}
        : { outputFormat: unstrict(outputFormat) }),
    }),
  )
}

/** Held to a schema is what `strict` says. */
function unstrict(format: OutputFormat): OutputFormat {
  if (format.type !== 'json-schema') return format
  const { strict: _strict, ...rest } = format
  return rest
}

/** The features that some requests lose and others carry: each group by itself, or hardly a request would be left. */
const groups: Readonly<Record<string, readonly LossFeature[]>> = {
  'pictures and files': ['audio', 'document', 'image', 'search-result', 'tool-result-content', 'video'],
  thinking: [
    'thinking',
    'redacted-thinking',
    'thinking-mode',
    'reasoning-budget',
    'reasoning-display',
    'reasoning-effort',
  ],
  'cache marks': ['cache-mark'],
  schemas: ['json-output', 'tool-strict', 'tool-choice'],
  sampling: ['sampling', 'top-k', 'stop-sequences', 'max-output-tokens', 'service-tier'],
}

describe('law 1 for requests of Converse', () => {
  it('gives back every request that it writes without a loss', () => {
    let count = 0
    fc.assert(
      fc.property(chatRequestArbitrary({ without: [...possibleLosses, 'block-order'] }), (request) => {
        const { value, losses } = write(request)
        if (losses.length > 0) return
        count += 1
        expect(readConverseRequest(overTheWire(value))).toEqual(plainly(request))
      }),
      { numRuns: LAW_RUNS },
    )
    expect(count).toBeGreaterThan(LAW_RUNS * 0.3)
  })

  it.each(Object.entries(groups))('gives back %s, too', (_name, group) => {
    let count = 0
    const without = [...possibleLosses.filter((feature) => !group.includes(feature)), 'block-order' as const]
    fc.assert(
      fc.property(chatRequestArbitrary({ without }), (request) => {
        const { value, losses } = write(request)
        if (losses.length > 0) return
        count += 1
        expect(readConverseRequest(overTheWire(value))).toEqual(plainly(request))
      }),
      { numRuns: LAW_RUNS },
    )
    expect(count).toBeGreaterThan(LAW_RUNS * 0.03)
  })

  it('writes every request to every kind of model in a valid order, and names its losses', () => {
    const models = [
      'anthropic.claude-opus-5-5',
      'us.anthropic.claude-3-haiku',
      'amazon.nova-2-lite',
      'meta.llama4',
      'openai.gpt-oss-20b',
    ]
    const dialects = models.map((model): Dialect => ({ ...defaultDialect, ...bedrockDialect(model) }))
    fc.assert(
      fc.property(chatRequestArbitrary(), fc.constantFrom(...dialects), (request, dialect) => {
        const { value, losses } = write(request, dialect)
        for (const { feature } of losses) expect(possibleLosses).toContain(feature)
        const roles = listOf(value['messages']).map((message) => fieldsOf(message)['role'])
        if (roles.length > 0) expect(roles[0]).toBe('user')
        for (const [index, role] of roles.entries()) expect(role).not.toBe(roles[index + 1])
        for (const message of listOf(value['messages']))
          expect(listOf(fieldsOf(message)['content']).length).toBeGreaterThan(0)
        const text = JSON.stringify(value)
        const hasCalls = text.includes('"toolUse"') || text.includes('"toolResult"')
        if (hasCalls) expect(listOf(fieldsOf(value['toolConfig'])['tools']).length).toBeGreaterThan(0)
        expect(text.match(/"cachePoint"/g)?.length ?? 0).toBeLessThanOrEqual(4)
      }),
      { numRuns: LAW_RUNS },
    )
  })
})
