import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import consolePackage from '../console/package.json' with { type: 'json' }
import { importsOf, packageOf, readConsoleFiles, type SourceFile } from './support/source-files.ts'

const files = readConsoleFiles()
const ROOT = '../console/src/'

/** What the browser, the clock and the language give to every other folder. */
const platform = ['browser', 'time', 'language']

/** The parts that pages are made of. */
const parts = ['api', 'ui', 'charts', 'forms', 'shell']

/** The subjects that several pages show. */
const subjects = [
  'budgets',
  'changes',
  'health',
  'routing',
  'second-factor',
  'sessions',
  'settings',
  'suggestions',
]

/** The folders of `console/src` that each of them may import besides itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  browser: [],
  time: [],
  language: ['browser', 'time'],
  api: [...platform],
  ui: [...platform, 'api'],
  charts: [...platform, 'ui'],
  forms: [...platform, 'api', 'ui'],
  shell: [...platform, 'api', 'ui'],
  ...Object.fromEntries(subjects.map((name) => [name, [...platform, ...parts, ...subjects]])),
  pages: [...platform, ...parts, ...subjects],
  app: [...platform, ...parts, ...subjects, 'pages'],
}

/** The contracts of the admin API, which are all that the console knows of the gateway. */
const CONTRACT = /^admin\/[\w/-]+-contract\.ts$/

const folderIn = (path: string): string => {
  const inside = path.slice(ROOT.length)
  return inside.includes('/') ? (inside.split('/')[0] ?? '') : ''
}

/** The page that a file belongs to. */
const pageOf = (path: string): string | undefined => /\/pages\/([\w-]+)\//.exec(path)?.[1]

function violations(find: (file: SourceFile) => readonly string[]): readonly string[] {
  return files.flatMap((file) => find(file).map((problem) => `${file.path.slice(ROOT.length)}: ${problem}`))
}

describe('the console', () => {
  it('is read completely', () => {
    expect(files.length).toBeGreaterThan(40)
    const folders = new Set(files.map(({ path }) => folderIn(path)))
    expect([...folders].filter((name) => name !== '' && !Object.hasOwn(mayImport, name))).toEqual([])
  })

  it('imports only the contracts of the gateway', () => {
    const wrong = violations(({ imports }) =>
      imports.flatMap(({ target }) =>
        target === undefined || target.startsWith(ROOT) || CONTRACT.test(target) ? [] : [target],
      ),
    )
    expect(wrong).toEqual([])
  })

  it('imports only from the folders in the table, and no page from another', () => {
    const wrong = violations(({ path, imports }) => {
      const own = folderIn(path)
      if (own === '') return []
      const allowed = [own, ...(mayImport[own] ?? [])]
      return imports.flatMap(({ target }) => {
        if (target?.startsWith(ROOT) !== true) return []
        const isOtherPage = own === 'pages' && folderIn(target) === 'pages' && pageOf(target) !== pageOf(path)
        return isOtherPage || !allowed.includes(folderIn(target)) ? [target.slice(ROOT.length)] : []
      })
    })
    expect(wrong).toEqual([])
  })

  it('names its imports in its package, and nothing that the gateway would install', () => {
    const used = new Set(
      files.flatMap(({ imports }) =>
        imports.flatMap(({ specifier, target }) => (target === undefined ? [packageOf(specifier)] : [])),
      ),
    )
    const named = Object.keys(consolePackage.devDependencies)
    expect([...used].filter((name) => !named.includes(name))).toEqual([])
    const ofTheBuild = ['@tailwindcss/vite', '@vitejs/plugin-react', 'tailwindcss', 'vite']
    const unused = named.filter((name) => !used.has(name) && !name.startsWith('@types/'))
    expect(unused.toSorted()).toEqual(ofTheBuild)
    expect(Object.keys(consolePackage)).not.toContain('dependencies')
  })

  it('has files of at most 300 lines, at most 32 in a folder, named in kebab-case', () => {
    expect(
      violations(({ text }) => (text.trimEnd().split('\n').length > 300 ? ['is too long'] : [])),
    ).toEqual([])
    const counts = new Map<string, number>()
    for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 32)).toEqual([])
    expect(
      files.filter(({ path }) => !/\/[a-z][a-z0-9-]*\.tsx?$/.test(path)).map(({ path }) => path),
    ).toEqual([])
  })

  it('keeps the clock, the units of time, storage and the clipboard in one file each', () => {
    const readers: readonly (readonly [RegExp, string])[] = [
      [/\bDate\.now\(|\bperformance\.now\(/, 'time/clock.ts'],
      [/\b(?:localStorage|sessionStorage)\b/, 'browser/browser-storage.ts'],
      [/\b(?:60_000|3_600_000|86_400_000)\b/, 'time/time-units.ts'],
      [/\bnavigator\.clipboard\b/, 'browser/copy-text.ts'],
    ]
    for (const [pattern, only] of readers) {
      const found = files.filter(({ code }) => pattern.test(code)).map(({ path }) => path.slice(ROOT.length))
      expect(found).toEqual([only])
    }
  })

  it('has a navigation with only existing pages', () => {
    const routes = files.filter(({ path }) => path.startsWith(`${ROOT}app/`))
    const paths = routes.flatMap(({ code }) =>
      [...code.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path),
    )
    const { code } = files.find(({ path }) => path === `${ROOT}shell/navigation.ts`) ?? { code: '' }
    const items = [...code.matchAll(/\bto: '([^']+)'/g)].map(([, path]) => path)
    expect(items.length).toBeGreaterThan(10)
    expect(items.filter((path) => !paths.includes(path))).toEqual([])
  })

  it('checks permissions only of existing operations', () => {
    const documented = readFileSync(new URL('../docs/admin-api.md', import.meta.url), 'utf8')
    const asked = files.flatMap(({ code }) =>
      [...code.matchAll(/(?:\b(?:useMay|may)\(|\bneeds: )'([A-Z]+) ([^']+)'/g)].map(
        ([, method, path]) => `${method} /admin/v1${path}`,
      ),
    )
    expect(asked.length).toBeGreaterThan(15)
    expect(asked.filter((operation) => !documented.includes(`| \`${operation}\` |`))).toEqual([])
  })

  it('creates no code and no markup from texts', () => {
    const risky = /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|\beval\(|new Function\(/
    expect(violations(({ code }) => (risky.test(code) ? ['makes code of a text'] : []))).toEqual([])
  })

  it('has no number field, whose value a mouse wheel would change', () => {
    expect(
      violations(({ code }) => (/type="(?:number|range)"/.test(code) ? ['has a number field'] : [])),
    ).toEqual([])
  })

  it('is not imported by any other part of the repository', () => {
    const sources = files.flatMap(({ imports }) => imports.flatMap(({ target }) => target ?? []))
    expect(sources.length).toBeGreaterThan(100)
    expect(importsOf(`import '../console/src/main.tsx'`)).toHaveLength(1)
  })
})
