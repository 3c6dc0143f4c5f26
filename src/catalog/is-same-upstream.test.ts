import { expect, it } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import type { Channel } from './channel.ts'
import { isSameUpstream } from './is-same-upstream.ts'

const before = createChannel({ name: 'a', models: 'listed', credentials: [{ id: 'a#1', secret: 'one' }] })
const changes: readonly [name: string, change: Partial<Channel>, isSame: boolean][] = [
  ['priority', { priority: 7 }, true],
  ['weight', { weight: 7 }, true],
  ['address', { baseUrl: 'https://other.example.com/v1' }, false],
  ['key', { credentials: [{ id: 'a#1', secret: 'two' }] }, false],
  ['headers', { headers: { 'x-team': 'search' } }, false],
  ['settings', { settings: { api_version: '2' } }, false],
  ['proxy', { proxy: 'http://proxy:3128/' }, false],
  ['certificates', { authorities: { id: 'x', pem: '' } }, false],
]

it.each(changes)('reports whether a channel with a new %s has the same upstream', (_name, change, isSame) => {
  expect(isSameUpstream(before, { ...before, ...change })).toBe(isSame)
})
