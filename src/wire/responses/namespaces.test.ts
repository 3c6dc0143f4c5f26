import { describe, expect, it } from 'vitest'
import { writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'

const parameters = { type: 'object', properties: {} }

describe('the tools of a namespace, as Codex sends those of its servers', () => {
  const { tools, turns } = readRequest({
    model: 'm',
    input: [
      { type: 'function_call', call_id: 'c1', namespace: 'mcp__files', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'r', namespace: 'mcp__files', name: 'read' },
    ],
    tools: [
      { type: 'function', name: 'own', parameters, strict: false },
      {
        type: 'namespace',
        name: 'mcp__files',
        description: 'Files.',
        tools: [
          { type: 'function', name: 'read', description: 'Reads one.', parameters },
          { type: 'custom', name: 'find' },
        ],
      },
    ],
  })

  it('are offered one by one to models without namespaces', () => {
    expect(tools).toMatchObject([
      { type: 'function', name: 'own' },
      { type: 'function', name: 'ns--mcp__files--read', description: 'Files.\n\nReads one.', parameters },
      { type: 'custom', name: 'ns--mcp__files--find', description: 'Files.' },
    ])
  })

  it.each([
    [
      { type: 'function', name: 'read' },
      { type: 'tool', name: 'ns--mcp__files--read', kind: 'function' },
    ],
    [
      { type: 'function', name: 'own' },
      { type: 'tool', name: 'own', kind: 'function' },
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'own' },
          { type: 'custom', name: 'find' },
          { type: 'function', name: 'read', namespace: 'mcp__files' },
          { type: 'web_search' },
        ],
      },
      {
        type: 'allowed',
        mode: 'auto',
        tools: [
          { type: 'function', function: { name: 'own' } },
          { type: 'custom', custom: { name: 'ns--mcp__files--find' } },
          { type: 'function', function: { name: 'ns--mcp__files--read' } },
          { type: 'web_search' },
        ],
      },
    ],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'namespace', name: 'mcp__files' }] },
      {
        type: 'allowed',
        mode: 'required',
        tools: [
          { type: 'function', function: { name: 'ns--mcp__files--read' } },
          { type: 'custom', custom: { name: 'ns--mcp__files--find' } },
        ],
      },
    ],
  ])('have the same names in the choice of a tool: %j', (tool_choice, expected) => {
    const tools = [
      { type: 'function', name: 'own', parameters },
      {
        type: 'namespace',
        name: 'mcp__files',
        tools: [
          { type: 'function', name: 'read', parameters },
          { type: 'custom', name: 'find' },
        ],
      },
    ]
    expect(readRequest({ model: 'm', input: 'Hi', tools, tool_choice }).toolChoice).toEqual(expected)
  })

  it('have the same names in earlier calls', () => {
    expect(turns).toMatchObject([
      { content: [{ type: 'tool-call', id: 'c1', name: 'ns--mcp__files--read' }] },
      { results: [{ callId: 'c1' }] },
    ])
  })

  it('come back under the caller’s names', () => {
    const call = (id: string, name: string) =>
      ({ type: 'tool-call', id, name, kind: 'function', input: '{}' }) as const
    const content = [call('c1', 'ns--mcp__files--read'), call('c2', 'own')]
    const { value } = writeReply({ id: 'r', model: 'm', choices: [{ content, stopReason: 'tool-calls' }] })
    const [first, second] = JSON.parse(JSON.stringify(value['output']))
    expect(first).toMatchObject({ type: 'function_call', namespace: 'mcp__files', name: 'read' })
    expect(second).toMatchObject({ type: 'function_call', name: 'own' })
    expect(second).not.toHaveProperty('namespace')
  })
})
