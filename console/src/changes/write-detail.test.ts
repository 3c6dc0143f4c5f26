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
