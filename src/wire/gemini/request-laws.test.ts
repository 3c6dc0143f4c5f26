import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatRequestArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { jsonArbitrary } from '../../../test/support/value-arbitraries.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { LossFeature } from '../../canonical/loss.ts'
import type { ChatRequest, OutputFormat, ToolChoice } from '../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { geminiDialect } from '../../providers/models/gemini-dialect.ts'
import { type Dialect, defaultDialect } from '../dialect.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'

/** The body as a caller's request has it: the path says model and stream. */
function overTheWire(
  value: JsonObject,
  { model, stream }: Pick<ChatRequest, 'model' | 'stream'>,
): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value))
  if (isJsonObject(parsed)) return { ...parsed, model, stream }
  throw new Error('not an object')
}

/** Defaults and synonyms. */
function plainly(request: ChatRequest): ChatRequest {
  const { parallelToolCalls: _parallel, outputFormat, toolChoice, ...others } = request
  return JSON.parse(
    JSON.stringify({
      ...others,
      ...(outputFormat === undefined ? {} : { outputFormat: plainFormat(outputFormat) }),
      ...(toolChoice === undefined ? {} : { toolChoice: plainChoice(toolChoice) }),
    }),
    plainMember,
  )
}

/** A schema's name is for logs; the format always keeps to it. */
function plainFormat(format: OutputFormat): OutputFormat {
  return format.type === 'json-schema' ? { type: format.type, schema: format.schema } : format
}

/** One tool that must be called is that tool. */
function plainChoice(choice: ToolChoice): ToolChoice {
  if (choice.type !== 'allowed' || choice.mode !== 'required' || choice.tools.length !== 1) return choice
  const [tool] = choice.tools
  const named = isJsonObject(tool) ? tool['function'] : undefined
  const name = isJsonObject(named) && typeof named['name'] === 'string' ? named['name'] : ''
  return { type: 'tool', name, kind: 'function' }
}

function plainMember(name: string, value: unknown): unknown {
  if (name === 'detail' && value === 'auto') return undefined
  if (name === 'authority') return 'system'
  return name === 'strict' && value === false ? undefined : value
}

/** The features that the format loses of requests so often that hardly one would be left. */
const carried: ReadonlySet<LossFeature> = new Set([
  'audio',
  'document',
  'foreign-block',
  'foreign-field',
  'foreign-tool',
  'image',
  'json-output',
  'reasoning-display',
  'reasoning-effort',
  'seed',
  'stop-sequences',
  'tool-choice',
  'tool-input',
  'tool-result-content',
  'turn-order',
  'video',
])
const lost = possibleLosses.filter((feature) => !carried.has(feature))

const models = [
  'gemini-2.0-flash',
  'gemini-2.5-pro',
  'gemini-2.5-flash-lite',
  'gemini-3-pro',
  'gemini-3.8-flash',
]
const dialects: readonly Dialect[] = [
  defaultDialect,
  ...models.map((model) => ({ ...defaultDialect, ...geminiDialect(model) })),
]

/** The same with what is lost most often put in a way that is not, so that few cases are thrown away. */
function spared(request: ChatRequest): ChatRequest {
  return JSON.parse(JSON.stringify(request), (name, value: unknown) => {
    if (name === 'results' && Array.isArray(value)) return value.map(spareResult)
    return isRecord(value) ? spareBlock(value) : value
  })
}

function spareBlock(block: Readonly<Record<string, unknown>>): unknown {
  const { source, title: _title, context: _context, description: _description, ...others } = block
  const held = isRecord(source) && source['type'] === 'file' ? `gs://bucket/${source['fileId']}` : undefined
  const file = held === undefined ? source : { type: 'file', fileId: held }
  switch (block['type']) {
    case 'document':
      return isRecord(source) && source['type'] === 'text' ? source : { ...others, source: file }
    case 'audio':
      return { data: 'AA==', encoding: 'wav', type: 'audio', ...others, id: undefined }
    case 'image':
    case 'video':
      return { ...block, source: file }
    case 'json-schema':
      return others
    default:
      return block
  }
}

/** Words in a result have no part that could hold more fields. */
function spareResult(result: unknown): unknown {
  if (!isRecord(result) || !Array.isArray(result['content'])) return result
  const content = result['content'].map((block: unknown) =>
    isRecord(block) && block['type'] === 'text' ? { type: 'text', text: block['text'] } : block,
  )
  return { ...result, content }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// `fc.pre` does not count a case with a declared loss, so that each law holds for as many cases as it says.
describe('law 1 for requests of the Gemini format', () => {
  it('gives back a request that it writes without a loss', () => {
    const request = chatRequestArbitrary({
      format: 'gemini',
      without: lost,
      extrasAt: ['request', 'turn', 'block', 'tool'],
    })
    fc.assert(
      fc.property(request.map(spared), (asked) => {
        const { value, losses } = writeRequest(asked, { model: asked.model, dialect: defaultDialect })
        fc.pre(losses.length === 0)
        expect(plainly(readRequest(overTheWire(value, asked)))).toStrictEqual(plainly(asked))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('gives back requests of other formats, too, when no loss is declared', () => {
    const request = chatRequestArbitrary({ without: [...lost, 'thinking', 'document', 'foreign-field'] })
    fc.assert(
      fc.property(request.map(spared), fc.constantFrom(...dialects), (asked, dialect) => {
        const { value, losses } = writeRequest(asked, { model: asked.model, dialect })
        // Not to think goes without saying where the model cannot.
        const isSaid = dialect.geminiModel?.thinking !== 'none' || asked.reasoning === undefined
        fc.pre(losses.length === 0 && isSaid)
        expect(plainly(readRequest(overTheWire(value, asked)))).toStrictEqual(plainly(asked))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('writes a body that its own reader accepts, and names its losses', () => {
    fc.assert(
      fc.property(chatRequestArbitrary(), fc.constantFrom(...dialects), (asked, dialect) => {
        const { value, losses } = writeRequest(asked, { model: 'upstream', dialect })
        for (const { feature } of losses) expect(possibleLosses).toContain(feature)
        expect(Object.keys(value)).not.toContain('model')
        expect(Object.hasOwn(value, 'toolConfig') && !Object.hasOwn(value, 'tools')).toBe(false)
        const again = readRequest(overTheWire(value, asked))
        expect([again.turns.find(({ role }) => role !== 'system')?.role, again.turns.at(-1)?.role]).toEqual([
          'user',
          expect.stringMatching(/^(user|tool)$/),
        ])
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('a request body of any kind', () => {
  it('is read, or refused with a field at fault', () => {
    const part = fc.record(
      {
        text: jsonArbitrary,
        thought: fc.boolean(),
        thoughtSignature: fc.oneof(fc.string(), jsonArbitrary),
        inlineData: fc.oneof(fc.constant({ mimeType: 'image/png', data: 'AA==' }), jsonArbitrary),
        file_data: jsonArbitrary,
        functionCall: fc.oneof(fc.constant({ name: 'f', args: {} }), jsonArbitrary),
        function_response: fc.oneof(fc.constant({ name: 'f', response: { output: 'x' } }), jsonArbitrary),
        executableCode: jsonArbitrary,
      },
      { requiredKeys: [] },
    )
    const content = fc.record(
      {
        role: fc.constantFrom('user', 'model', 'function', 'system', 'other'),
        parts: fc.oneof(fc.array(part, { maxLength: 3 }), jsonArbitrary),
      },
      { requiredKeys: [] },
    )
    const body = fc.record(
      {
        model: fc.constant('m'),
        contents: fc.oneof(fc.array(content, { maxLength: 3 }), jsonArbitrary),
        system_instruction: fc.oneof(content, jsonArbitrary),
        tools: jsonArbitrary,
        toolConfig: jsonArbitrary,
        generation_config: fc.oneof(
          fc.record({
            thinkingConfig: jsonArbitrary,
            responseSchema: jsonArbitrary,
            stopSequences: jsonArbitrary,
          }),
          jsonArbitrary,
        ),
        cachedContent: jsonArbitrary,
      },
      { requiredKeys: [] },
    )
    let [accepted, refused] = [0, 0]
    fc.assert(
      fc.property(
        fc.oneof(body, fc.constant({ model: 'm', contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })),
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
