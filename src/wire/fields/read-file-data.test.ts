import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../kit/json/json.ts'
import { readRequest as readChatRequest } from '../chat/request/read-request.ts'
import { defaultDialect } from '../dialect.ts'
import { writeRequest } from '../messages/request/write-request.ts'
import { readRequest as readResponsesRequest } from '../responses/request/read-request.ts'
import { readFileData } from './read-file-data.ts'

const pdf = Buffer.from('%PDF-1.7 and more').toString('base64')
const table = Buffer.from('a,b\n1,2\n').toString('base64')

const chat = (file: JsonObject) =>
  readChatRequest({ model: 'm', messages: [{ role: 'user', content: [{ type: 'file', file }] }] })
const responses = (file: JsonObject) =>
  readResponsesRequest({ model: 'm', input: [{ role: 'user', content: [{ type: 'input_file', ...file }] }] })

describe.each([
  ['chat', chat],
  ['responses', responses],
])('a file of bare base64 of a %s caller', (_format, read) => {
  it('is a document to a channel of another format, by its first bytes or its name', () => {
    const { turns } = read({ file_data: pdf })
    const { value } = writeRequest(
      { model: 'm', stream: false, turns },
      { model: 'm', dialect: defaultDialect },
    )
    const source = { type: 'base64', media_type: 'application/pdf', data: pdf }
    expect(value['messages']).toEqual([{ role: 'user', content: [{ type: 'document', source }] }])
    expect(read({ file_data: table, filename: 'a.csv' }).turns).toMatchObject([
      { content: [{ type: 'document', source: { type: 'base64', mediaType: 'text/csv', data: table } }] },
    ])
  })

  it('stays as it is where nothing says its type', () => {
    expect(read({ file_data: table }).turns).toMatchObject([{ content: [{ type: 'opaque' }] }])
  })
})

it.each([
  ['https://a.example/b.pdf', { type: 'url', url: 'https://a.example/b.pdf' }],
  [`data:text/plain;base64,${table}`, { type: 'base64', mediaType: 'text/plain', data: table }],
  ['no base64!', { type: 'url', url: 'no base64!' }],
])('data of another kind is read as before: %s', (data, source) => {
  expect(readFileData(data, 'a.pdf')).toEqual(source)
})
