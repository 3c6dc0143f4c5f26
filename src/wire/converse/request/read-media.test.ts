import { describe, expect, it } from 'vitest'
import { createLossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeContent as writeChatContent } from '../../chat/request/write-content.ts'
import { defaultDialect } from '../../dialect.ts'
import { readUserBlock } from './read-content.ts'
import { writeContent } from './write-content.ts'
import { createWriteContext } from './write-context.ts'

const path = 'messages[0].content[0]'

/** What a channel of this format gets of a block, and what is lost on the way. */
function carry(block: JsonObject) {
  const losses = createLossList()
  const written = writeContent(readUserBlock(block, path), createWriteContext(defaultDialect, losses))
  return { written, losses: losses.all }
}

/** The part that a channel of the chat format gets. */
function carryToChat(block: JsonObject) {
  const losses = createLossList()
  const read = readUserBlock(block, path)
  const part =
    read.type === 'opaque' ? undefined : writeChatContent(read, { dialect: defaultDialect, losses })
  return { part, losses: losses.all }
}

describe('a document given as text', () => {
  it.each([
    ['plain text', { format: 'txt', source: { text: 'x' } }],
    ['text without a format', { source: { text: 'x' } }],
    ['Markdown', { format: 'md', source: { text: 'x' } }],
    ['text in parts', { format: 'txt', source: { content: [{ text: 'x' }] } }],
  ])('is words to a channel of another format: %s', (_name, fields) => {
    const { part } = carryToChat({ document: { name: 'n', ...fields } })
    expect(part).toEqual({ type: 'text', text: 'n\n\nx' })
  })

  it('keeps its format for channels of this format', () => {
    const { written, losses } = carry({ document: { name: 'n', format: 'md', source: { text: 'x' } } })
    expect(written).toEqual({ document: { name: 'n', format: 'md', source: { bytes: 'eA==' } } })
    expect(losses).toEqual([])
  })

  it('keeps its parts for channels of this format, since citations name them', () => {
    const source = { content: [{ text: 'a' }, { text: 'b' }] }
    const block = { document: { name: 'n', format: 'txt', source, citations: { enabled: true } } }
    expect(carry(block)).toEqual({ written: block, losses: [] })
    expect(carryToChat(block).losses).toContainEqual({
      feature: 'foreign-field',
      kind: 'dropped',
      field: 'messages.content.source',
    })
  })
})

it.each([
  ['image', { format: 'png', source: { s3Location: { uri: 's3://b/k', bucketOwner: '123456789012' } } }],
  ['image', { format: 'png', source: { s3Location: { uri: 's3://b/k.bin' } } }],
  ['video', { format: 'mov', source: { s3Location: { uri: 's3://b/k.mov', bucketOwner: '123456789012' } } }],
  ['video', { format: 'three_gp', source: { s3Location: { uri: 's3://b/k.3gp' } } }],
  ['document', { name: 'n', format: 'pdf', source: { s3Location: { uri: 's3://b/k' } } }],
])('a location in S3 keeps its format and the owner of its bucket: %s %j', (kind, holder) => {
  expect(carry({ [kind]: holder })).toEqual({ written: { [kind]: holder }, losses: [] })
})
