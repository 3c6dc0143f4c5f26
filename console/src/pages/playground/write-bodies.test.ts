import { expect, it } from 'vitest'
import { emptyConversation, type ModelColumn, startedTurn } from './conversation.ts'
import { writeChatBody } from './write-chat-body.ts'
import { writeMessagesBody } from './write-messages-body.ts'

const { settings } = emptyConversation
const picture = 'data:image/png;base64,AAAA'

function columnOf(...turns: ModelColumn['turns']): ModelColumn {
  return { id: '1', model: 'm', channel: '', turns }
}

it.each(['', ' \n'])(
  'sends pictures without words as pictures alone, since Anthropic refuses a blank text (%j)',
  (text) => {
    const column = columnOf({ role: 'user', text, images: [picture] })
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
    expect(writeMessagesBody(column, settings)['messages']).toEqual([
      { role: 'user', content: [{ type: 'image', source }] },
    ])
    expect(writeChatBody(column, settings)['messages']).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: picture } }] },
    ])
  },
)

it('keeps the words in front of pictures', () => {
  const column = columnOf({ role: 'user', text: 'What is this?', images: [picture] })
  const words = { type: 'text', text: 'What is this?' }
  const content = [words, expect.anything()]
  expect(writeMessagesBody(column, settings)['messages']).toEqual([{ role: 'user', content }])
  expect(writeChatBody(column, settings)['messages']).toEqual([{ role: 'user', content }])
})

it('leaves out a blank text in front of tool calls in the messages format', () => {
  const call = { id: 'c1', index: 0, name: 'look', input: '{}' }
  const column = columnOf({ ...startedTurn, state: 'whole', text: '\n\n', calls: [call] })
  expect(writeMessagesBody(column, settings)['messages']).toEqual([
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
  ])
})
