import { describe, expect, it } from 'vitest'
import { findRetiredNames, retiredWords } from './support/retired-names.ts'
import { readSourceFiles, readToolFiles } from './support/source-files.ts'

/** Names that hold a retired word for a reason: the word is not ours to choose. */
const exceptions: readonly { readonly name: string; readonly path: string; readonly reason: string }[] = [
  { name: 'proof', path: 'server/routes/create-routes.ts', reason: 'a field of GET /admin/v1/proof' },
  { name: 'proof', path: 'cli/remote/call-server.ts', reason: 'a field of GET /admin/v1/proof' },
]

describe('names of the source', () => {
  const found = findRetiredNames([...readSourceFiles(), ...readToolFiles()])

  it(`hold none of the retired words: ${retiredWords.join(', ')}`, () => {
    const refused = found.filter(
      ({ name, path }) => !exceptions.some((each) => each.name === name && each.path === path),
    )
    expect(refused.map(({ name, path }) => `${path}: ${name}`)).toEqual([])
  })

  it('need every exception that is listed', () => {
    const unused = exceptions.filter(
      (each) => !found.some(({ name, path }) => each.name === name && each.path === path),
    )
    expect(unused).toEqual([])
  })
})
