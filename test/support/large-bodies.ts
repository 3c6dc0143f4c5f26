import type { FormatId } from '../../src/canonical/format.ts'

/** Bodies that grow with a count, each in a shape that another part of a translator walks through. */
export type LargeBody = (count: number) => Readonly<Record<string, unknown>>

function times<Value>(count: number, make: (index: number) => Value): readonly Value[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function named<Value>(count: number, make: (index: number) => Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(times(count, (index) => [`f${index}`, make(index)]))
}

const object = { type: 'object', properties: {} }
const user = { role: 'user', content: 'a' }
const ask = (content: unknown = 'a') => ({ role: 'user', content })

/**
 * An object with so many fields, none of which must be there or all of which must, and as many definitions in a chain.
 */
function schemaOf(count: number): object {
  return {
    type: 'object',
    properties: named(count, () => ({ type: 'string' })),
    required: times(count, (index) => `f${count - 1 - index}`),
    additionalProperties: false,
  }
}

function chainOf(count: number): object {
  const $defs = named(count, (index) =>
    index === count - 1 ? { type: 'string' } : { $ref: `#/$defs/f${index + 1}` },
  )
  return { type: 'object', properties: { a: { $ref: '#/$defs/f0' } }, required: ['a'], $defs }
}

function choiceOf(count: number): object {
  const values = times(count, (index) => `v${index}`)
  const a = { type: times(count, (index) => `t${index}`), enum: values }
  return { type: 'object', properties: { a }, required: ['a'], additionalProperties: false }
}

const chatCall = (index: number) => ({
  id: `c${index}`,
  type: 'function',
  function: { name: `f${index % 7}`, arguments: '{}' },
})
const chatResult = (index: number) => ({ role: 'tool', tool_call_id: `c${index}`, content: 'ok' })
const chatTool = (index: number) => ({
  type: 'function',
  function: { name: `f${index}`, parameters: object },
})
const chatSchema = (schema: object) => ({
  messages: [user],
  response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } },
})

const chat: Readonly<Record<string, LargeBody>> = {
  'users in a row': (count) => ({ messages: times(count, () => user) }),
  'users with parts in a row': (count) => ({
    messages: times(count, () => ask([{ type: 'text', text: 'a' }])),
  }),
  'assistants in a row': (count) => ({
    messages: [user, ...times(count, () => ({ role: 'assistant', content: 'a' })), user],
  }),
  'thoughts in a row': (count) => ({
    messages: [
      user,
      ...times(count, () => ({ role: 'assistant', content: 'a', reasoning_content: 'b' })),
      user,
    ],
  }),
  turns: (count) => ({
    messages: times(count, (index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: 'a' })),
  }),
  'systems in a row': (count) => ({
    messages: [user, ...times(count, () => ({ role: 'system', content: 'a' }))],
  }),
  'systems between users': (count) => ({
    messages: times(count, (index) => ({ role: index % 2 === 0 ? 'user' : 'developer', content: 'a' })),
  }),
  'systems between assistants': (count) => ({
    messages: [
      user,
      ...times(count, (index) => ({ role: index % 2 === 0 ? 'assistant' : 'system', content: 'a' })),
    ],
  }),
  'long texts': (count) => ({
    messages: times(count, (index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: 'Some words, "quoted",\n'.repeat(50),
    })),
  }),
  'parts of one message': (count) => ({ messages: [ask(times(count, () => ({ type: 'text', text: 'a' })))] }),
  'calls and their results, last first': (count) => ({
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: times(count, chatCall) },
      ...times(count, (index) => chatResult(count - 1 - index)),
    ],
  }),
  'calls of one id': (count) => ({
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: times(count, () => chatCall(0)) },
      ...times(count, () => chatResult(0)),
    ],
  }),
  'calls one by one': (count) => ({
    messages: [
      user,
      ...times(count, (index) => [
        { role: 'assistant', tool_calls: [chatCall(index)] },
        chatResult(index),
      ]).flat(),
    ],
  }),
  'results without calls': (count) => ({ messages: [user, ...times(count, chatResult)] }),
  'users behind a result': (count) => ({
    reasoning_effort: 'high',
    messages: [
      user,
      { role: 'assistant', tool_calls: [chatCall(0)] },
      chatResult(0),
      ...times(count, () => user),
    ],
  }),
  'old calls': (count) => ({
    messages: [
      user,
      ...times(count, () => [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'ok' },
      ]).flat(),
    ],
  }),
  'unknown fields of many messages': (count) => ({
    messages: times(count, (index) => ({ ...user, [`x${index}`]: 1 })),
  }),
  'unknown fields of one message': (count) => ({ messages: [{ ...user, ...named(count, () => 1) }] }),
  'unknown fields': (count) => ({ messages: [user], ...named(count, () => 1) }),
  tools: (count) => ({ messages: [user], tools: times(count, chatTool) }),
  'tools with names that no other format takes': (count) => ({
    messages: [user],
    tools: times(count, (index) => ({
      type: 'function',
      function: { name: `a.b.${index}`, parameters: object },
    })),
  }),
  'custom tools': (count) => ({
    messages: [user],
    tools: times(count, (index) => ({ type: 'custom', custom: { name: `f${index}` } })),
  }),
  'allowed tools': (count) => ({
    messages: [user],
    tools: times(count, chatTool),
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'auto',
        tools: times(count, (index) => ({ type: 'function', function: { name: `f${count - 1 - index}` } })),
      },
    },
  }),
  'a schema with many fields': (count) => chatSchema(schemaOf(count)),
  'a schema with a chain of definitions': (count) => chatSchema(chainOf(count)),
  'a schema with many types and values': (count) => chatSchema(choiceOf(count)),
  'a schema with many choices': (count) =>
    chatSchema({ type: 'object', properties: { a: { oneOf: times(count, () => ({ type: 'string' })) } } }),
  'a tool with a large schema': (count) => ({
    messages: [user],
    tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: schemaOf(count) } }],
  }),
  'marks for a cache': (count) => ({
    messages: [ask(times(count, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } })))],
  }),
  pictures: (count) => ({
    messages: [
      ask(times(count, () => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } }))),
    ],
  }),
  stops: (count) => ({ messages: [user], stop: times(count, (index) => `s${index}`) }),
}

const messagesCall = (index: number) => ({ type: 'tool_use', id: `c${index}`, name: 'f', input: {} })
const messagesResult = (index: number) => ({ type: 'tool_result', tool_use_id: `c${index}`, content: 'ok' })
const asking = (fields: object) => ({ max_tokens: 2_000, ...fields })

const messages: Readonly<Record<string, LargeBody>> = {
  'users in a row': (count) => asking({ messages: times(count, () => user) }),
  'assistants in a row': (count) =>
    asking({ messages: [user, ...times(count, () => ({ role: 'assistant', content: 'a' })), user] }),
  'systems in a row': (count) =>
    asking({ messages: [user, ...times(count, () => ({ role: 'system', content: 'a' }))] }),
  'system blocks': (count) =>
    asking({ system: times(count, () => ({ type: 'text', text: 'a' })), messages: [user] }),
  'calls and their results, last first': (count) =>
    asking({
      messages: [
        user,
        { role: 'assistant', content: times(count, messagesCall) },
        ask(times(count, (index) => messagesResult(count - 1 - index))),
      ],
    }),
  'results in messages of their own': (count) =>
    asking({
      messages: [
        user,
        { role: 'assistant', content: times(count, messagesCall) },
        ...times(count, (index) => ask([messagesResult(index)])),
      ],
    }),
  'results between words': (count) =>
    asking({
      messages: [
        user,
        { role: 'assistant', content: times(count, messagesCall) },
        ask(times(count, (index) => [messagesResult(index), { type: 'text', text: 'a' }]).flat()),
      ],
    }),
  thoughts: (count) =>
    asking({
      messages: [
        user,
        {
          role: 'assistant',
          content: times(count, (index) => [
            { type: 'thinking', thinking: 'a', signature: `s${index}` },
            messagesCall(index),
          ]).flat(),
        },
        ask(times(count, messagesResult)),
      ],
    }),
  'users behind a result, with thinking': (count) =>
    asking({
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      messages: [
        user,
        { role: 'assistant', content: [messagesCall(0)] },
        ask([messagesResult(0)]),
        ...times(count, () => user),
      ],
    }),
  'marks for a cache': (count) =>
    asking({
      messages: [
        ask(times(count, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }))),
      ],
    }),
  tools: (count) =>
    asking({
      messages: [user],
      tools: times(count, (index) => ({ name: `f${index}`, input_schema: object })),
    }),
  'a tool with a large schema': (count) =>
    asking({ messages: [user], tools: [{ name: 'f', input_schema: schemaOf(count) }] }),
  documents: (count) =>
    asking({
      messages: [
        ask(
          times(count, () => ({
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'a' },
          })),
        ),
      ],
    }),
}

const responses: Readonly<Record<string, LargeBody>> = {
  'users in a row': (count) => ({ input: times(count, () => user) }),
  'assistants in a row': (count) => ({
    input: [user, ...times(count, () => ({ role: 'assistant', content: 'a' })), user],
  }),
  'items of an answer': (count) => ({
    input: [
      user,
      ...times(count, (index) => [
        { type: 'reasoning', id: `r${index}`, summary: [{ type: 'summary_text', text: 'a' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] },
      ]).flat(),
    ],
  }),
  'systems between users': (count) => ({
    input: times(count, (index) => ({ role: index % 2 === 0 ? 'user' : 'developer', content: 'a' })),
  }),
  'parts of one message': (count) => ({
    input: [ask(times(count, () => ({ type: 'input_text', text: 'a' })))],
  }),
  'calls and their results, last first': (count) => ({
    input: [
      user,
      ...times(count, (index) => ({
        type: 'function_call',
        call_id: `c${index}`,
        name: 'f',
        arguments: '{}',
      })),
      ...times(count, (index) => ({
        type: 'function_call_output',
        call_id: `c${count - 1 - index}`,
        output: 'ok',
      })),
    ],
  }),
  'tools of a namespace': (count) => ({
    input: 'a',
    tools: [
      {
        type: 'namespace',
        name: 'n',
        tools: times(count, (index) => ({ type: 'function', name: `f${index}`, parameters: object })),
      },
    ],
  }),
  'things to include': (count) => ({ input: 'a', include: times(count, (index) => `x${index}`) }),
}

const geminiUser = { role: 'user', parts: [{ text: 'a' }] }

const gemini: Readonly<Record<string, LargeBody>> = {
  'users in a row': (count) => ({ contents: times(count, () => geminiUser) }),
  'models in a row': (count) => ({
    contents: [geminiUser, ...times(count, () => ({ role: 'model', parts: [{ text: 'a' }] })), geminiUser],
  }),
  'thoughts in a row': (count) => ({
    contents: [
      geminiUser,
      ...times(count, () => ({ role: 'model', parts: [{ text: 'a', thought: true }] })),
      geminiUser,
    ],
  }),
  'calls by name': (count) => ({
    contents: [
      geminiUser,
      { role: 'model', parts: times(count, (index) => ({ functionCall: { name: `f${index}`, args: {} } })) },
      {
        role: 'user',
        parts: times(count, (index) => ({
          functionResponse: { name: `f${count - 1 - index}`, response: { output: 'ok' } },
        })),
      },
    ],
  }),
  'calls by id, answered last first': (count) => ({
    contents: [
      geminiUser,
      {
        role: 'model',
        parts: times(count, (index) => ({ functionCall: { id: `c${index}`, name: 'f', args: {} } })),
      },
      {
        role: 'user',
        parts: times(count, (index) => ({
          functionResponse: { id: `c${count - 1 - index}`, name: 'f', response: { output: 'ok' } },
        })),
      },
    ],
  }),
  signatures: (count) => ({
    contents: [
      geminiUser,
      {
        role: 'model',
        parts: times(count, (index) => ({
          thoughtSignature: 'YWFh',
          functionCall: { name: `f${index}`, args: {} },
        })),
      },
    ],
  }),
  tools: (count) => ({
    contents: [geminiUser],
    tools: [{ functionDeclarations: times(count, (index) => ({ name: `f${index}`, parameters: object })) }],
  }),
  'a large schema': (count) => ({
    contents: [geminiUser],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schemaOf(count) },
  }),
}

const ollamaCall = (index: number) => ({ function: { name: `f${index % 7}`, arguments: {} } })
const ollamaResult = (index: number) => ({ role: 'tool', content: 'ok', tool_name: `f${index % 7}` })

const ollama: Readonly<Record<string, LargeBody>> = {
  'users in a row': (count) => ({ messages: times(count, () => user) }),
  'users with images': (count) => ({
    messages: [{ ...user, images: times(count, () => 'iVBORw0KGgoAAAANSUhEUg==') }],
  }),
  'calls of one turn, each with its result': (count) => ({
    messages: [
      user,
      { role: 'assistant', content: '', tool_calls: times(count, ollamaCall) },
      ...times(count, ollamaResult),
    ],
  }),
  'calls turn by turn': (count) => ({
    messages: [
      user,
      ...times(count, (index) => [
        { role: 'assistant', content: '', tool_calls: [ollamaCall(index)] },
        ollamaResult(index),
      ]).flat(),
    ],
  }),
  'results without a call': (count) => ({ messages: [user, ...times(count, ollamaResult)] }),
  tools: (count) => ({ messages: [user], tools: times(count, chatTool) }),
  'a schema': (count) => ({ messages: [user], format: schemaOf(count) }),
}

const converseUser = { role: 'user', content: [{ text: 'a' }] }
const converseCall = (index: number) => ({ toolUse: { toolUseId: `c${index}`, name: 'f', input: {} } })
const converseResult = (index: number) => ({
  toolResult: { toolUseId: `c${index}`, content: [{ json: {} }] },
})

const converse: Readonly<Record<string, LargeBody>> = {
  'users in a row': (count) => ({ messages: times(count, () => converseUser) }),
  'words with points': (count) => ({
    messages: [
      {
        role: 'user',
        content: times(count, () => [{ text: 'a' }, { cachePoint: { type: 'default' } }]).flat(),
      },
    ],
  }),
  'documents of one name': (count) => ({
    messages: [
      {
        role: 'user',
        content: [
          { text: 'a' },
          ...times(count, () => ({ document: { format: 'pdf', name: 'a', source: { bytes: 'AA==' } } })),
        ],
      },
    ],
  }),
  'calls of one turn, each with its result': (count) => ({
    messages: [
      converseUser,
      { role: 'assistant', content: times(count, converseCall) },
      { role: 'user', content: times(count, converseResult) },
    ],
  }),
  'results message by message': (count) => ({
    messages: [
      converseUser,
      { role: 'assistant', content: times(count, converseCall) },
      ...times(count, (index) => ({ role: 'user', content: [converseResult(index)] })),
    ],
  }),
  tools: (count) => ({
    messages: [converseUser],
    toolConfig: {
      tools: times(count, (index) => ({ toolSpec: { name: `f${index}`, inputSchema: { json: object } } })),
    },
  }),
}

/** The formats whose requests are read, those that callers alone speak among them. */
export type LargeBodyFormat = FormatId | 'ollama-chat' | 'bedrock-converse'

export const largeBodies: Readonly<Record<LargeBodyFormat, Readonly<Record<string, LargeBody>>>> = {
  chat,
  messages,
  responses,
  gemini,
  'ollama-chat': ollama,
  'bedrock-converse': converse,
}
