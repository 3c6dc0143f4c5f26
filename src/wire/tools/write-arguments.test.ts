import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../canonical/request.ts'
import { chatFormat } from '../chat/format.ts'
import { cohereFormat } from '../cohere/format.ts'
import { defaultDialect } from '../dialect.ts'
import { responsesFormat } from '../responses/format.ts'
import type { ChannelFormat } from '../wire-format.ts'

const formats: readonly (readonly [string, ChannelFormat])[] = [
  ['chat', chatFormat],
  ['cohere', cohereFormat],
  ['responses', responsesFormat],
]

/** The arguments of the only call of a conversation, as the channel gets them. */
function write(format: ChannelFormat, input: string) {
  const request: ChatRequest = {
    model: 'm',
    stream: false,
    turns: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'f', kind: 'function', input }] },
      { role: 'tool', results: [{ type: 'tool-result', callId: 'c', content: [], isError: false }] },
    ],
  }
  const { value, losses } = format.writeRequest(request, { model: 'm', dialect: defaultDialect })
  const [, text = ''] = /"arguments":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(value)) ?? []
  return { arguments: JSON.parse(text), losses: losses.map(({ feature, kind }) => `${feature} ${kind}`) }
}

describe.each(formats)('arguments of earlier calls on a channel of the %s format', (_name, format) => {
  it.each(['{"path": "a', '[1]', '"a"', 'ls -l'])('become an object with their text: %s', (input) => {
    expect(write(format, input)).toEqual({
      arguments: JSON.stringify({ input }),
      losses: ['tool-input approximated'],
    })
  })

  it.each(['', ' '])('become an empty object where there are none: "%s"', (input) => {
    expect(write(format, input)).toEqual({ arguments: '{}', losses: ['tool-input approximated'] })
  })

  it('stay as the model wrote them where they are an object', () => {
    expect(write(format, '{ "n": 1.0 }')).toEqual({ arguments: '{ "n": 1.0 }', losses: [] })
  })
})
