import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLossList } from '../../../canonical/loss.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { LogprobsWriter } from './logprobs-writer.ts'
import { isEntry, readLogprobEntry } from './read-logprobs.ts'

const text = fc.oneof(fc.constant('the'), fc.string({ unit: 'binary', maxLength: 4 }))
const bytes = (token: string): number[] => [...Buffer.from(token, 'utf8')]
const odd = fc.oneof(fc.constant(null), fc.constant('x'), fc.constant([1]), fc.constant({}))

/** Mostly as it is read, now and then with a member that is missing, odd or in another order. */
const token = fc
  .record({ text, logprob: fc.double({ noNaN: true, noDefaultInfinity: true }), id: fc.option(fc.nat(9)) })
  .map(
    ({ text: chosen, logprob, id }): JsonObject => ({
      token: chosen,
      logprob,
      bytes: bytes(chosen),
      ...(id === null ? {} : { token_id: id }),
    }),
  )
const entry = fc
  .record({ of: token, top: fc.array(token, { maxLength: 2 }) })
  .map(({ of, top }): JsonObject => ({ ...of, top_logprobs: top }))
const spoilt = fc
  .tuple(entry, fc.constantFrom('token', 'logprob', 'bytes', 'token_id', 'top_logprobs', 'more'), odd)
  .map(([value, name, instead]): JsonObject => ({ ...value, [name]: instead }))
const reversed = entry.map((value): JsonObject => Object.fromEntries(Object.entries(value).toReversed()))

it('isEntry accepts exactly the entries that a round trip does not change', () => {
  const seen = { same: 0, changed: 0 }
  fc.assert(
    fc.property(fc.oneof(entry, spoilt, reversed), (value) => {
      const isSame = JSON.stringify(roundTrip(value)) === JSON.stringify(value)
      seen[isSame ? 'same' : 'changed'] += 1
      expect(isEntry(value)).toBe(isSame)
    }),
    { numRuns: 1_000 },
  )
  expect(Math.min(seen.same, seen.changed)).toBeGreaterThan(50)
})

function roundTrip(value: JsonObject): JsonObject {
  const writer = new LogprobsWriter()
  writer.add({ content: [value] })
  const written = writer.finish(createLossList())['logprobsResult'] as {
    readonly chosenCandidates: readonly JsonObject[]
    readonly topCandidates: readonly JsonValue[]
  }
  return readLogprobEntry(written.chosenCandidates[0] ?? {}, written.topCandidates[0])
}
