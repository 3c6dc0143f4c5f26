import { describe, expect, it } from 'vitest'
import type { ToolResultBlock } from '../../canonical/content.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { claudeDialect } from '../../providers/models/claude-dialect.ts'
import { writeRequest as writeConverseRequest } from '../converse/request/write-request.ts'
import { defaultDialect } from '../dialect.ts'
import { writeRequest as writeMessagesRequest } from '../messages/request/write-request.ts'

const target = { model: 'm', dialect: { ...defaultDialect, ...claudeDialect('claude-sonnet-4-5') } }
const text = (words: string) => ({ type: 'text', text: words }) as const
const picture = {
  type: 'image',
  source: { type: 'base64', mediaType: 'image/png', data: 'AA==' },
} as const

function requestOf(content: ToolResultBlock['content']): ChatRequest {
  return {
    model: 'm',
    stream: false,
    turns: [
      { role: 'user', content: [text('Hi')] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' }],
      },
      { role: 'tool', results: [{ type: 'tool-result', callId: 'c', content, isError: true }] },
    ],
  }
}

function write(content: ToolResultBlock['content']) {
  const messages = writeMessagesRequest(requestOf(content), target)
  const converse = writeConverseRequest(requestOf(content), target)
  return {
    messages: messages.value['messages'],
    converse: converse.value['messages'],
    losses: [messages, converse].map(({ losses }) => losses.map(({ feature }) => feature)),
  }
}

describe('a failed result', () => {
  it.each([
    ['nothing', []],
    ['an empty text', [text('')]],
    ['blank texts', [text(' '), text('\n')]],
  ])('gets a word where it has %s, since Claude refuses it otherwise', (_name, content) => {
    const { messages, converse, losses } = write(content)
    expect(messages).toMatchObject([{}, {}, { content: [{ content: 'Error', is_error: true }] }])
    const toolResult = { toolUseId: 'c', content: [{ text: 'Error' }], status: 'error' }
    expect(converse).toMatchObject([{}, {}, { content: [{ toolResult }] }])
    for (const features of losses) expect(features).toContain('tool-result-content')
  })

  it('says so in words where it has a picture, since Claude takes only text beside the mark', () => {
    const { messages, converse, losses } = write([picture])
    const image = { type: 'image' }
    expect(messages).toMatchObject([{}, {}, { content: [{ content: [text('Error'), image] }] }])
    expect(JSON.stringify(messages)).not.toContain('is_error')
    expect(converse).toMatchObject([
      {},
      {},
      { content: [{ toolResult: { content: [{ text: 'Error' }, { image: {} }] } }] },
    ])
    expect(JSON.stringify(converse)).not.toContain('status')
    for (const features of losses) expect(features).toContain('tool-result-error')
  })

  it('keeps its own words', () => {
    const { messages } = write([text('Error: no'), picture])
    expect(messages).toMatchObject([{}, {}, { content: [{ content: [text('Error: no'), {}] }] }])
    expect(write([text('no')]).messages).toMatchObject([
      {},
      {},
      { content: [{ content: 'no', is_error: true }] },
    ])
  })
})
