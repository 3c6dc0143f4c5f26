import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatRequestArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import type { LossFeature } from '../../canonical/loss.ts'
import type { ChatRequest, OutputFormat } from '../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { defaultDialect } from '../dialect.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'

function write(request: ChatRequest) {
  return writeRequest(request, { model: request.model, dialect: defaultDialect })
}

/** The body as the upstream gets it. */
function overTheWire(value: JsonObject): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value))
  if (isJsonObject(parsed)) return parsed
  throw new Error('not an object')
}

/** Equivalent requests in one normal form. */
function plainly(request: ChatRequest): ChatRequest {
  const { outputFormat, choices, logprobs, ...others } = request
  const { presencePenalty, frequencyPenalty, ...rest } = others
  return {
    ...rest,
    // Two names of one authority.
    turns: request.turns.map((turn) => (turn.role === 'system' ? { ...turn, authority: 'system' } : turn)),
    ...(outputFormat === undefined || outputFormat.type === 'text'
      ? {}
      : { outputFormat: unnamed(outputFormat) }),
    ...(choices === undefined || choices === 1 ? {} : { choices }),
    ...(logprobs === true ? { logprobs } : {}),
    ...(presencePenalty === undefined || presencePenalty === 0 ? {} : { presencePenalty }),
    ...(frequencyPenalty === undefined || frequencyPenalty === 0 ? {} : { frequencyPenalty }),
  }
}

/** A schema's name is for logs, and held to a schema is what `strict` says. */
function unnamed(format: OutputFormat): OutputFormat {
  if (format.type !== 'json-schema') return format
  const { name: _name, strict: _strict, ...rest } = format
  return rest
}

/** The features that others' requests can lose, but never one that this format's own reader gave. */
const own: ReadonlySet<LossFeature> = new Set([
  'citations',
  'document',
  'foreign-block',
  'foreign-field',
  'foreign-tool',
  'image',
  'json-output',
  'parallel-tool-calls',
  'reasoning-budget',
  'reasoning-display',
  'reasoning-effort',
  'sampling',
  'stop-sequences',
  'system-position',
  'thinking',
  'thinking-mode',
  'tool-choice',
])
const foreign = possibleLosses.filter((feature) => !own.has(feature))

describe('law 1 for requests of the messages format', () => {
  it('gives back every request that it writes without a loss', () => {
    let carried = 0
    fc.assert(
      fc.property(chatRequestArbitrary({ format: 'messages', without: possibleLosses }), (request) => {
        const { value, losses } = write(request)
        // Texts of nothing but white space are the one loss that cannot be left out by feature.
        if (losses.length > 0) return
        carried += 1
        expect(readRequest(overTheWire(value))).toStrictEqual(plainly(request))
      }),
      { numRuns: LAW_RUNS },
    )
    expect(carried).toBeGreaterThan(LAW_RUNS * 0.3)
  })

  it('gives back requests from its own reader, with all blocks and fields', () => {
    let carried = 0
    fc.assert(
      fc.property(chatRequestArbitrary({ format: 'messages', without: foreign }), (request) => {
        const { value, losses } = write(request)
        if (losses.length > 0) return
        carried += 1
        expect(readRequest(overTheWire(value))).toStrictEqual(plainly(request))
      }),
      { numRuns: LAW_RUNS },
    )
    expect(carried).toBeGreaterThan(LAW_RUNS * 0.2)
  })

  it('writes every canonical request to a body that its reader accepts, and names its losses', () => {
    fc.assert(
      fc.property(chatRequestArbitrary(), (request) => {
        const { value, losses } = write(request)
        const body = overTheWire(value)
        // A conversation without messages must have declared losses.
        if (Array.isArray(body['messages']) && body['messages'].length === 0) {
          expect(losses.length).toBeGreaterThan(0)
          return
        }
        const again = readRequest(body)
        for (const { feature } of losses) expect(possibleLosses).toContain(feature)
        if (losses.length === 0) expect(again).toStrictEqual(plainly(request))
      }),
      { numRuns: LAW_RUNS },
    )
  })
})
