import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelFormatIds } from '../src/canonical/format.ts'
import { listResults, readGoldenCases, readResult } from './support/golden/golden-files.ts'
import { type GoldenMatrix, openGoldenMatrix } from './support/golden/golden-matrix.ts'

// `npm run golden` writes the results again; the difference is what a reviewer reads.
let matrix: GoldenMatrix
beforeAll(async () => {
  matrix = await openGoldenMatrix()
})
afterAll(() => matrix[Symbol.asyncDispose]())

const cases = readGoldenCases()

describe('the golden exchanges', () => {
  it('exist for every format', () => {
    const written = new Set<string>(cases.map(({ format }) => format))
    expect(channelFormatIds.filter((id) => !written.has(id))).toEqual([])
    expect(cases.length).toBeGreaterThanOrEqual(40)
  })

  it.each(cases.map((golden) => [`${golden.format}/${golden.name}`, golden] as const))(
    '%s is translated into every other format as its files say',
    async (_name, golden) => {
      const results = await matrix.run(golden)
      for (const { name, text } of results) expect(text, name).toBe(readResult(golden.folder, name))
      expect(listResults(golden.folder).toSorted()).toEqual(results.map(({ name }) => name).toSorted())
    },
  )
})
