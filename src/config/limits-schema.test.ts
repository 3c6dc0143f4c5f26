import { expect, it } from 'vitest'
import { limitsSchema, readLimits } from './limits-schema.ts'

const MEGABYTE = 1024 ** 2

it('holds bodies up to an eighth of the memory, and half of that for a key', () => {
  expect(readLimits(undefined, 8192 * MEGABYTE)).toMatchObject({
    heldBodyBytes: 1024 * MEGABYTE,
    heldBodyBytesOfKey: 512 * MEGABYTE,
  })
})

it('holds four of the largest bodies however small the machine is', () => {
  expect(readLimits(undefined, 512 * MEGABYTE)).toMatchObject({
    heldBodyBytes: 128 * MEGABYTE,
    heldBodyBytesOfKey: 64 * MEGABYTE,
  })
})

it('leaves a key room for the largest body, and no more than all', () => {
  const limits = limitsSchema.parse({ body: '10MB', held_bodies: '12MB' })
  expect(readLimits(limits)).toMatchObject({ heldBodyBytesOfKey: 10 * MEGABYTE })
  const ofKey = limitsSchema.parse({ body: '10MB', held_bodies: '12MB', held_bodies_per_key: '40MB' })
  expect(readLimits(ofKey)).toMatchObject({ heldBodyBytesOfKey: 12 * MEGABYTE })
})

it.each(['held_bodies', 'held_bodies_per_key'])(
  'refuses %s that the largest body does not fit in',
  (name) => {
    const found = limitsSchema.safeParse({ body: '10MB', [name]: '9MB' })
    expect(found.error?.issues).toMatchObject([
      { path: [name], message: expect.stringContaining('limits.body') },
    ])
    expect(limitsSchema.safeParse({ [name]: '31MB' }).success).toBe(false)
  },
)

it('holds answers up to an eighth of the memory, and two of the largest however small the machine is', () => {
  expect(readLimits(undefined, 8192 * MEGABYTE).heldAnswerBytes).toBe(1024 * MEGABYTE)
  expect(readLimits(undefined, 512 * MEGABYTE).heldAnswerBytes).toBe(256 * MEGABYTE)
})

it('refuses room for answers that the largest does not fit in', () => {
  expect(limitsSchema.safeParse({ held_answers: '127MB' }).success).toBe(false)
  expect(limitsSchema.safeParse({ held_answers: '128MB' }).success).toBe(true)
})
