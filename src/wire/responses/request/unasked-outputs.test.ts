import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../kit/json/json.ts'
import { chatFormat } from '../../chat/format.ts'
import { defaultDialect } from '../../dialect.ts'
import { messagesFormat } from '../../messages/format.ts'
import { readRequest } from './read-request.ts'

function read(output: JsonObject) {
  const item = { type: 'function_call_output', output: 'It is 9.', ...output }
  return readRequest({ model: 'm', input: [{ role: 'user', content: 'Hi' }, item] })
}

describe('the output of a tool that nothing called, as Codex sends for what happens by itself', () => {
  it.each([
    ['without a call_id', {}],
    ['with a call_id that is null', { call_id: null }],
  ])('%s becomes text of the user on channels of other formats', (_name, more) => {
    const request = read({ name: 'clock', ...more })
    const target = { model: 'm', dialect: defaultDialect }
    expect(chatFormat.writeRequest(request, target).value['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of the tool call clock:' },
          { type: 'text', text: 'It is 9.' },
        ],
      },
    ])
    expect(JSON.stringify(messagesFormat.writeRequest(request, target).value)).toContain('It is 9.')
  })

  it('is named under its namespace', () => {
    const { turns } = read({ name: 'clock', namespace: 'os' })
    expect(turns[1]).toMatchObject({ role: 'tool', results: [{ callId: 'ns--os--clock' }] })
  })

  it('is refused where it has no name either', () => {
    expect(() => read({})).toThrow('call_id')
  })
})
