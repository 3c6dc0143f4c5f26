import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatRequestArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { jsonArbitrary } from '../../../test/support/value-arbitraries.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { LossFeature } from '../../canonical/loss.ts'
import { mediaKinds } from '../../canonical/media.ts'
import { type ChatRequest, efforts } from '../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { type Dialect, defaultDialect, type RefusableField } from '../dialect.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'

/** A server that takes all that the format can say. */
const fullDialect: Dialect = {
  ...defaultDialect,
  customTools: true,
  allowedTools: true,
  refusalParts: true,
  cacheMarks: true,
  acceptsTopK: true,
  reasoning: 'effort',
  reasoningReplay: 'reasoning_details',
}

const refusableFields: readonly RefusableField[] = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'stop',
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'user',
  'service_tier',
  'verbosity',
]

const dialectArbitrary: fc.Arbitrary<Dialect> = fc.record({
  maxTokensField: fc.constantFrom('max_tokens', 'max_completion_tokens'),
  systemRole: fc.constantFrom('system', 'developer'),
  textParts: fc.boolean(),
  participantNames: fc.boolean(),
  turnOrder: fc.constantFrom('any', 'alternating', 'reply-after-tools'),
  documents: fc.constantFrom('file', 'file-or-url', 'document_url'),
  mediaAddresses: fc.subarray([...mediaKinds]),
  cacheMarks: fc.boolean(),
  reasoning: fc.constantFrom('none', 'effort', 'thinking', 'adaptive_thinking', 'enable_thinking'),
  efforts: fc.subarray([...efforts]),
  reasoningWithTools: fc.constantFrom('effort', 'none'),
  reasoningReplay: fc.constantFrom(
    'none',
    'reasoning_content',
    'reasoning',
    'reasoning_details',
    'thinking_parts',
  ),
  streamUsageOption: fc.boolean(),
  tools: fc.boolean(),
  customTools: fc.boolean(),
  toolStrict: fc.boolean(),
  toolParameters: fc.boolean(),
  toolChoices: fc.constantFrom('all', 'words', 'unforced-thinking', 'auto'),
  allowedTools: fc.boolean(),
  refusalParts: fc.boolean(),
  forcedToolWord: fc.constantFrom('required', 'any'),
  toolCallIds: fc.constantFrom('any', 'nine-characters'),
  acceptsParallelToolCalls: fc.boolean(),
  jsonObject: fc.boolean(),
  jsonSchema: fc.boolean(),
  acceptsTopK: fc.boolean(),
  seedField: fc.constantFrom('seed', 'random_seed'),
  refusedFields: fc.subarray([...refusableFields]),
  refusedWhileReasoning: fc.subarray([...refusableFields]),
  reasonsByDefault: fc.boolean(),
  sharedFields: fc.subarray(['prompt_cache_key', 'safety_identifier']),
  defaultMaxTokens: fc.constant(8192),
})

function overTheWire(value: JsonObject): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value))
  if (isJsonObject(parsed)) return parsed
  throw new Error('not an object')
}

/** Roles with two names and one meaning get one name. */
function plainly(request: ChatRequest): ChatRequest {
  return {
    ...request,
    turns: request.turns.map((turn) => (turn.role === 'system' ? { ...turn, authority: 'system' } : turn)),
  }
}

/** The features that a full dialect carries although others lose them. */
const carried: ReadonlySet<LossFeature> = new Set([
  'audio',
  'cache-mark',
  'choices',
  'end-user',
  'frequency-penalty',
  'logit-bias',
  'logprobs',
  'participant-name',
  'presence-penalty',
  'sampling',
  'seed',
  'stop-sequences',
  'system-position',
  'tool-strict',
  'top-k',
  'verbosity',
  'document',
  'foreign-block',
  'foreign-field',
  'foreign-tool',
  'image',
  'json-output',
  'parallel-tool-calls',
  'reasoning-effort',
  'redacted-thinking',
  'service-tier',
  'thinking',
  'thinking-signature',
  'tool-choice',
  'video',
])
const lost = possibleLosses.filter((feature) => !carried.has(feature))

// `fc.pre` does not count a case with a declared loss, so that each law holds for as many cases as it says.
describe('law 1 for requests of the chat format', () => {
  it('gives back a request that it writes without a loss', () => {
    fc.assert(
      fc.property(chatRequestArbitrary({ format: 'chat', without: lost }), (request) => {
        const { value, losses } = writeRequest(request, { model: request.model, dialect: fullDialect })
        fc.pre(losses.length === 0)
        expect(plainly(readRequest(overTheWire(value)))).toStrictEqual(plainly(request))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('gives back requests of other formats, too, when no loss is declared', () => {
    const others: readonly LossFeature[] = ['top-k', 'thinking-mode', 'reasoning-budget', 'search-result']
    const common = lost.filter((feature) => feature !== 'block-order' && feature !== 'document')
    fc.assert(
      fc.property(chatRequestArbitrary({ without: [...others, ...common] }), (request) => {
        const { value, losses } = writeRequest(request, { model: request.model, dialect: fullDialect })
        const isNamed =
          request.outputFormat?.type !== 'json-schema' || request.outputFormat.name !== undefined
        fc.pre(losses.length === 0 && isNamed)
        expect(plainly(readRequest(overTheWire(value)))).toStrictEqual(plainly(request))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('writes, in every dialect, a body that its own reader accepts, and names its losses', () => {
    fc.assert(
      fc.property(chatRequestArbitrary(), dialectArbitrary, (request, dialect) => {
        const { value, losses } = writeRequest(request, { model: 'upstream', dialect })
        for (const { feature } of losses) expect(possibleLosses).toContain(feature)
        const again = readRequest(overTheWire(value))
        expect([again.model, again.stream]).toEqual(['upstream', request.stream])
        expect(Object.hasOwn(value, 'tool_choice') && !Object.hasOwn(value, 'tools')).toBe(false)
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('a request body of any kind', () => {
  it('is read, or refused with a field at fault', () => {
    const message = fc.record({
      role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'function', 'other'),
      content: fc.oneof(fc.constantFrom('', 'text', null), jsonArbitrary),
      tool_calls: jsonArbitrary,
      tool_call_id: jsonArbitrary,
      reasoning_details: jsonArbitrary,
    })
    const body = fc.record({
      model: fc.oneof(fc.constant('m'), jsonArbitrary),
      messages: fc.oneof(fc.array(message, { maxLength: 3 }), jsonArbitrary),
      tools: jsonArbitrary,
      tool_choice: jsonArbitrary,
      response_format: jsonArbitrary,
      stop: jsonArbitrary,
    })
    let [accepted, refused] = [0, 0]
    fc.assert(
      fc.property(
        fc.oneof(body, fc.constant({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })),
        (value) => {
          try {
            readRequest(value)
            accepted += 1
          } catch (error) {
            refused += 1
            expect(error).toBeInstanceOf(GatewayError)
            if (error instanceof GatewayError) expect(error.failure.param).toBeTruthy()
          }
        },
      ),
      { numRuns: LAW_RUNS },
    )
    expect(Math.min(accepted, refused)).toBeGreaterThan(0)
  })
})
