import { describe, expect, it } from 'vitest'
import type { DocumentBlock } from '../../canonical/content.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { type Dialect, defaultDialect } from '../dialect.ts'
import { paramOf } from './request/possible-losses.ts'
import { writeRequest } from './request/write-request.ts'

const plain: ChatRequest = {
  model: 'm',
  turns: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  stream: false,
}

function write(request: Partial<ChatRequest>, dialect: Partial<Dialect>) {
  const { value, losses } = writeRequest(
    { ...plain, ...request },
    { model: 'm', dialect: { ...defaultDialect, ...dialect } },
  )
  return { body: value, lost: losses.map((loss) => `${paramOf(loss)} ${loss.kind}`) }
}

describe('documents', () => {
  const url = 'https://example.com/a.pdf'
  const write64 = (source: DocumentBlock['source'], documents: Dialect['documents']) => {
    const content = [{ type: 'document', source, title: 'a.pdf' }] as const
    const { body, lost } = write({ turns: [{ role: 'user', content }] }, { documents })
    return { content: JSON.stringify(body['messages']), lost }
  }

  it.each([
    ['file-or-url', `"file":{"filename":"a.pdf","file_data":"${url}"}`],
    ['document_url', `"document_url":"${url}","document_name":"a.pdf"`],
  ] as const)('with an address are sent in the form of %s', (documents, part) => {
    const { content, lost } = write64({ type: 'url', url }, documents)
    expect(content).toContain(part)
    expect(lost).toEqual([])
  })

  it('with bytes are sent in the form of Mistral', () => {
    const source = { type: 'base64', mediaType: 'application/pdf', data: 'AA==' } as const
    expect(write64(source, 'document_url').content).toContain(
      '"document_url":"data:application/pdf;base64,AA=="',
    )
  })
})

describe('the order of turns', () => {
  it('has one message for consecutive turns of a role, the system first', () => {
    const turns: ChatRequest['turns'] = [
      ...plain.turns,
      { role: 'system', authority: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
    ]
    const { body, lost } = write({ turns }, { turnOrder: 'alternating' })
    expect(body['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi\n\nWell?' },
    ])
    expect(lost).toEqual(['messages.role approximated'])
  })
})
