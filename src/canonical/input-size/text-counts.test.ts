import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextCounts } from './text-counts.ts'

function countWhole(text: string): TextCounts {
  const counts = new TextCounts()
  counts.add(text)
  return counts
}

function countsOf(text: string) {
  const counts = countWhole(text)
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))
}

describe('the counts of a text', () => {
  it.each([
    ['Hello world', { words: 2 }],
    ['naïve internationally', { words: 2, lettersBeyondSix: 9 }],
    ['in 2026', { words: 1, digits: 4 }],
    ['a, b; c!!', { words: 3, marks: 3 }],
    ['a\n\n  b', { words: 2, gaps: 2 }],
    ['{"a":1}', { marks: 3, words: 1, digits: 1 }],
    ['日本語と한국어', { ideographs: 7 }],
    ['привет мир', { otherLetters: 9 }],
    ['', {}],
  ])('of %j are %j', (text, expected) => {
    expect(countsOf(text)).toEqual(expected)
  })

  it('are the same whether a text is added at once or in parts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('ab', 'é1', ' ', '\n', '。', 'я', '😀', ',')),
        fc.integer({ min: 1, max: 9 }),
        (parts, step) => {
          const text = parts.join('')
          const counts = new TextCounts()
          for (let at = 0; at < text.length; ) at = counts.add(text, at, at + step)
          expect({ ...counts }).toEqual({ ...countWhole(text) })
        },
      ),
    )
  })

  it('accept any text and are never negative', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const count of Object.values(countsOf(text))) expect(count).toBeGreaterThan(0)
      }),
    )
  })
})
