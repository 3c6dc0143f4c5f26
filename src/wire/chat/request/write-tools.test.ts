import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Loss } from '../../../canonical/loss.ts'
import type { ChatRequest, Turn } from '../../../canonical/request.ts'
import { defaultDialect } from '../../dialect.ts'
import { writeRequest } from './write-request.ts'

const user: Turn = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
const target = { model: 'upstream', dialect: { ...defaultDialect, allowedTools: true } }

function said({ feature, kind, field }: Loss): string {
  return field === undefined ? `${feature} ${kind}` : `${feature} ${kind} ${field}`
}

it('gives an object schema without arguments the required empty list of properties', () => {
  const tools: ChatRequest['tools'] = [
    { type: 'function', name: 'now', parameters: { type: 'object' } },
    { type: 'function', name: 'ask', parameters: { type: 'object', $ref: '#/$defs/a', $defs: { a: {} } } },
  ]
  const { value, losses } = writeRequest({ model: 'public', stream: false, turns: [user], tools }, target)
  expect(value['tools']).toEqual([
    { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } },
    {
      type: 'function',
      function: { name: 'ask', parameters: { type: 'object', $ref: '#/$defs/a', $defs: { a: {} } } },
    },
  ])
  expect(losses.map(said)).toEqual(['foreign-field defaulted tools.parameters.properties'])
})

it('gives a function without arguments a schema where the server requires one', () => {
  const tools: ChatRequest['tools'] = [{ type: 'function', name: 'now' }]
  const request: ChatRequest = { model: 'public', stream: false, turns: [user], tools }
  const strict = { ...target, dialect: { ...defaultDialect, toolParameters: true } }
  const { value, losses } = writeRequest(request, strict)
  expect(value['tools']).toEqual([
    { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } },
  ])
  expect(losses.map(said)).toEqual(['foreign-field defaulted tools.parameters'])
  expect(writeRequest(request, target).value['tools']).toEqual([
    { type: 'function', function: { name: 'now' } },
  ])
})

it('converts tool names to the format’s letters in the list, the choice and the calls, and returns the mapping', () => {
  const long = `mcp__plugin_${'x'.repeat(70)}`
  const short = `mcp__plugin_${'x'.repeat(43)}_${createHash('sha256').update(long).digest('hex').slice(0, 8)}`
  const call = { type: 'tool-call', id: 'c', kind: 'function', name: long, input: '{}' } as const
  const result = {
    type: 'tool-result',
    callId: 'c',
    content: [{ type: 'text', text: '4' }],
    isError: false,
  } as const
  const { value, losses, callerTools } = writeRequest(
    {
      model: 'public',
      stream: false,
      turns: [user, { role: 'assistant', content: [call] }, { role: 'tool', results: [result] }],
      tools: [
        { type: 'function', name: long },
        { type: 'function', name: 'read.file' },
      ],
      toolChoice: {
        type: 'allowed',
        mode: 'required',
        tools: [{ type: 'function', function: { name: long } }],
      },
    },
    target,
  )
  expect(value).toMatchObject({
    messages: [{}, { tool_calls: [{ function: { name: short } }] }, {}],
    tools: [
      { function: { name: short } },
      { function: { name: expect.stringMatching(/^read_file_\w{8}$/) } },
    ],
    tool_choice: { allowed_tools: { tools: [{ type: 'function', function: { name: short } }] } },
  })
  expect(losses.map(said)).toEqual(['tool-name approximated'])
  expect(callerTools?.get(short)).toEqual({ name: long, kind: 'function' })
})

const web = { type: 'hosted', format: 'responses', value: { type: 'web_search' } } as const
const ask = { type: 'function', name: 'ask' } as const

it.each([
  [
    [{ type: 'web_search' }, { type: 'function', function: { name: 'ask' } }],
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'ask' } }] },
    },
  ],
  [[{ type: 'web_search' }], 'none'],
])('allows no tool that is not sent, nor others in its place', (allowed, choice) => {
  const toolChoice = { type: 'allowed', mode: 'required', tools: allowed } as const
  const request = { model: 'public', stream: false, turns: [user], tools: [ask, web], toolChoice }
  const { value, losses } = writeRequest(request, target)
  expect(value['tool_choice']).toEqual(choice)
  expect(losses.map(said)).toContain('tool-choice approximated')
})

it.each([
  ['required', ['ask'], ['ask'], 'required'],
  ['auto', ['ask', 'now'], ['ask', 'now'], 'auto'],
  ['required', [], ['ask', 'now', 'go'], 'none'],
] as const)(
  'offers only the allowed tools to a server that knows no list of them: %s %j',
  (mode, names, offered, choice) => {
    const allowed = names.map((name) => ({ type: 'function', function: { name } }))
    const request: ChatRequest = {
      model: 'public',
      stream: false,
      turns: [user],
      tools: ['ask', 'now', 'go'].map((name) => ({ type: 'function', name })),
      toolChoice: { type: 'allowed', mode, tools: allowed },
    }
    const { value, losses } = writeRequest(request, { model: 'm', dialect: defaultDialect })
    expect(value['tools']).toEqual(offered.map((name) => ({ type: 'function', function: { name } })))
    expect(value['tool_choice']).toBe(choice)
    expect(losses.map(said)).toEqual(['allowed-tools approximated'])
  },
)
