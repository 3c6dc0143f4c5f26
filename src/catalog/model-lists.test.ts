import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { createModelLists } from './model-lists.ts'

type Answer = readonly string[] | 'fails'

function startLists(answers: Answer[]) {
  const clock = createFakeClock()
  const asked: string[] = []
  const changes: string[] = []
  const failures: string[] = []
  const lists = createModelLists({
    channels: [
      createChannel({ name: 'local', models: 'listed' }),
      createChannel({ name: 'named', models: { a: 'a' } }),
    ],
    clock,
    async fetchList(channel) {
      asked.push(`${channel.name} at ${clock.monotonicMs()}`)
      const answer = answers.shift() ?? 'fails'
      if (answer === 'fails') throw new Error('the upstream is away')
      return answer
    },
    onChange: (changed) => changes.push(JSON.stringify([...changed])),
    onFailure: (name, reason) => failures.push(`${name}: ${reason}`),
  })
  async function advance(milliseconds: number): Promise<void> {
    clock.advance(milliseconds)
    await setImmediate()
  }
  return { lists, clock, asked, changes, failures, advance }
}

test('only channels with upstream model lists are queried, every 5 minutes', async () => {
  const { lists, asked, changes, advance } = startLists([['b', 'a'], ['a', 'b'], ['c']])
  await lists.start()
  expect([...lists.current()]).toEqual([['local', ['a', 'b']]])
  await advance(299_999)
  expect(asked).toEqual(['local at 0'])
  await advance(1)
  expect(changes).toEqual(['[["local",["a","b"]]]'])
  await advance(300_000)
  expect(asked).toEqual(['local at 0', 'local at 300000', 'local at 600000'])
  expect(changes).toEqual(['[["local",["a","b"]]]', '[["local",["c"]]]'])
})

test('after a failure the retry delay grows from 5 seconds to 5 minutes, and the last good list stays', async () => {
  const { lists, clock, asked, changes, advance } = startLists([['a']])
  await lists.start()
  await advance(300_000)
  for (const wait of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
    const before = asked.length
    await advance(wait - 1)
    expect(asked.length).toBe(before)
    await advance(1)
    expect(asked.at(-1)).toBe(`local at ${clock.monotonicMs()}`)
    expect(asked.length).toBe(before + 1)
  }
  expect([...lists.current()]).toEqual([['local', ['a']]])
  expect(changes.length).toBe(1)
})

test('a success after failures restores the normal interval', async () => {
  const { lists, asked, advance } = startLists(['fails', 'fails', ['a'], 'fails', ['b']])
  await lists.start()
  for (const wait of [5_000, 10_000, 300_000, 5_000]) await advance(wait)
  expect(asked.length).toBe(5)
  expect([...lists.current()]).toEqual([['local', ['b']]])
})

test('invalid model names are left out, and duplicates are removed', async () => {
  const { lists } = startLists([
    ['ok', 'ok', '', 'line\nbreak', ' space', 'x'.repeat(257), 'vendor/model:tag'],
  ])
  await lists.start()
  expect(lists.current().get('local')).toEqual(['ok', 'vendor/model:tag'])
})

test('after closing, no list is requested and no late answer is used', async () => {
  const { lists, clock, changes } = startLists([['a']])
  const started = lists.start()
  lists.close()
  await started
  expect(clock.pendingTimers).toBe(0)
  expect(changes).toEqual([])
})

test('a known list is served at once and refreshed in the background', async () => {
  const clock = createFakeClock()
  const changes: string[] = []
  const asked = Promise.withResolvers<readonly string[]>()
  const lists = createModelLists({
    channels: [createChannel({ name: 'local', models: 'listed' })],
    known: new Map([['local', ['a']]]),
    clock,
    fetchList: () => asked.promise,
    onChange: (changed) => changes.push(JSON.stringify([...changed])),
  })
  await lists.start()
  expect([...lists.current()]).toEqual([['local', ['a']]])
  asked.resolve(['b'])
  await setImmediate()
  expect(changes).toEqual(['[["local",["b"]]]'])
})

test('a request for a model list times out after 10 seconds and is retried', async () => {
  const clock = createFakeClock()
  const signals: AbortSignal[] = []
  const lists = createModelLists({
    channels: [createChannel({ name: 'local', models: 'listed' })],
    clock,
    fetchList: (_channel, signal) => {
      signals.push(signal)
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    onChange: () => undefined,
  })
  const started = lists.start()
  clock.advance(10_000)
  await started
  clock.advance(5_000)
  await setImmediate()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  lists.close()
  expect(signals[1]?.aborted).toBe(true)
})

test('the reason for a failed list request is reported once, and again after a success', async () => {
  const { lists, failures, advance } = startLists(['fails', 'fails', ['a'], 'fails'])
  await lists.start()
  await advance(5_000)
  expect(failures).toEqual(['local: the upstream is away'])
  await advance(10_000)
  await advance(300_000)
  expect(failures).toEqual(['local: the upstream is away', 'local: the upstream is away'])
})
