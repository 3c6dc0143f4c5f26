import { expect, it } from 'vitest'
import { limitsSchema, readLimits } from './limits-schema.ts'

const MEGABYTE = 1024 ** 2

it('holds request bodies in up to an eighth of the memory, and half of that per key', () => {
  expect(readLimits(undefined, 8192 * MEGABYTE)).toMatchObject({
    heldBodyBytes: 1024 * MEGABYTE,
    heldBodyBytesOfKey: 512 * MEGABYTE,
  })
})

it('holds at least four bodies of the largest size, however small the machine is', () => {
  expect(readLimits(undefined, 512 * MEGABYTE)).toMatchObject({
    heldBodyBytes: 128 * MEGABYTE,
    heldBodyBytesOfKey: 64 * MEGABYTE,
  })
})

it('leaves a key room for the largest body, up to the total', () => {
  const limits = limitsSchema.parse({ body: '10MB', held_bodies: '12MB' })
  expect(readLimits(limits)).toMatchObject({ heldBodyBytesOfKey: 10 * MEGABYTE })
  const ofKey = limitsSchema.parse({ body: '10MB', held_bodies: '12MB', held_bodies_per_key: '40MB' })
  expect(readLimits(ofKey)).toMatchObject({ heldBodyBytesOfKey: 12 * MEGABYTE })
})

it.each(['held_bodies', 'held_bodies_per_key'])('refuses %s smaller than the largest body', (name) => {
  const found = limitsSchema.safeParse({ body: '10MB', [name]: '9MB' })
  expect(found.error?.issues).toMatchObject([
    { path: [name], message: expect.stringContaining('limits.body') },
  ])
  expect(limitsSchema.safeParse({ [name]: '31MB' }).success).toBe(false)
})

it('holds answers in up to an eighth of the memory, and at least two of the largest size', () => {
  expect(readLimits(undefined, 8192 * MEGABYTE).heldAnswerBytes).toBe(1024 * MEGABYTE)
  expect(readLimits(undefined, 512 * MEGABYTE).heldAnswerBytes).toBe(256 * MEGABYTE)
})

it('refuses an answer limit smaller than the largest answer', () => {
  expect(limitsSchema.safeParse({ held_answers: '127MB' }).success).toBe(false)
  expect(limitsSchema.safeParse({ held_answers: '128MB' }).success).toBe(true)
})
