import { describe, expect, it } from 'vitest'
import { excusedNames, findRetiredNames, isExcused, retiredWords } from './support/retired-names.ts'
import { readSourceFiles, readToolFiles } from './support/source-files.ts'

describe('names of the source', () => {
  const found = findRetiredNames([...readSourceFiles(), ...readToolFiles()])

  it(`hold none of the retired words: ${retiredWords.join(', ')}`, () => {
    const refused = found.filter((each) => !isExcused(each))
    expect(refused.map(({ name, path }) => `${path}: ${name}`)).toEqual([])
  })

  it('need every exception that is listed', () => {
    const unused = excusedNames.filter(
      (each) => !found.some(({ name, path }) => each.name === name && each.path === path),
    )
    expect(unused).toEqual([])
  })
})
