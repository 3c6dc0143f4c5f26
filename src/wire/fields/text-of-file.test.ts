import { expect, it } from 'vitest'
import type { ChatRequest } from '../../canonical/request.ts'
import { writeRequest as writeConverseRequest } from '../converse/request/write-request.ts'
import { defaultDialect } from '../dialect.ts'
import { writeRequest as writeMessagesRequest } from '../messages/request/write-request.ts'

const target = { model: 'm', dialect: defaultDialect }

it.each(['application/json', 'application/xml', 'application/ld+json; charset=utf-8', 'text/yaml'])(
  'a file of %s is text where the service takes no such file',
  (mediaType) => {
    const data = Buffer.from('{"é":1}').toString('base64')
    const file = { type: 'document', source: { type: 'base64', mediaType, data }, title: 'a' } as const
    const text = { type: 'text', text: 'Hi' } as const
    const request: ChatRequest = {
      model: 'm',
      stream: false,
      turns: [{ role: 'user', content: [text, file] }],
    }
    const messages = writeMessagesRequest(request, target)
    const source = { type: 'text', media_type: 'text/plain', data: '{"é":1}' }
    expect(messages.value['messages']).toMatchObject([{ content: [text, { source }] }])
    const converse = writeConverseRequest(request, target)
    const document = { format: 'txt', source: { bytes: data }, name: 'a' }
    expect(converse.value['messages']).toEqual([{ role: 'user', content: [{ text: 'Hi' }, { document }] }])
    for (const { losses } of [messages, converse])
      expect(losses).toContainEqual({ feature: 'document', kind: 'approximated' })
  },
)
