import { expect, it } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import { findModelProblems } from './find-model-problems.ts'
import { modelSchema, readModelEntry } from './model-schema.ts'

it('fallbacks that go in a circle are a fact with the names of the circle', () => {
  const channels = [createChannel({ name: 'main', models: { a: 'a', b: 'b' } })]
  const entries = Object.entries({ a: ['b'], b: ['a'] }).map(([name, fallback]) =>
    readModelEntry(name, modelSchema.parse({ fallback })),
  )
  expect(findModelProblems(channels, entries)).toEqual([
    {
      path: ['a', 'fallback', 0],
      message: 'fallbacks go in a circle: a → b → a; break it',
      fact: { code: 'fallback_circle', values: { models: ['a', 'b', 'a'] } },
    },
  ])
})
