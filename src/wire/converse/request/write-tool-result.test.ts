import { expect, it } from 'vitest'
import type { ToolResultBlock } from '../../../canonical/content.ts'
import { bedrockDialect } from '../../../providers/models/bedrock-dialect.ts'
import { defaultDialect } from '../../dialect.ts'
import { writeRequest } from './write-request.ts'

const model = 'us.amazon.nova-2-lite-v1:0'
const target = { model, dialect: { ...defaultDialect, ...bedrockDialect(model) } }

it.each<[string, ToolResultBlock['content']]>([
  ['that is empty', []],
  ['of which nothing can be carried', [{ type: 'image', source: { type: 'file', fileId: 'file_1' } }]],
])('a result %s has an empty text, since some models refuse a result without any block', (_name, content) => {
  const call = { type: 'tool-call', id: 'call_1', name: 'look', kind: 'function', input: '{}' } as const
  const { value, losses } = writeRequest(
    {
      model: 'm',
      stream: false,
      turns: [
        { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
        { role: 'assistant', content: [call] },
        { role: 'tool', results: [{ type: 'tool-result', callId: 'call_1', content, isError: false }] },
      ],
    },
    target,
  )
  expect(value['messages']).toContainEqual({
    role: 'user',
    content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: '' }] } }],
  })
  expect(losses).toContainEqual({ feature: 'tool-result-content', kind: 'defaulted' })
})
