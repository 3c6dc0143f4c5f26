import { expect, it } from 'vitest'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { geminiFormat } from '../../wire/gemini/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { findReferences } from './find-references.ts'

const source = { type: 'file', file_id: 'file_1' }
const message = (content: readonly object[]) => ({ messages: [{ role: 'user', content }] })

function namesIn(
  format: Parameters<typeof findReferences>[0],
  body: object,
  size = Number.POSITIVE_INFINITY,
) {
  const bytes = Buffer.from(JSON.stringify(body, null, 1))
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length))
    chunks.push(bytes.subarray(at, at + Math.min(size, bytes.length)))
  return findReferences(format, BodyBytes.from(chunks)).map(({ type, id, start, end }) => {
    expect(JSON.parse(bytes.toString('utf8', start, end))).toContain(id)
    return `${type} ${id}`
  })
}

it.each([1, 3, 7, 1_000])(
  'finds the files of a message in every place that a model reads, in chunks of %i',
  (size) => {
    const body = message([
      { type: 'text', text: '"file_id": "file_0"' },
      { type: 'document', source },
      { type: 'container_upload', file_id: 'file_2' },
      {
        type: 'tool_result',
        tool_use_id: 't',
        content: [{ type: 'image', source: { ...source, file_id: 'file_3' } }],
      },
      {
        type: 'document',
        source: { type: 'content', content: [{ type: 'image', source: { ...source, file_id: 'file_4' } }] },
      },
      { type: 'tool_use', id: 't', name: 'open', input: { file_id: 'file_5', source } },
    ])
    expect(namesIn(messagesFormat, body, size)).toEqual(
      ['file_1', 'file_2', 'file_3', 'file_4'].map((id) => `message-file ${id}`),
    )
  },
)

it('finds the files and the cached content of a Gemini request, in both spellings', () => {
  const part = { fileData: { fileUri: 'https://models.example/v1beta/files/abc', mimeType: 'text/plain' } }
  const other = { file_data: { file_uri: 'files/def' } }
  const video = { fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } }
  const answer = { functionResponse: { name: 'f', response: { fileUri: 'files/x' }, parts: [other] } }
  const contents = [{ role: 'user', parts: [part, video, answer] }]
  expect(namesIn(geminiFormat, { cachedContent: 'cachedContents/c', contents })).toEqual([
    'cached-content c',
    'gemini-file abc',
    'gemini-file def',
  ])
  expect(namesIn(geminiFormat, { generateContentRequest: { cached_content: 'c', contents: [] } })).toEqual([
    'cached-content c',
  ])
})

it('ignores files nested deeper than any block, since each level is read once more', () => {
  const nested = (levels: number): object =>
    levels === 0 ? { type: 'image', source } : { type: 'tool_result', content: [nested(levels - 1)] }
  expect(namesIn(messagesFormat, message([nested(2)]))).toEqual(['message-file file_1'])
  expect(namesIn(messagesFormat, message([nested(3)]))).toEqual([])
})

it('finds nothing in bodies and formats without references', () => {
  expect(namesIn(messagesFormat, message([{ type: 'text', text: 'file_id tool_use_id' }]))).toEqual([])
  expect(namesIn(geminiFormat, { contents: [{ parts: [{ text: 'a "fileUri"' }] }] })).toEqual([])
  expect(namesIn(chatFormat, message([{ type: 'file', file: { file_id: 'file-1' } }]))).toEqual([])
})
