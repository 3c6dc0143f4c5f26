import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatRequestArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { jsonArbitrary } from '../../../test/support/value-arbitraries.ts'
import type { AssistantBlock } from '../../canonical/content.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { LossFeature } from '../../canonical/loss.ts'
import type { ChatRequest, Turn } from '../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { type Dialect, defaultDialect } from '../dialect.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'

const fullDialect: Dialect = { ...defaultDialect, reasoning: 'effort' }

function overTheWire(value: JsonObject): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value))
  if (isJsonObject(parsed)) return parsed
  throw new Error('not an object')
}

/** Defaults: an output in plain text, hidden reasoning, IDs of items. */
function plainly(request: ChatRequest): ChatRequest {
  const { reasoning, logprobs, ...others } = request
  const { display, ...thought } = reasoning ?? {}
  const shown = display === 'summarized' ? { ...thought, display } : thought
  return {
    ...others,
    ...(logprobs === true ? { logprobs } : {}),
    ...(Object.keys(shown).length === 0 ? {} : { reasoning: shown }),
    turns: withoutAutoDetail(request.turns.map(plainTurn)),
  }
}

/** Removes the detail `auto`: the format demands the field, and `auto` is what leaving it out means. */
function withoutAutoDetail(turns: readonly Turn[]): readonly Turn[] {
  return JSON.parse(JSON.stringify(turns), (name, value) =>
    name === 'detail' && value === 'auto' ? undefined : value,
  )
}

function plainTurn(turn: Turn): Turn {
  return turn.role === 'assistant' ? { ...turn, content: turn.content.map(plainBlock) } : turn
}

function plainBlock(block: AssistantBlock): AssistantBlock {
  if (block.type !== 'thinking' || block.extras?.format !== 'responses') return block
  return { ...block, extras: { ...block.extras, fields: { ...block.extras.fields, id: '' } } }
}

/** The features that the format loses of requests so often that hardly one would be left. */
const carried: ReadonlySet<LossFeature> = new Set([
  'audio',
  'document',
  'end-user',
  'foreign-block',
  'foreign-field',
  'foreign-tool',
  'image',
  'image-detail',
  'json-output',
  'logprobs',
  'parallel-tool-calls',
  'reasoning-display',
  'reasoning-effort',
  'sampling',
  'service-tier',
  'thinking',
  'tool-choice',
  'tool-strict',
  'verbosity',
])
const lost = possibleLosses.filter((feature) => !carried.has(feature))

// `fc.pre` does not count a case with a declared loss, so that each law holds for as many cases as it says.
describe('law 1 for requests of the responses format', () => {
  it('gives back a request that it writes without a loss', () => {
    const request = chatRequestArbitrary({
      format: 'responses',
      without: [...lost, 'reasoning-budget', 'thinking-mode'],
      extrasAt: ['request', 'block', 'tool'],
    })
    fc.assert(
      fc.property(request, (asked) => {
        const { value, losses } = writeRequest(asked, { model: asked.model, dialect: fullDialect })
        fc.pre(losses.every(({ kind }) => kind === 'defaulted') && isStrictStated(asked))
        expect(plainly(readRequest(overTheWire(value)))).toStrictEqual(plainly(asked))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('gives back requests of other formats, too, when no loss is declared', () => {
    fc.assert(
      fc.property(chatRequestArbitrary({ without: [...lost, 'thinking', 'document'] }), (asked) => {
        const { value, losses } = writeRequest(asked, { model: asked.model, dialect: fullDialect })
        fc.pre(losses.length === 0)
        expect(plainly(readRequest(overTheWire(value)))).toStrictEqual(plainly(asked))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('writes a body that its own reader accepts, and names its losses', () => {
    const dialects = fc.constantFrom(fullDialect, defaultDialect)
    fc.assert(
      fc.property(chatRequestArbitrary(), dialects, (asked, dialect) => {
        const { value, losses } = writeRequest(asked, { model: 'upstream', dialect })
        for (const { feature } of losses) expect(possibleLosses).toContain(feature)
        const again = readRequest(overTheWire(value))
        expect([again.model, again.stream]).toEqual(['upstream', asked.stream])
        expect(Object.hasOwn(value, 'tool_choice') && !Object.hasOwn(value, 'tools')).toBe(false)
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

/** Whether the request states what the format requires: `strict` of functions, and names. */
function isStrictStated({ tools = [], outputFormat, turns }: ChatRequest): boolean {
  const isNamed = outputFormat?.type !== 'json-schema' || outputFormat.name !== undefined
  const isStrict = tools.every((tool) => tool.type !== 'function' || tool.strict !== undefined)
  return isNamed && isStrict && !JSON.stringify(turns).includes('"type":"document"')
}

describe('a request body of any kind', () => {
  it('is read, or refused with a field at fault', () => {
    const item = fc.record(
      {
        type: fc.constantFrom(
          'message',
          'reasoning',
          'function_call',
          'function_call_output',
          'item_reference',
          'x',
        ),
        role: fc.constantFrom('system', 'user', 'assistant', 'developer', 'other'),
        content: fc.oneof(fc.constantFrom('', 'text', null), jsonArbitrary),
        call_id: jsonArbitrary,
        output: jsonArbitrary,
        summary: jsonArbitrary,
        encrypted_content: jsonArbitrary,
      },
      { requiredKeys: [] },
    )
    const body = fc.record(
      {
        model: fc.oneof(fc.constant('m'), jsonArbitrary),
        input: fc.oneof(fc.array(item, { maxLength: 3 }), jsonArbitrary),
        instructions: jsonArbitrary,
        tools: jsonArbitrary,
        tool_choice: jsonArbitrary,
        text: jsonArbitrary,
        reasoning: jsonArbitrary,
        include: jsonArbitrary,
        store: jsonArbitrary,
      },
      { requiredKeys: [] },
    )
    let [accepted, refused] = [0, 0]
    fc.assert(
      fc.property(fc.oneof(body, fc.constant({ model: 'm', input: 'Hi' })), (value) => {
        try {
          readRequest(value)
          accepted += 1
        } catch (error) {
          refused += 1
          expect(error).toBeInstanceOf(GatewayError)
          if (error instanceof GatewayError) expect(error.failure.param).toBeTruthy()
        }
      }),
      { numRuns: LAW_RUNS },
    )
    expect(Math.min(accepted, refused)).toBeGreaterThan(0)
  })
})
