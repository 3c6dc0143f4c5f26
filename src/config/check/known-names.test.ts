import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { knownNamesAt, writeConfigJsonSchema } from './known-names.ts'

test('docs/config.schema.json matches the output of node scripts/write-config-schema.ts', () => {
  const shipped: unknown = JSON.parse(
    readFileSync(new URL('../../../docs/config.schema.json', import.meta.url), 'utf8'),
  )
  expect(shipped).toEqual(writeConfigJsonSchema())
})

test.each([
  [
    ['limits'],
    [
      'body',
      'held_bodies',
      'held_bodies_per_key',
      'held_answers',
      'upload',
      'upload_memory',
      'held_uploads',
      'held_uploads_per_key',
      'connections',
      'connections_per_address',
    ],
  ],
  [
    ['keys', 0],
    [
      'name',
      'secret',
      'group',
      'expires_at',
      'disabled',
      'models',
      'user',
      'allow_ips',
      'dry_run',
      'budgets',
      'rate',
      'tags',
      'caller_tags',
      'end_user_budget',
      'passthrough',
    ],
  ],
  [['heartbeat'], ['after', 'every']],
  [
    ['channels', 3, 'timeouts'],
    ['connect', 'tls', 'headers', 'first_content', 'idle', 'progress', 'total'],
  ],
  [['channels', 3, 'headers'], []],
  [['nowhere', 'at', 'all'], []],
])('the allowed names at %j are known', (path, names) => {
  expect(knownNamesAt(path)).toEqual(names)
})
