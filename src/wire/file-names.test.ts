import { expect, it } from 'vitest'
import type { DocumentBlock } from '../canonical/content.ts'
import { chatFormat } from './chat/format.ts'
import { defaultDialect } from './dialect.ts'
import { responsesFormat } from './responses/format.ts'

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

function fileOf(mediaType: string, title?: string): DocumentBlock {
  const file = { type: 'document', source: { type: 'base64', mediaType, data: 'AA==' } } as const
  return title === undefined ? file : { ...file, title }
}

it.each([chatFormat, responsesFormat])('a file has the ending of its type in the format $id', (format) => {
  const content = [
    fileOf('application/pdf'),
    fileOf(word),
    fileOf('application/pdf', 'Report'),
    fileOf('application/pdf', 'Report 2.5'),
    fileOf('application/pdf', 'a.pdf'),
    fileOf('application/x-unknown', 'b'),
  ]
  const request = { model: 'm', turns: [{ role: 'user' as const, content }], stream: false }
  const { value, losses } = format.writeRequest(request, { model: 'm', dialect: defaultDialect })
  const names = [...JSON.stringify(value).matchAll(/"filename":"([^"]*)"/g)].map(([, name]) => name)
  expect(names).toEqual(['document.pdf', 'document.docx', 'Report.pdf', 'Report 2.5.pdf', 'a.pdf', 'b'])
  expect(losses).toContainEqual({ feature: 'document', kind: 'defaulted' })
})

it('a file of comma-separated values is no PDF file for the responses format', () => {
  const turns = [{ role: 'user' as const, content: [fileOf('text/csv')] }]
  const { value } = responsesFormat.writeRequest(
    { model: 'm', turns, stream: false },
    { model: 'm', dialect: defaultDialect },
  )
  expect(JSON.stringify(value)).toContain('"filename":"document.csv"')
})
