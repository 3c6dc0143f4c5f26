import { beforeAll, expect, it, vi } from 'vitest'
import type { CauseFact } from '../../../../src/admin/requests/cause-contract.ts'
import { speak } from '../../language/language.ts'
import { writeCause } from './write-cause.ts'

vi.stubGlobal('document', { documentElement: { lang: '' } })

beforeAll(() => speak('zh'))

it.each<[CauseFact | null, string]>([
  [{ code: 'model_denied', model: 'gpt-5' }, '此密钥不得使用模型 gpt-5。'],
  [{ code: 'rate_reached', rate: 'concurrency', limit: null }, '本网关 的并发请求数已达上限。'],
  [{ code: 'credit_spent', owner: 'key', name: null }, '此密钥的额度已用完。'],
  [{ code: 'disk_nearly_full' }, '磁盘空间即将耗尽。'],
  [{ code: 'error', error: 'upstream_timeout' }, '供应商未及时应答。'],
  [null, 'ECONNREFUSED'],
])('the cause %j is written in the language of the page', (fact, text) => {
  expect(writeCause('ECONNREFUSED', fact)).toBe(text)
})
