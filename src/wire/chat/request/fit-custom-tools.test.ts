import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../canonical/request.ts'
import { defaultDialect } from '../../dialect.ts'
import { writeRequest } from './write-request.ts'

const asked: ChatRequest = {
  model: 'm',
  stream: false,
  tools: [
    { type: 'custom', name: 'patch', description: 'Changes files.', grammar: { type: 'text' } },
    { type: 'function', name: 'read' },
  ],
  toolChoice: { type: 'tool', name: 'patch', kind: 'custom' },
  turns: [
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', id: 'c1', name: 'patch', kind: 'custom', input: '*** "x"\n' }],
    },
    { role: 'tool', results: [{ type: 'tool-result', callId: 'c1', content: [], isError: false }] },
  ],
}

describe('a free-text tool, for a server that knows only functions', () => {
  it('is a function with one text parameter, in the list, the choice and earlier calls', () => {
    const { value, losses, callerTools } = writeRequest(asked, { model: 'm', dialect: defaultDialect })
    const { tools, tool_choice: choice, messages } = JSON.parse(JSON.stringify(value))
    expect(tools[0]).toEqual({
      type: 'function',
      function: {
        name: 'patch',
        description: 'Changes files.',
        parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
      },
    })
    expect(choice).toEqual({ type: 'function', function: { name: 'patch' } })
    expect(messages[1].tool_calls).toEqual([
      { id: 'c1', type: 'function', function: { name: 'patch', arguments: '{"input":"*** \\"x\\"\\n"}' } },
    ])
    expect(losses).toEqual([
      { feature: 'custom-tool', kind: 'approximated' },
      { feature: 'custom-tool', kind: 'dropped', field: 'tools.custom.format' },
    ])
    expect([...(callerTools ?? [])]).toEqual([['patch', { name: 'patch', kind: 'custom' }]])
  })

  it('stays one of the allowed tools', () => {
    const tools = [{ type: 'custom', custom: { name: 'patch' } }]
    const request: ChatRequest = { ...asked, toolChoice: { type: 'allowed', mode: 'required', tools } }
    const dialect = { ...defaultDialect, allowedTools: true }
    const { value } = writeRequest(request, { model: 'm', dialect })
    expect(value['tool_choice']).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'patch' } }] },
    })
  })

  it('passes unchanged, without a loss, if the model accepts it', () => {
    const dialect = { ...defaultDialect, customTools: true }
    const { value, losses, callerTools } = writeRequest(asked, { model: 'm', dialect })
    expect(JSON.parse(JSON.stringify(value)).tools[0]).toEqual({
      type: 'custom',
      custom: { name: 'patch', description: 'Changes files.', format: { type: 'text' } },
    })
    expect(losses).toEqual([])
    expect(callerTools).toBeUndefined()
  })
})
