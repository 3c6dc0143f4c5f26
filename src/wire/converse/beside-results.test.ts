import { describe, expect, it } from 'vitest'
import type { UserBlock } from '../../canonical/content.ts'
import { bedrockDialect } from '../../providers/models/bedrock-dialect.ts'
import { defaultDialect } from '../dialect.ts'
import { writeRequest } from './request/write-request.ts'

const text = { type: 'text', text: 'And?' } as const
const picture = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } } as const
const file = {
  type: 'document',
  source: { type: 'base64', mediaType: 'application/pdf', data: 'AA==' },
  title: 'a',
} as const

/** The kinds of blocks of the messages after a call. */
function write(model: string, content: readonly UserBlock[]) {
  const { value, losses } = writeRequest(
    {
      model,
      stream: false,
      turns: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' }],
        },
        {
          role: 'tool',
          results: [
            { type: 'tool-result', callId: 'c', content: [{ type: 'text', text: 'r' }], isError: false },
          ],
        },
        { role: 'user', content },
      ],
    },
    { model, dialect: { ...defaultDialect, ...bedrockDialect(model) } },
  )
  const messages = JSON.parse(JSON.stringify(value['messages']))
  return {
    kinds: messages.slice(2).map((message: { content: object[] }) => message.content.flatMap(Object.keys)),
    losses: losses.map(({ feature }) => feature),
  }
}

describe('what a user says after tool results', () => {
  it.each([
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', [text, picture], [['toolResult', 'text', 'image']]],
    [
      'anthropic.claude-sonnet-4-5-20250929-v1:0',
      [text, file],
      [['toolResult'], ['text'], ['text', 'document']],
    ],
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', [file], [['toolResult'], ['text'], ['document', 'text']]],
    ['us.meta.llama4-maverick-17b-instruct-v1:0', [text], [['toolResult'], ['text'], ['text']]],
    ['mistral.pixtral-large-2502-v1:0', [text], [['toolResult'], ['text'], ['text']]],
    ['qwen.qwen3-32b-v1:0', [text], [['toolResult', 'text']]],
    ['amazon.nova-pro-v1:0', [text, file], [['toolResult', 'text', 'document']]],
    ['amazon.nova-pro-v1:0', [file], [['toolResult', 'document', 'text']]],
  ])('is in their message as far as the model takes it: %s %j', (model, content, kinds) => {
    const written = write(model, content)
    expect(written.kinds).toEqual(kinds)
    expect(written.losses.includes('turn-order')).toBe(kinds.length > 1)
  })
})
