import { beforeAll, expect, it } from 'vitest'
import { speak } from '../language/language.ts'

// Node has no page, whose address and language are read.
Object.assign(globalThis, { document: { baseURI: 'http://gateway.example/console/', documentElement: {} } })
const { writeDetail } = await import('./write-detail.ts')

beforeAll(() => speak('zh'))

it('a change of an object is said in Chinese, with a word for a value that was not there', () => {
  const values = { object: 'limits of user', name: 'ann', field: 'budgets', after: '[]' }
  expect(writeDetail({ kind: 'object_changed', gone: false, values })).toBe(
    '用户限制 ann 的 budgets：无 → []',
  )
})

it('the kind of a link is said in Chinese', () => {
  expect(writeDetail({ kind: 'type', gone: false, values: { value: 'invitation' } })).toBe('类型：邀请')
})

it('a budget is said in Chinese with its time zone and with what happens at its limit', () => {
  const budget = { limit_usd: 2, window: 'day', mode: 'exact', warn_at: [80], time_zone: 'UTC' }
  const words = (fields: object) =>
    writeDetail({ kind: 'budget', gone: false, values: { name: 'a', value: JSON.stringify(fields) } })
  expect(words({ ...budget, at_limit: 'clamp' })).toBe(
    '预算 a：$2.00 每天, 精确, 用到 80 % 时提醒, 时区 UTC, 先缩短回答，再拒绝请求',
  )
  expect(words({ ...budget, at_limit: 'fallback', fallback: 'gpt-4o-mini' })).toMatch(
    /, 请求转到 gpt-4o-mini$/,
  )
})
