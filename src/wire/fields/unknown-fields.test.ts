import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { anthropic } from '../../providers/vendors/anthropic.ts'
import { gemini } from '../../providers/vendors/gemini.ts'
import { openai } from '../../providers/vendors/openai.ts'
import { chatFormat } from '../chat/format.ts'
import { cohereFormat } from '../cohere/format.ts'
import { completionsFormat } from '../completions/format.ts'
import { bedrockConverseFormat } from '../converse/caller-format.ts'
import { converseFormat } from '../converse/format.ts'
import { defaultDialect } from '../dialect.ts'
import { geminiFormat } from '../gemini/format.ts'
import { messagesFormat } from '../messages/format.ts'
import { ollamaChatFormat, ollamaGenerateFormat } from '../ollama/format.ts'
import { responsesFormat } from '../responses/format.ts'
import type { ChannelFormat, ConversationFormat, WriteTarget } from '../wire-format.ts'

const schema = {
  type: 'object',
  properties: { n: { type: 'integer', minimum: 3 } },
  required: ['n'],
  additionalProperties: true,
}

const picture = 'iVBORw0KGgo='

/** Bodies that contain every kind of named object. */
const requests: readonly (readonly [ConversationFormat, JsonObject])[] = [
  [
    chatFormat,
    {
      model: 'm',
      max_completion_tokens: 2000,
      reasoning_effort: 'low',
      stream: true,
      stream_options: { include_usage: true },
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
      tool_choice: 'auto',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
          ],
        },
        {
          role: 'assistant',
          content: 'I call.',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"n":4}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
      ],
    },
  ],
  [
    messagesFormat,
    {
      model: 'm',
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' },
      output_config: { format: { type: 'json_schema', schema }, effort: 'low' },
      metadata: { user_id: 'u' },
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'f', input_schema: schema }],
      tool_choice: { type: 'auto' },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
            { type: 'tool_use', id: 'c1', name: 'f', input: { n: 4 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'done' }] },
      ],
    },
  ],
  [
    responsesFormat,
    {
      model: 'm',
      max_output_tokens: 2000,
      store: false,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'a', schema, strict: true }, verbosity: 'low' },
      tools: [{ type: 'function', name: 'f', parameters: schema, strict: false }],
      tool_choice: 'auto',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hi' },
            { type: 'input_image', image_url: `data:image/png;base64,${picture}`, detail: 'auto' },
          ],
        },
        { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"n":4}' },
        { type: 'function_call_output', call_id: 'c1', output: 'done' },
      ],
    },
  ],
  [
    geminiFormat,
    {
      model: 'm',
      stream: false,
      generationConfig: {
        maxOutputTokens: 2000,
        responseMimeType: 'application/json',
        responseJsonSchema: schema,
        thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
      },
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: picture } }] },
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: { n: 4 } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'f', response: { output: 'done' } } }],
        },
      ],
    },
  ],
  [completionsFormat, { model: 'm', prompt: 'Hi', max_tokens: 9, stream_options: { include_usage: true } }],
  [
    ollamaChatFormat,
    {
      model: 'm',
      format: schema,
      think: 'low',
      options: { num_predict: 2000, temperature: 1 },
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi', images: [picture] },
        { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: { n: 4 } } }] },
        { role: 'tool', content: 'done', tool_name: 'f' },
      ],
    },
  ],
  [
    bedrockConverseFormat,
    {
      model: 'm',
      stream: false,
      system: [{ text: 'Be brief.' }],
      inferenceConfig: { maxTokens: 2000, temperature: 1 },
      outputConfig: { effort: 'low' },
      toolConfig: {
        tools: [{ toolSpec: { name: 'f', inputSchema: { json: schema } } }],
        toolChoice: { auto: {} },
      },
      messages: [
        { role: 'user', content: [{ text: 'Hi' }, { image: { format: 'png', source: { bytes: picture } } }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'f', input: { n: 4 } } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: 'done' }] } }] },
      ],
    },
  ],
  [ollamaGenerateFormat, { model: 'm', prompt: 'Hi', system: 'Be brief.', options: { num_predict: 9 } }],
]

const targets: Readonly<Record<ChannelFormatId, readonly [ChannelFormat, WriteTarget]>> = {
  chat: [chatFormat, { model: 'gpt-5.2', dialect: openai.dialect('gpt-5.2') }],
  messages: [messagesFormat, { model: 'claude-sonnet-4-5', dialect: anthropic.dialect('claude-sonnet-4-5') }],
  responses: [responsesFormat, { model: 'gpt-5.2', dialect: openai.dialect('gpt-5.2') }],
  gemini: [geminiFormat, { model: 'gemini-2.5-pro', dialect: gemini.dialect('gemini-2.5-pro') }],
  cohere: [cohereFormat, { model: 'command-a', dialect: defaultDialect }],
  converse: [converseFormat, { model: 'anthropic.claude', dialect: defaultDialect }],
}

/** Objects whose members mean what their writer says: a schema, a tool's input. */
const free: ReadonlySet<string> = new Set([
  'schema',
  'parameters',
  'parametersJsonSchema',
  'responseJsonSchema',
  'input_schema',
  'args',
  'arguments',
  'format',
  'json',
  'response',
])

type Path = readonly (string | number)[]

function objectsOf(value: JsonValue | undefined, path: Path = []): readonly Path[] {
  if (isJsonArray(value)) return value.flatMap((item, index) => objectsOf(item, [...path, index]))
  if (!isJsonObject(value)) return []
  const inner = Object.entries(value).flatMap(([name, member]) =>
    free.has(name) || (name === 'input' && isJsonObject(member)) ? [] : objectsOf(member, [...path, name]),
  )
  return [path, ...inner]
}

function withUnknown(value: JsonValue, [step, ...others]: Path, more: JsonObject): JsonValue {
  if (step === undefined) return isJsonObject(value) ? { ...value, ...more } : value
  if (isJsonArray(value)) {
    return value.map((item, index) => (index === step ? withUnknown(item, others, more) : item))
  }
  if (!isJsonObject(value)) return value
  return { ...value, [step]: withUnknown(value[step] ?? null, others, more) }
}

const UNKNOWN = 'novel'

/** The value without unknown fields; members that hold nothing else are removed. */
function known(value: JsonValue | undefined): JsonValue | undefined {
  if (isJsonArray(value)) return value.map((item) => known(item) ?? null)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name.startsWith(UNKNOWN)) return []
      const left = known(member)
      const isEmptied = isJsonObject(left) && Object.keys(left).length === 0 && left !== member
      return isEmptied && !sameKeys(member, left) ? [] : [[name, left]]
    }),
  )
}

function sameKeys(before: JsonValue | undefined, after: JsonObject): boolean {
  return isJsonObject(before) && Object.keys(before).length === Object.keys(after).length
}

/** A text alone is written as one word or as a list of one part. */
function plainly(value: JsonValue | undefined): JsonValue | undefined {
  if (isJsonArray(value)) {
    const [only, ...others] = value
    const isText = isJsonObject(only) && Object.keys(only).sort().join() === 'text,type'
    return isText && others.length === 0 ? (only['text'] ?? null) : value.map((item) => plainly(item) ?? null)
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainly(member)]))
}

const unknownValue = fc.constantFrom<JsonValue>(1, 'x', null, [1], {}, { type: 'x', a: { b: 1 } })

describe.each(requests)('an unknown field of a request ($id)', (caller, body) => {
  it.each(Object.values(targets))('never changes a known field for a channel ($id)', (channel, target) => {
    const before = channel.writeRequest(caller.readRequest(body), target)
    // Whatever an entry of Gemini's tools holds beside functions is a tool that the provider runs.
    const places = objectsOf(body).filter(
      (path) => path[0] !== 'tools' || path.length > 2 || caller.id !== 'gemini',
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...places), unknownValue), { minLength: 1, maxLength: 3 }),
        (added) => {
          let changed: JsonValue = body
          for (const [at, [path, value]] of added.entries()) {
            changed = withUnknown(changed, path, { [`${UNKNOWN}_${at}`]: value })
          }
          if (!isJsonObject(changed)) throw new Error('no body')
          const after = channel.writeRequest(caller.readRequest(changed), target)
          expect(plainly(known(after.value))).toEqual(plainly(known(before.value)))
          const own = after.losses.filter(({ feature }) => feature !== 'foreign-field')
          expect(own).toEqual(before.losses.filter(({ feature }) => feature !== 'foreign-field'))
        },
      ),
      { numRuns: LAW_RUNS / 10 },
    )
  })
})

const claude = { model: 'claude-sonnet-4-5', dialect: anthropic.dialect('claude-sonnet-4-5') }
const plain = { model: 'm', max_tokens: 4000, messages: [{ role: 'user', content: 'Hi' }] }

describe('unknown fields of a named object', () => {
  it('do not change the fitted schema', () => {
    const format = { type: 'json_schema', schema, novel: 1 }
    const request = messagesFormat.readRequest({ ...plain, output_config: { format } })
    const { value } = messagesFormat.writeRequest(request, claude)
    expect(value['output_config']).toMatchObject({
      format: { novel: 1, schema: { additionalProperties: false } },
    })
    expect(JSON.stringify(value)).not.toContain('"minimum"')
  })

  it('are left out with their object, and declared lost', () => {
    const thinking = { type: 'enabled', budget_tokens: 2000, display: 'full' }
    const tools = [{ name: 'f', input_schema: schema }]
    const choice = { type: 'tool', name: 'f' }
    const request = messagesFormat.readRequest({ ...plain, thinking, tools, tool_choice: choice })
    const { value, losses } = messagesFormat.writeRequest(request, claude)
    expect(value['thinking']).toBeUndefined()
    expect(losses).toContainEqual({ feature: 'foreign-field', kind: 'dropped', field: 'thinking.display' })
  })

  it('pass alone in an object without known fields', () => {
    const request = messagesFormat.readRequest({ ...plain, output_config: { novel: 1 } })
    const { value } = messagesFormat.writeRequest(request, claude)
    expect(value['output_config']).toEqual({ novel: 1 })
  })

  it('do not hide a cache mark', () => {
    const content = [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', novel: 1 } }]
    const request = chatFormat.readRequest({ model: 'm', messages: [{ role: 'user', content }] })
    const { value } = messagesFormat.writeRequest(request, claude)
    expect(JSON.stringify(value)).toContain('"cache_control":{"type":"ephemeral"}')
  })
})
