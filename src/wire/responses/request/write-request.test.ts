import { expect, it } from 'vitest'
import { defaultDialect } from '../../dialect.ts'
import { writeRequest } from './write-request.ts'

const target = { model: 'gpt-5', dialect: { ...defaultDialect, customTools: true } }

it('a name that the service refuses is another one there, and the caller’s own in the answer', () => {
  const { value, losses, callerTools } = writeRequest(
    {
      model: 'm',
      stream: false,
      turns: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', id: 'c', name: 'a.b', kind: 'function', input: '{}' }],
        },
        { role: 'tool', results: [{ type: 'tool-result', callId: 'c', content: [], isError: false }] },
      ],
      tools: [
        { type: 'function', name: 'a.b', strict: false },
        { type: 'custom', name: 'c' },
      ],
      toolChoice: { type: 'tool', name: 'a.b', kind: 'function' },
    },
    target,
  )
  const name = expect.stringMatching(/^a_b_[0-9a-f]{8}$/)
  expect(value).toMatchObject({
    input: [{}, { type: 'function_call', name }, {}],
    tools: [{ name }, { name: 'c' }],
    tool_choice: { type: 'function', name },
  })
  expect(losses).toEqual([{ feature: 'tool-name', kind: 'approximated' }])
  expect([...(callerTools?.entries() ?? [])]).toEqual([[name, { name: 'a.b', kind: 'function' }]])
})
