import { beforeAll, expect, it, vi } from 'vitest'
import type { SentFact } from '../../../../src/admin/certification/evidence-contract.ts'
import { speak } from '../../language/language.ts'
import { writeReceived, writeSent } from './write-evidence.ts'

vi.stubGlobal('document', { documentElement: { lang: '' } })

beforeAll(() => speak('zh'))

const plain: SentFact = {
  type: 'conversation',
  texts: ['Say "kiwi".'],
  turn: 1,
  tool_results: 0,
  tools: 0,
  options: [],
}

it('what a check has sent is written in Chinese around its own words', () => {
  expect(writeSent({ ...plain, options: ['streamed'] })).toBe('Say "kiwi". [流式]')
  expect(writeSent({ ...plain, texts: [], turn: 3, tool_results: 2, tools: 1, options: [] })).toBe(
    '第 3 轮：2 个工具结果 [1 个工具]',
  )
})

it('what came back is written in Chinese around the words of the answer', () => {
  const reply = { type: 'reply', text: 'kiwi', stop_reason: 'length' } as const
  expect(writeReceived({ answer: reply, usage: { output_tokens: null } })).toBe(
    'kiwi (达到输出上限) [未报告用量]',
  )
  const failed = { type: 'failed', status: null, error: 'upstream_timeout', message: 'Too late.' } as const
  expect(writeReceived({ answer: failed, usage: null })).toBe('无状态码 · 供应商未及时应答。 · Too late.')
})
