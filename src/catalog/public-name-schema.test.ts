import { expect, it } from 'vitest'
import { publicNameSchema } from './public-name-schema.ts'

it.each(['.', '..'])('a model cannot have the name "%s", which is no part of a path', (name) => {
  expect(publicNameSchema.safeParse(name).error?.issues[0]?.message).toContain('cannot be "." or ".."')
})

it.each(['...', '.hidden', 'a..b', 'qwen2.5'])('a model can have the name "%s"', (name) => {
  expect(publicNameSchema.safeParse(name).success).toBe(true)
})
