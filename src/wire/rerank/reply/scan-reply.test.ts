import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFailure } from '../../../canonical/failure.ts'
import type { RerankReply } from '../../../canonical/operations/rerank.ts'
import { readReply } from './read-reply.ts'
import { scanReply } from './scan-reply.ts'

const scan = (text: string, documents = 3) => scanReply(Buffer.from(text), documents)

function facts({ listResults, ...reply }: RerankReply) {
  return { ...reply, results: listResults() }
}

const score = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }).map((thousandths) => thousandths / 1_000),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

describe('a rerank answer that is scanned without parsing', () => {
  it('gives the same result as parsing, or needs parsing', () => {
    const lists = fc.uniqueArray(fc.record({ index: fc.nat(4), relevance_score: score }), {
      selector: ({ index }) => index,
    })
    const property = fc.property(lists, fc.boolean(), fc.nat(2), (results, isSorted, space) => {
      const list = isSorted
        ? results.toSorted((one, other) => other.relevance_score - one.relevance_score)
        : results
      const text = JSON.stringify({ id: 'a', data: list, usage: { total_tokens: 7 } }, null, space)
      const scanned = scan(text, 5)
      const parsed = readReply(JSON.parse(text), 5)
      if (isFailure(parsed)) throw new Error('the answer is a failure')
      if (scanned !== undefined) expect(facts(scanned)).toEqual(facts(parsed))
      // Scores of few digits in their order are never parsed.
      else
        expect(parsed.isInOrder && /^[^eE]*$/.test(text) && !/\d{16}/.test(text.replaceAll('.', ''))).toBe(
          false,
        )
    })
    fc.assert(property, { numRuns: 2_000 })
  })

  it.each([
    [
      'scores that are not in order',
      '{"data":[{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.2}]}',
    ],
    [
      'the same index twice',
      '{"data":[{"index":0,"relevance_score":0.2},{"index":0,"relevance_score":0.1}]}',
    ],
    ['an index of no document', '{"data":[{"index":3,"relevance_score":0.2}]}'],
    ['a further field', '{"data":[{"index":0,"relevance_score":0.2,"document":"a"}]}'],
    ['a number that is not JSON', '{"data":[{"index":0,"relevance_score":00.2}]}'],
    ['a number without digits behind its point', '{"data":[{"index":0,"relevance_score":1.}]}'],
    ['an exponent', '{"data":[{"index":0,"relevance_score":1e-5}]}'],
    ['an index with a fraction', '{"data":[{"index":0.5,"relevance_score":1}]}'],
    ['a comma too many', '{"data":[{"index":0,"relevance_score":1},]}'],
    ['a list under another name', '{"items":[{"index":0,"relevance_score":1}]}'],
    ['a list within an object', '{"data":{"list":[{"index":0,"relevance_score":1}]}}'],
    ['a second list', '{"data":[{"index":0,"relevance_score":1}],"warnings":[]}'],
    ['brackets in a text alone', '{"data":"[]"}'],
    ['no end', '{"data":[{"index":0,"relevance_score":1}]'],
    ['no JSON', '[{"index":0,"relevance_score":1}] and more'],
    ['a list in the wrong order of brackets', ']['],
  ])('needs parsing if it has %s', (_what, text) => {
    expect(scan(text)).toBeUndefined()
  })

  it('lists a score that is a long integer, as parsing does', () => {
    const reply = scan('{"data":[{"index":1,"relevance_score":9007199254740993}]}')
    expect(reply?.listResults()).toEqual([{ index: 1, relevanceScore: 2 ** 53 }])
  })

  it('bounds its usage, as parsing does', () => {
    expect(scan('{"data":[],"usage":{"total_tokens":9007199254740993}}')?.usage?.freshInputTokens).toBe(
      100_000_000,
    )
  })

  it('needs parsing if it is long, for any reason', () => {
    const answer = (blanks: number) => `{"data":[${' '.repeat(blanks)}{"index":0,"relevance_score":1}]}`
    expect([scan(answer(200_000))?.resultCount, scan(answer(300_000))]).toEqual([1, undefined])
  })

  it('may have no results', () => {
    expect(scan('{"results": [ ], "meta": {"billed_units": {"search_units": 1}}}')).toMatchObject({
      resultCount: 0,
      usage: { toolCalls: { search_unit: 1 } },
    })
  })
})
