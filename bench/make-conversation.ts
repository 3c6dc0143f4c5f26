const TOOLS = ['read_file', 'write_file', 'search', 'run'].map((name) => ({
  name,
  description: `Use ${name} where the task needs it. `.repeat(8),
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, text: { type: 'string' }, lines: { type: 'integer' } },
    required: ['path'],
  },
}))

const CODE = '  if (value === undefined) continue // "names" in lower case, as the format wants them\n'

/** A conversation of a coding agent, about this many kilobytes: words, calls of tools and their results. */
export function makeConversation(kilobytes: number): ReturnType<typeof inEveryFormat> {
  const bytesOfRound = 2_500
  return inEveryFormat(Math.max(1, Math.floor((kilobytes * 1024 - 2_500) / bytesOfRound)))
}

function inEveryFormat(rounds: number) {
  return { chat: makeChat(rounds), messages: makeMessages(rounds), responses: makeResponses(rounds) }
}

function makeRounds(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: `call_${index}`,
    words: `I look at part ${index}.`,
    input: { path: `src/part-${index}.ts`, lines: 40 },
    result: CODE.repeat(24),
  }))
}

function makeChat(rounds: number) {
  return {
    model: 'bench',
    stream: true,
    messages: [
      { role: 'system', content: 'You are a careful engineer.' },
      { role: 'user', content: 'Mend the parts.' },
      ...makeRounds(rounds).flatMap(({ id, words, input, result }) => [
        {
          role: 'assistant',
          content: words,
          tool_calls: [
            { id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify(input) } },
          ],
        },
        { role: 'tool', tool_call_id: id, content: result },
      ]),
    ],
    tools: TOOLS.map((tool) => ({ type: 'function', function: tool })),
  }
}

function makeMessages(rounds: number) {
  return {
    model: 'bench',
    stream: true,
    max_tokens: 4_000,
    system: 'You are a careful engineer.',
    messages: [
      { role: 'user', content: 'Mend the parts.' },
      ...makeRounds(rounds).flatMap(({ id, words, input, result }) => [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: words },
            { type: 'tool_use', id, name: 'read_file', input },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
      ]),
    ],
    tools: TOOLS.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    })),
  }
}

function makeResponses(rounds: number) {
  return {
    model: 'bench',
    stream: true,
    store: false,
    instructions: 'You are a careful engineer.',
    input: [
      { role: 'user', content: 'Mend the parts.' },
      ...makeRounds(rounds).flatMap(({ id, words, input, result }) => [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] },
        { type: 'function_call', call_id: id, name: 'read_file', arguments: JSON.stringify(input) },
        { type: 'function_call_output', call_id: id, output: result },
      ]),
    ],
    tools: TOOLS.map((tool) => ({ type: 'function', ...tool, strict: false })),
  }
}
