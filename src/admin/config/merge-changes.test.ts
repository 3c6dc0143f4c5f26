import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../kit/json/json.ts'
import { mergeChanges } from './merge-changes.ts'

const weight = fc.integer({ min: 1, max: 3 })
const document = fc
  .record({
    a: fc.option(weight),
    b: fc.option(weight),
    x: fc.option(weight),
    attempts: fc.option(weight),
  })
  .map(({ a, b, x, attempts }): JsonObject => {
    const channels = [
      ...(a === null ? [] : [{ name: 'a', weight: a }]),
      ...(b === null ? [] : [{ name: 'b', weight: b }]),
    ]
    return {
      ...(channels.length > 0 && { channels }),
      ...(x !== null && { models: { x: { targets: [`a/${x}`] } } }),
      ...(attempts !== null && { retry: { attempts } }),
    }
  })

/** Every object of the document by its name: an independent view of it. */
function partsOf({ channels = [], models = {}, retry }: JsonObject): Readonly<Record<string, string>> {
  const [listed, named] = [
    channels as unknown as { name: string }[],
    models as unknown as Record<string, object>,
  ]
  return {
    ...Object.fromEntries(listed.map((channel) => [`channel ${channel.name}`, JSON.stringify(channel)])),
    ...Object.fromEntries(
      Object.entries(named).map(([name, model]) => [`model ${name}`, JSON.stringify(model)]),
    ),
    ...(retry !== undefined && { retry: JSON.stringify(retry) }),
  }
}

it('a merge takes each object from the side that changed it, or reports a conflict', () => {
  fc.assert(
    fc.property(document, document, document, (base, mine, theirs) => {
      const { document: merged, conflicts } = mergeChanges({ base, mine, theirs })
      const [b, m, t, all] = [partsOf(base), partsOf(mine), partsOf(theirs), partsOf(merged)]
      const names = [...new Set([b, m, t].flatMap((parts) => Object.keys(parts)))]
      const both = names.filter((name) => m[name] !== b[name] && t[name] !== b[name] && m[name] !== t[name])
      for (const name of names) expect(all[name]).toBe(m[name] === b[name] ? t[name] : m[name])
      expect(
        conflicts
          .map(({ kind, name }) => (kind === 'settings' ? name : `${kind.slice(0, -1)} ${name}`))
          .toSorted(),
      ).toEqual(both.toSorted())
    }),
    { numRuns: 300 },
  )
})

it('merging an empty change keeps the changes of the other side', () => {
  fc.assert(
    fc.property(document, document, (base, theirs) => {
      expect(partsOf(mergeChanges({ base, mine: base, theirs }).document)).toEqual(partsOf(theirs))
      expect(partsOf(mergeChanges({ base, mine: theirs, theirs: base }).document)).toEqual(partsOf(theirs))
    }),
  )
})

it('if both sides changed an object, the chosen side wins, even if it removed the object', () => {
  const base = { models: { x: { targets: ['a/1'] } } }
  const [mine, theirs] = [{}, { models: { x: { targets: ['a/2'] } } }]
  const removed = mergeChanges({ base, mine, theirs })
  expect(removed).toEqual({
    document: {},
    conflicts: [{ kind: 'models', name: 'x', mine: 'removed', theirs: 'changed' }],
  })
  expect(mergeChanges({ base, mine, theirs }, () => 'theirs').document).toEqual(theirs)
})
