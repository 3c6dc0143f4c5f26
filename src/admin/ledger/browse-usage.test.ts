import { expect, it } from 'vitest'
import type { KeyId } from '../../access/key.ts'
import { noUsage } from '../../canonical/usage.ts'
import { brand } from '../../kit/brand.ts'
import { createUsageOperations } from './browse-usage.ts'

it('shows the present names of keys, and for a key that is gone the latest name in the ledger', async () => {
  const sums = { attempts: 1, requests: 1, failed: 0, estimated: 0, cost: 0n, charged: 0n, usage: noUsage }
  const page = {
    groups: ['key_1', 'key_2', 'key_3'].map((id) => ({ ...sums, names: [id] })),
    totals: sums,
    hasMore: false,
    keyNames: { key_1: 'before', key_2: 'gone' },
  }
  const keys = [{ id: brand<KeyId>('key_1'), name: 'renamed' }]
  const { report } = createUsageOperations({ usage: async () => page }, { nowMs: () => 0 }, () => keys)
  const { data } = await report({ by: 'key' }, undefined)
  expect(data.map(({ by }) => by)).toEqual([
    { key: 'renamed', key_id: 'key_1' },
    { key: 'gone', key_id: 'key_2' },
    { key: 'key_3', key_id: 'key_3' },
  ])
})
