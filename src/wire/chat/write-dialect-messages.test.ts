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

  it('has words of the user at both ends where turns alternate', () => {
    const turns: ChatRequest['turns'] = [
      { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
      ...plain.turns,
      { role: 'assistant', content: [{ type: 'text', text: 'Once' }] },
    ]
    const { body, lost } = write({ turns }, { turnOrder: 'alternating' })
    expect(body['messages']).toEqual([
      { role: 'user', content: 'Begin.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Once' },
      { role: 'user', content: 'Continue.' },
    ])
    expect(lost).toEqual(['messages approximated'])
  })
})

describe('an assistant’s turn that has only reasoning', () => {
  const turns: ChatRequest['turns'] = [
    ...plain.turns,
    { role: 'assistant', content: [{ type: 'thinking', text: 'Hm.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
  ]

  it('is left out for a server that takes no reasoning back, since some refuse a message that says nothing', () => {
    const { body, lost } = write({ turns }, {})
    expect(body['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Well?' },
    ])
    expect(lost).toEqual(['messages.reasoning_content dropped', 'messages approximated'])
  })

  it('stays where its reasoning goes back', () => {
    const { body } = write({ turns }, { reasoningReplay: 'reasoning_content' })
    expect(body['messages']).toHaveLength(3)
  })

  it('is not only a placeholder for missing reasoning', () => {
    const empty: ChatRequest['turns'] = [...plain.turns, { role: 'assistant', content: [] }, ...plain.turns]
    const { body } = write({ turns: empty }, { reasoningReplay: 'reasoning_content', missingReasoning: ' ' })
    expect(body['messages']).toHaveLength(2)
  })
})

describe('the order of turns for a server that refuses the user right after a tool', () => {
  const order = { turnOrder: 'reply-after-tools' } as const
  const call = { type: 'tool-call', id: 'c1', name: 'look', kind: 'function', input: '{}' } as const
  const called: ChatRequest['turns'] = [...plain.turns, { role: 'assistant', content: [call] }]
  const result = { type: 'tool-result', callId: 'c1', isError: false } as const
  const text = { type: 'text', text: 'Two.' } as const
  const rolesOf = (body: unknown) =>
    JSON.parse(JSON.stringify(body)).messages.map(({ role }: { role: string }) => role)

  it('has words of the assistant between the results and the user', () => {
    const turns: ChatRequest['turns'] = [
      ...called,
      { role: 'tool', results: [{ ...result, content: [text] }] },
      { role: 'user', content: [{ type: 'text', text: 'Stop.' }] },
    ]
    const { body, lost } = write({ turns }, order)
    expect(body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'c1' }] },
      { role: 'tool', content: 'Two.' },
      { role: 'assistant', content: '.' },
      { role: 'user', content: 'Stop.' },
    ])
    expect(lost).toEqual(['messages approximated'])
  })

  it('has them before a picture of a result, too, which becomes the user’s', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a.example/b' } } as const
    const turns: ChatRequest['turns'] = [
      ...called,
      { role: 'tool', results: [{ ...result, content: [text, image] }] },
    ]
    expect(rolesOf(write({ turns }, order).body)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })

  it('moves a system message after the assistant or a tool to the front', () => {
    const system = { role: 'system', authority: 'system', content: [text] } as const
    const turns: ChatRequest['turns'] = [
      ...plain.turns,
      system,
      ...called,
      { role: 'tool', results: [{ ...result, content: [] }] },
      system,
    ]
    const { body, lost } = write({ turns }, order)
    expect(rolesOf(body)).toEqual(['system', 'user', 'system', 'user', 'assistant', 'tool'])
    expect(lost).toEqual(['messages.role approximated'])
  })

  it('ends with the user', () => {
    const turns: ChatRequest['turns'] = [...plain.turns, { role: 'assistant', content: [text] }]
    const { body, lost } = write({ turns }, order)
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'user'])
    expect(lost).toEqual(['messages approximated'])
  })

  it('ends with a message of the assistant that the caller marks for the model to continue', () => {
    const extras = { format: 'chat', fields: { prefix: true } } as const
    const turns: ChatRequest['turns'] = [...plain.turns, { role: 'assistant', content: [text], extras }]
    const { body, lost } = write({ turns }, order)
    expect(body['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Two.', prefix: true },
    ])
    expect(lost).toEqual([])
  })
})

it('sends an earlier refusal as text to a server that knows no part for it', () => {
  const refused: ChatRequest['turns'] = [
    ...plain.turns,
    { role: 'assistant', content: [{ type: 'refusal', text: 'No.' }] },
    ...plain.turns,
  ]
  const { body, lost } = write({ turns: refused }, {})
  expect(body['messages']).toMatchObject([{}, { role: 'assistant', content: 'No.' }, {}])
  expect(lost).toEqual(['messages.refusal approximated'])
  const { body: own } = write({ turns: refused }, { refusalParts: true })
  expect(own['messages']).toMatchObject([{}, { content: [{ type: 'refusal', refusal: 'No.' }] }, {}])
})
