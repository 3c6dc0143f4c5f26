import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../canonical/request.ts'
import { writeRequest } from '../wire/chat/request/write-request.ts'
import { type ProviderId, providers } from './registry.ts'

const CALL = 'toolu_01A09q90qw90lq917835lq9'

/** A request of a coding agent of the messages format in the middle of its work. */
const agentic: ChatRequest = {
  model: 'public',
  turns: [
    { role: 'system', authority: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Context.' },
        { type: 'text', text: 'Add 2 and 2.', cache: {} },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'A sum.', signature: 's' },
        { type: 'tool-call', id: CALL, kind: 'function', name: 'add', input: '{"a":2,"b":2}' },
      ],
    },
    {
      role: 'tool',
      results: [
        { type: 'tool-result', callId: CALL, content: [{ type: 'text', text: '4' }], isError: false },
      ],
    },
  ],
  stream: true,
  tools: [{ type: 'function', name: 'add', parameters: { type: 'object', properties: {} }, strict: true }],
  toolChoice: { type: 'required' },
  parallelToolCalls: false,
  maxOutputTokens: 500,
  temperature: 1,
  topK: 5,
  stopSequences: ['END'],
  reasoning: { mode: 'on', budgetTokens: 8000, effort: 'medium' },
  endUser: 'ada',
  seed: 7,
}

function write(id: ProviderId, model: string, request: Partial<ChatRequest> = {}) {
  const { value, losses } = writeRequest(
    { ...agentic, ...request },
    { model, dialect: providers[id].dialect(model) },
  )
  return { body: value, features: losses.map(({ feature, kind }) => `${feature} ${kind}`) }
}

const assistantOf = (body: object) =>
  JSON.parse(JSON.stringify(body)).messages.find(({ role }: { role: string }) => role === 'assistant')

describe('the fields that each vendor receives from an agent request', () => {
  it.each<[ProviderId, string, object, readonly string[]]>([
    ['openrouter', 'z-ai/glm-5', { reasoning_effort: 'medium', top_k: 5, tool_choice: 'required' }, []],
    [
      'mistral',
      'mistral-small-latest',
      { reasoning_effort: 'high', random_seed: 7, tool_choice: 'any' },
      ['user', 'stream_options', 'seed', 'top_k'],
    ],
    ['mistral', 'codestral-latest', { stop: ['END'] }, ['reasoning_effort', 'user', 'stream_options']],
    [
      'deepseek',
      'deepseek-v4-pro',
      { thinking: { type: 'enabled' }, reasoning_effort: 'medium', tool_choice: 'auto' },
      ['user', 'seed', 'parallel_tool_calls'],
    ],
    ['xai', 'grok-4.5', { reasoning_effort: 'medium', max_completion_tokens: 500 }, ['stop', 'max_tokens']],
    ['xai', 'grok-4-0709', { tool_choice: 'required' }, ['reasoning_effort', 'stop']],
    ['xai', 'grok-4.20-0309-non-reasoning', { stop: ['END'] }, ['reasoning_effort']],
    [
      'together',
      'zai-org/GLM-5.3',
      { reasoning_effort: 'medium', top_k: 5 },
      ['user', 'parallel_tool_calls'],
    ],
    ['fireworks', 'accounts/fireworks/models/kimi-k2p5', { reasoning_effort: 'medium', top_k: 5 }, []],
    ['fireworks', 'accounts/fireworks/models/llama-v3p3-70b-instruct', { top_k: 5 }, ['reasoning_effort']],
    ['cerebras', 'gpt-oss-120b', { reasoning_effort: 'medium', max_completion_tokens: 500 }, ['max_tokens']],
    ['cerebras', 'zai-glm-4.7', {}, ['reasoning_effort']],
    [
      'perplexity',
      'sonar-deep-research',
      { reasoning_effort: 'medium', top_k: 5 },
      ['tools', 'tool_choice', 'stop', 'seed', 'user', 'stream_options'],
    ],
    [
      'moonshot',
      'kimi-k2.6',
      { thinking: { type: 'enabled' }, tool_choice: 'auto' },
      ['reasoning_effort', 'temperature', 'seed'],
    ],
    [
      'moonshot',
      'kimi-k3',
      { reasoning_effort: 'high', tool_choice: 'required' },
      ['thinking', 'temperature'],
    ],
    ['moonshot', 'kimi-k2.7-code', { tool_choice: 'auto' }, ['thinking', 'reasoning_effort']],
    [
      'moonshot',
      'moonshot-v1-8k',
      { temperature: 1, tool_choice: 'required' },
      ['thinking', 'reasoning_effort'],
    ],
    [
      'zai',
      'glm-4.7',
      { thinking: { type: 'enabled' }, tool_choice: 'auto' },
      ['reasoning_effort', 'user', 'seed'],
    ],
    ['zai', 'glm-5.3', { thinking: { type: 'enabled' }, reasoning_effort: 'medium' }, []],
    [
      'qwen',
      'qwen3.8-max',
      { enable_thinking: true, thinking_budget: 8000, tool_choice: 'auto', top_k: 5 },
      ['reasoning_effort', 'user'],
    ],
    ['qwen', 'qwen3-coder-plus', { tool_choice: 'required' }, ['enable_thinking']],
    [
      'minimax',
      'MiniMax-M3',
      { thinking: { type: 'adaptive' }, reasoning_split: true, tool_choice: 'auto' },
      ['reasoning_effort', 'stop', 'seed'],
    ],
    ['minimax', 'MiniMax-M2.7', { reasoning_split: true }, ['thinking']],
    [
      'nvidia',
      'openai/gpt-oss-120b',
      { reasoning_effort: 'medium', max_tokens: 500 },
      ['user', 'parallel_tool_calls'],
    ],
    ['huggingface', 'deepseek-ai/DeepSeek-V4:fastest', { max_tokens: 500 }, ['reasoning_effort', 'user']],
    ['lmstudio', 'qwen/qwen3.6-35b-a3b', { tool_choice: 'required', top_k: 5 }, ['user', 'reasoning_effort']],
    [
      'llamacpp',
      'gpt-oss-20b',
      { reasoning_effort: 'medium', top_k: 5, parallel_tool_calls: false },
      ['user'],
    ],
    [
      'azure-openai',
      'gpt-5-nano',
      { reasoning_effort: 'medium', max_completion_tokens: 500 },
      ['max_tokens', 'top_k'],
    ],
  ])('%s, %s: %j, without %j', (id, model, has, lacks) => {
    const { body } = write(id, model)
    expect(body).toMatchObject({ model, ...has })
    for (const name of lacks) expect(body).not.toHaveProperty(name)
  })

  it('reports everything that it leaves out', () => {
    expect(write('zai', 'glm-4.7').features).toEqual([
      'cache-mark dropped',
      'thinking-signature dropped',
      'tool-strict dropped',
      'parallel-tool-calls dropped',
      'tool-choice approximated',
      'top-k dropped',
      'reasoning-budget approximated',
      'reasoning-effort dropped',
      'seed dropped',
      'end-user dropped',
    ])
  })
})

describe('earlier reasoning and tool calls', () => {
  it.each<[ProviderId, string, object, readonly string[]]>([
    [
      'openrouter',
      'm',
      { reasoning_details: [{ type: 'reasoning.text', text: 'A sum.', signature: 's' }] },
      [],
    ],
    ['deepseek', 'deepseek-v4-flash', { reasoning_content: 'A sum.', tool_calls: [{ id: CALL }] }, []],
    ['moonshot', 'kimi-k2.6', { reasoning_content: 'A sum.' }, []],
    ['zai', 'glm-4.7', { reasoning_content: 'A sum.' }, []],
    ['qwen', 'qwen3.8-max', { reasoning_content: 'A sum.' }, []],
    ['minimax', 'MiniMax-M2.7', { reasoning_details: [{ text: 'A sum.' }] }, []],
    ['cerebras', 'gpt-oss-120b', { reasoning: 'A sum.' }, ['reasoning_content']],
    ['cerebras', 'llama-3.3-70b', { content: null }, ['reasoning', 'reasoning_content']],
    [
      'mistral',
      'mistral-small-latest',
      { content: [{ type: 'thinking' }], tool_calls: [{ id: expect.stringMatching(/^[A-Za-z0-9]{9}$/) }] },
      ['reasoning_content'],
    ],
    ['mistral', 'mistral-large-2512', { content: null }, ['reasoning_content']],
    ['nvidia', 'm', {}, ['reasoning', 'reasoning_content']],
  ])('%s, %s: %j, without %j', (id, model, has, lacks) => {
    const message = assistantOf(write(id, model).body)
    expect(message).toMatchObject(has)
    for (const name of lacks) expect(message).not.toHaveProperty(name)
  })

  it.each<[ProviderId, string, string]>([
    ['deepseek', 'deepseek-v4-pro', ''],
    ['moonshot', 'kimi-k2.6', ' '],
  ])(
    'of another model is replaced by a placeholder at %s, which requires reasoning with calls',
    (id, model, stand) => {
      const turns = agentic.turns.map((turn) =>
        turn.role === 'assistant'
          ? { ...turn, content: turn.content.filter(({ type }) => type !== 'thinking') }
          : turn,
      )
      expect(assistantOf(write(id, model, { turns }).body)).toMatchObject({ reasoning_content: stand })
    },
  )
})

describe('message content', () => {
  it.each<ProviderId>(['deepseek', 'zai', 'minimax', 'nvidia', 'huggingface', 'together'])(
    '%s gets several plain texts as one',
    (id) => {
      const { body } = write(id, 'm')
      expect(body['messages']).toContainEqual({ role: 'user', content: 'Context.\nAdd 2 and 2.' })
    },
  )

  it.each<ProviderId>(['openrouter', 'qwen'])('%s gets cache marks', (id) => {
    expect(JSON.stringify(write(id, 'm').body)).toContain('"cache_control":{"type":"ephemeral"}')
  })
})

describe('a request with thinking turned off', () => {
  it.each<[ProviderId, string, object]>([
    ['deepseek', 'deepseek-v4-pro', { thinking: { type: 'disabled' }, tool_choice: 'required' }],
    ['moonshot', 'kimi-k2.6', { thinking: { type: 'disabled' }, tool_choice: 'required' }],
    ['zai', 'glm-4.7', { thinking: { type: 'disabled' } }],
    ['qwen', 'qwen3.8-max', { enable_thinking: false, tool_choice: 'required' }],
    ['mistral', 'mistral-medium-3-5', { reasoning_effort: 'none' }],
    ['cerebras', 'zai-glm-4.7', { reasoning_effort: 'none' }],
    ['groq', 'qwen/qwen3-32b', { reasoning_effort: 'none' }],
    ['xai', 'grok-4.5', { reasoning_effort: 'low' }],
    ['moonshot', 'kimi-k3', { reasoning_effort: 'low' }],
  ])('at %s, %s: %j', (id, model, has) => {
    expect(write(id, model, { reasoning: { mode: 'off' } }).body).toMatchObject(has)
  })
})
