import { describe, expect, it } from 'vitest'
import { excusedNames, findRetiredNames, isExcused, retiredWords } from './support/retired-names.ts'
import { readConsoleFiles, readSourceFiles, readToolFiles } from './support/source-files.ts'

describe('names of the source', () => {
  const sourceFiles = [...readSourceFiles(), ...readToolFiles(), ...readConsoleFiles()]
  const found = findRetiredNames(sourceFiles)

  it(`contain none of the retired words: ${retiredWords.join(', ')}`, () => {
    const refused = found.filter((each) => !isExcused(each))
    expect(refused.map(({ name, path }) => `${path}: ${name}`)).toEqual([])
  })

  it('need every listed exception', () => {
    const unused = excusedNames.filter(
      (each) => !found.some(({ name, path }) => each.name === name && each.path === path),
    )
    expect(unused).toEqual([])
  })

  it('name the limits of a value MAX and MIN', () => {
    const others = /^(?:[A-Z0-9]+_)*(?:MOST|LARGEST|LONGEST|GREATEST|LEAST|SMALLEST|SHORTEST)(?:_[A-Z0-9]+)+$/
    const refused = sourceFiles.flatMap(({ path, code }) =>
      [...code.matchAll(/\b[A-Z][A-Z0-9_]+\b/g)]
        .filter(([name]) => others.test(name))
        .map(([name]) => `${path}: ${name}`),
    )
    expect(refused).toEqual([])
  })

  it.each([
    ['the source', readSourceFiles()],
    ['the console', readConsoleFiles()],
  ])(
    'have one meaning each: no two files of %s export the same one, except for formats and vendors',
    (_name, all) => {
      const filesOf = new Map<string, string[]>()
      for (const { path, code } of all) {
        for (const name of exportedNamesOf(code)) filesOf.set(name, [...(filesOf.get(name) ?? []), path])
      }
      const shared = [...filesOf].filter(([, paths]) => !paths.every(followsAContract) && paths.length > 1)
      expect(shared).toEqual([])
    },
  )
})

/** Formats and vendors fill the same contract, each in a folder of its own, with the same names for the same job. */
function followsAContract(path: string): boolean {
  return path.startsWith('wire/') || path.startsWith('providers/vendors/')
}

function exportedNamesOf(code: string): ReadonlySet<string> {
  const declaration = /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type) ([\w$]+)/gm
  return new Set([...code.matchAll(declaration)].flatMap(([, name]) => name ?? []))
}
