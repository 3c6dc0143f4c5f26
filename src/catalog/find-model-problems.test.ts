import { expect, it } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import { findModelProblems } from './find-model-problems.ts'
import { modelSchema, readModelEntry } from './model-schema.ts'

it('a fallback cycle is reported as a fact with the names in the cycle', () => {
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
