import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type InFlightEntry, InFlightList } from './in-flight-list.ts'

describe('the list of entries in progress', () => {
  it('holds the same entries as a set, whatever is added and removed', () => {
    const steps = fc.array(fc.record({ add: fc.boolean(), which: fc.nat(20) }), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (made) => {
        const list = new InFlightList<number>()
        const entries: InFlightEntry<number>[] = []
        for (const [index, { add, which }] of made.entries()) {
          if (add || entries.length === 0) entries.push(list.add(index))
          else for (const entry of entries.splice(which % entries.length, 1)) list.remove(entry)
        }
        expect(new Set(list.all())).toEqual(new Set(entries.map(({ item }) => item)))
        expect(list.size).toBe(entries.length)
      }),
      { numRuns: 500 },
    )
  })

  it('unlinks a removed entry from the remaining entries', () => {
    const list = new InFlightList<string>()
    const first = list.add('first')
    const second = list.add('second')
    list.remove(first)
    expect([first.previous, first.next]).toEqual([undefined, undefined])
    expect(list.all()).toEqual([second.item])
  })
})
