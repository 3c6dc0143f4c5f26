import { expect, it } from 'vitest'
import type { UserBlock } from '../../canonical/content.ts'
import { writeRequest as writeChat } from '../chat/request/write-request.ts'
import { writeRequest as writeCohere } from '../cohere/request/write-request.ts'
import { writeRequest as writeConverse } from '../converse/request/write-request.ts'
import { defaultDialect } from '../dialect.ts'
import { writeRequest as writeGemini } from '../gemini/request/write-request.ts'
import { writeRequest as writeMessages } from '../messages/request/write-request.ts'
import { writeRequest as writeResponses } from '../responses/request/write-request.ts'

const source = { type: 'url', url: 's3://bucket/file.png' } as const
const kinds: readonly UserBlock[] = [
  { type: 'image', source },
  { type: 'document', source: { type: 'url', url: 's3://bucket/file.pdf' }, title: 'File' },
  { type: 'video', source: { type: 'url', url: 's3://bucket/file.mp4' } },
]
const dialect = { ...defaultDialect, mediaAddresses: ['image', 'document', 'video'] } as const

function requestOf(block: UserBlock) {
  const turns = [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, block] }] as const
  return { model: 'm', stream: false, turns } as const
}

it.each([
  ['chat', writeChat],
  ['messages', writeMessages],
  ['responses', writeResponses],
  ['gemini', writeGemini],
  ['cohere', writeCohere],
] as const)(
  'a file in S3 is lost by name in the %s format, since only Converse reads it there',
  (_name, write) => {
    for (const block of kinds) {
      const { value, losses } = write(requestOf(block), { model: 'm', dialect })
      expect(JSON.stringify(value)).not.toContain('s3:')
      expect(losses).toContainEqual({ feature: block.type, kind: 'dropped' })
    }
  },
)

const held = ['gs://bucket/file.png', 'https://generativelanguage.googleapis.com/v1beta/files/f1']

it.each([
  ['chat', writeChat],
  ['messages', writeMessages],
  ['responses', writeResponses],
  ['cohere', writeCohere],
  ['converse', writeConverse],
] as const)('a file that Google stores is lost by name in the %s format', (_name, write) => {
  for (const type of ['image', 'document', 'video'] as const) {
    for (const fileId of held) {
      const request = requestOf({ type, source: { type: 'file', fileId } })
      const { value, losses } = write(request, { model: 'm', dialect })
      expect(JSON.stringify(value)).not.toMatch(/gs:|googleapis/)
      expect(losses).toContainEqual({ feature: type, kind: 'dropped' })
    }
  }
})

it('a file that Google stores keeps its address on Gemini', () => {
  for (const fileId of held) {
    const request = requestOf({ type: 'image', source: { type: 'file', fileId } })
    expect(JSON.stringify(writeGemini(request, { model: 'm', dialect }).value)).toContain(fileId)
  }
})

it('an address in Cloud Storage does not become a location in S3', () => {
  for (const [type, file] of [
    ['image', 'a.png'],
    ['video', 'a.mp4'],
    ['document', 'a.pdf'],
  ] as const) {
    const request = requestOf({ type, source: { type: 'url', url: `gs://bucket/${file}` } })
    const { value, losses } = writeConverse(request, { model: 'm', dialect })
    expect(JSON.stringify(value)).not.toContain('gs:')
    expect(losses).toContainEqual({ feature: type, kind: 'dropped' })
  }
})

it('a file in S3 keeps its address on Converse', () => {
  for (const block of kinds) {
    const { value } = writeConverse(requestOf(block), { model: 'm', dialect })
    expect(JSON.stringify(value)).toContain('s3://bucket/file')
  }
})
