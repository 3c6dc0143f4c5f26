import { expect, it } from 'vitest'
import type { KeyId } from '../../access/key.ts'
import { KeyUses } from '../../access/key-uses.ts'
import { brand } from '../../kit/brand.ts'
import { createProcessBus, type LocalBus } from './process-bus.ts'
import { shareKeyUses } from './share-key-uses.ts'

const one = brand<KeyId>('key_1')

/** Two processes, each of which receives what the other publishes. */
function openTwo(known: ReadonlyMap<KeyId, number> = new Map()) {
  const uses = [new KeyUses(), new KeyUses(known)] as const
  const sent: unknown[] = []
  const other: LocalBus = createProcessBus(() => undefined)
  const bus = createProcessBus((topic, value) => {
    sent.push(value)
    other.deliver(topic, value)
  })
  shareKeyUses(other, uses[1])
  return { uses, sent, publish: shareKeyUses(bus, uses[0]) }
}

it('each process knows the last use of a key by another one, and does not store it again', () => {
  const { uses, publish } = openTwo()
  uses[0].record(one, 1_000_000)
  publish(uses[0].drainUnsaved())
  expect(uses[1].lastMs(one)).toBe(1_000_000)
  uses[1].record(one, 1_000_001)
  expect(uses[1].drainUnsaved()).toEqual(new Map())
})

it('an earlier use by another process does not replace a later one', () => {
  const { uses, publish } = openTwo(new Map([[one, 2_000_000]]))
  publish(new Map([[one, 1_000_000]]))
  expect(uses[1].lastMs(one)).toBe(2_000_000)
})

it('the uses of many keys are published in parts, and nothing is published without a use', () => {
  const { uses, sent, publish } = openTwo()
  const ids = Array.from({ length: 25_000 }, (_, index) => brand<KeyId>(`key_${index}`))
  publish(new Map(ids.map((id) => [id, 1_000_000])))
  publish(new Map())
  expect(sent.length).toBe(3)
  expect(ids.every((id) => uses[1].lastMs(id) === 1_000_000)).toBe(true)
})
