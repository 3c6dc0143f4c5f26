import { beforeAll, describe, expect, it } from 'vitest'
import { speak } from '../language/language.ts'
import { writeProblem } from './write-problem.ts'

// Node has no page, whose language is set.
Object.assign(globalThis, { document: { documentElement: {} } })

describe.each([
  {
    language: 'en',
    allowed: 'This must be one of these: *, a list, a map of names to values.',
    circle: 'The fallbacks go in a circle: a → b → a. Break it.',
  },
  {
    language: 'zh',
    allowed: '此项必须是以下之一：*, 列表, 名称与值的对应表。',
    circle: '备用模型形成循环：a → b → a。请打破循环。',
  },
] as const)('an input problem in $language', ({ language, allowed, circle }) => {
  beforeAll(() => speak(language))

  it('says which values and types are allowed', () => {
    const fact = { code: 'no_alternative', values: { values: ['*'], types: ['array', 'object'] } }
    expect(writeProblem({ message: 'as the gateway says it', fact })).toBe(allowed)
  })

  it('names the models in a fallback cycle', () => {
    const fact = { code: 'fallback_circle', values: { models: ['a', 'b', 'a'] } }
    expect(writeProblem({ message: 'as the gateway says it', fact })).toBe(circle)
  })

  it('is the sentence of the gateway when the console does not know the code', () => {
    const fact = { code: 'unheard_of', values: {} }
    expect(writeProblem({ message: 'as the gateway says it', fact })).toBe('as the gateway says it')
  })
})
