import { describe, expect, it } from 'vitest'
import { modelSchema, readModelEntry } from './model-schema.ts'

describe('the display name and description of a model', () => {
  it('are accepted without surrounding white space', () => {
    const input = modelSchema.parse({ display_name: ' Claude X ', description: 'For hard things.' })
    expect(readModelEntry('m', input)).toMatchObject({
      displayName: 'Claude X',
      description: 'For hard things.',
    })
    expect(readModelEntry('m', modelSchema.parse({}))).not.toHaveProperty('displayName')
  })

  it.each([
    [{ display_name: '' }, 'must be a text of 1 to 200 characters'],
    [{ display_name: 7 }, 'must be a text of 1 to 200 characters'],
    [{ display_name: 'x'.repeat(201) }, 'must be a text of 1 to 200 characters'],
    [{ description: ' ' }, 'must be a text of 1 to 2000 characters'],
  ])('%j is refused', (input, message) => {
    expect(modelSchema.safeParse(input).error?.issues.map((issue) => issue.message)).toEqual([message])
  })
})

describe('targets', () => {
  it('are names, or names with weights', () => {
    const targets = ['a/b/c', { use: 'd/e', weight: 0.5 }, { use: 'f/g' }]
    expect(readModelEntry('m', modelSchema.parse({ targets })).targets).toEqual([
      { channel: 'a', model: 'b/c' },
      { channel: 'd', model: 'e', weight: 0.5 },
      { channel: 'f', model: 'g' },
    ])
  })

  it.each([[{ use: 'a/b', weight: 0 }], [{ use: 'a/b', weight: '9' }], [{ use: 'a' }], [{ weight: 1 }], [9]])(
    '%j is refused',
    (target) => {
      expect(modelSchema.safeParse({ targets: [target] }).success).toBe(false)
    },
  )
})
