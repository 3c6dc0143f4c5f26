import { expect, it } from 'vitest'
import { readSourceFiles } from './support/source-files.ts'

/** Folders whose errors reach the console, and files of others. */
const shown = /^(?:admin|storage|access)\/|^server\/(?:admin-hosts|routes\/mount-admin-route)\.ts$/

/** Files whose errors the console words by their codes alone, and why. */
const wordedByCode: Readonly<Record<string, string>> = {
  'admin/sign-on/admit-identity.ts': 'the console has a page for the outcome of single sign-on',
  'admin/sign-on/follow-claims.ts': 'the same',
  'admin/config/edit-object.ts': 'it shortens the paths of problems that are there already',
  'storage/backup/copy-databases.ts': 'the console makes no backup',
}

it('an error of the admin API with a separate message has that message as data, too', () => {
  const files = readSourceFiles().filter(({ path }) => shown.test(path) && wordedByCode[path] === undefined)
  expect(files.length).toBeGreaterThan(100)
  const wrong = files.flatMap(({ path, code }) =>
    findErrors(code)
      .filter((written) => /(?<!\.)\bmessage\b/.test(written) && !/\bproblems\b/.test(written))
      .map((written) => `${path}: ${written.replaceAll(/\s+/g, ' ').slice(0, 80)}`),
  )
  expect(wrong, 'use `refuse` of src/canonical/refusal.ts').toEqual([])
})

/** What stands between the brackets of each `new GatewayError(…)`. */
function findErrors(code: string): readonly string[] {
  return [...code.matchAll(/new GatewayError\(/g)].map(({ index }) => {
    const from = index + 'new GatewayError('.length
    let depth = 1
    let end = from
    for (; depth > 0 && end < code.length; end += 1) {
      if (code[end] === '(') depth += 1
      if (code[end] === ')') depth -= 1
    }
    return code.slice(from, end - 1)
  })
}
