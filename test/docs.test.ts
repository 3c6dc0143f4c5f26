import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ErrorCode, errorRow, errorTable } from '../src/canonical/error-table.ts'
import { findWarnings } from '../src/config/check/find-warnings.ts'
import { configSchema } from '../src/config/config-schema.ts'
import { resolveConfig } from '../src/config/resolve-config.ts'
import { noEnvironment } from './support/no-environment.ts'
import { parseYamlConfig } from './support/parse-yaml-config.ts'
import { readSourceFiles } from './support/source-files.ts'

const sharedWireFolders = ['errors', 'fields', 'verbatim']
const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')
const variables = { HEADGATE_KEY: 'a-key-for-the-tests', OPENAI_API_KEY: 'one', ANTHROPIC_API_KEY: 'two' }

/** Paths of this repository in backquotes, also within a command; a path may be a pattern with `*` or braces. */
function pathsIn(text: string): readonly string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const folders = 'src|test|scripts|docs|bench|bin|tools|deploy'
  const named = spans.flatMap((span) => [
    ...span.matchAll(new RegExp(`(?<![\\w./:-])(?:${folders})/[\\w./*{},-]*`, 'g')),
  ])
  return named.map(([path]) => path)
}

/** Names of tests without a folder, in backquotes. */
function testNamesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([\w.-]+\.test\.ts)`/g)].map(([, name = '']) => name)
}

/** Files and folders of an indented tree, from the root of the repository. */
function pathsInTree(tree: string): readonly string[] {
  const folders: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', name] = /^( *)([\w./-]+)/.exec(line) ?? []
    if (name === undefined) return []
    folders.length = indent.length / 2
    folders.push(name.replace(/\/$/, ''))
    return [folders.join('/')]
  })
}

/** Every page of the documentation, from the root of the repository. */
const allPages = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/results/README.md',
  ...readdirSync(resolve(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

/** The file names of all tests. */
const testNames = new Set(
  ['src', 'test', 'tools'].flatMap((folder) =>
    readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => basename(path)),
  ),
)

/** A folder of `src/wire/` that belongs to one format; the shared ones have their own line. */
function isInsideFormat(folder: string): boolean {
  const [, wire, format] = folder.split('/')
  return wire === 'wire' && format !== undefined && !sharedWireFolders.includes(format)
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.matchAll(/^#{1,6} (.+)$/gm)
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-')
  return new Set([...headings].map(([, heading = '']) => slug(heading)))
}

const missing = (paths: readonly string[]) =>
  paths.filter((path) => globSync(path, { cwd: root }).length === 0)

describe('the documents', () => {
  it.each(allPages)('name only paths that exist: %s', (page) => {
    expect(missing(pathsIn(read(page)))).toEqual([])
    expect(testNamesIn(read(page)).filter((name) => !testNames.has(name))).toEqual([])
  })

  it('of decisions first say whether the decision is in force or which one replaced it', () => {
    const decisions = allPages.filter((page) => page.startsWith('docs/decisions/'))
    expect(decisions.length).toBeGreaterThan(20)
    for (const page of decisions) {
      const [title = '', , status = ''] = read(page).split('\n')
      const replacedBy = /^Status: replaced by \[(\d{4})\]\(\1-[\w-]+\.md\)$/
      expect([page, /^# \d{4}: /.test(title)]).toEqual([page, true])
      expect([page, status === 'Status: in force' || replacedBy.test(status)]).toEqual([page, true])
    }
  })

  it('name the files of every step of a request', () => {
    for (const page of ['docs/architecture.md', 'docs/lifecycle.md']) {
      expect(pathsIn(read(page)).length).toBeGreaterThan(15)
    }
  })

  it('name on the security page only long suites that exist', () => {
    const page = read('docs/security.md')
    const suites = [...page.matchAll(/`npm run test:long -- ([^|]*)\|/g)]
      .flatMap(([, names = '']) => names.match(/[\w-]+/g) ?? [])
      .map((name) => `test/long/${name}.ts`)
    expect(suites.length).toBeGreaterThan(3)
    expect(missing(suites)).toEqual([])
  })

  it('draw the tree of folders correctly', () => {
    const tree = /^```\n(bin\/[\s\S]*?)```/m.exec(read('docs/architecture.md'))?.[1] ?? ''
    const paths = pathsInTree(tree)
    expect(paths.length).toBeGreaterThan(20)
    expect(missing(paths)).toEqual([])
  })

  it('name an existing file to open first in every folder of the source', () => {
    const table = read('docs/architecture.md').split('## Where does a change go?')[1] ?? ''
    const rows = [...table.matchAll(/^\| `([\w/-]+)` \| `([\w./-]+)` \|/gm)]
    const named = new Map(rows.map(([, folder = '', file = '']) => [folder, file]))
    const wanted = readSourceFiles()
      .map(({ path }) => dirname(join('src', path)))
      .filter((folder) => !isInsideFormat(folder) && !folder.startsWith('src/kit/'))
    expect([...new Set(wanted)].filter((folder) => !named.has(folder))).toEqual([])
    expect(missing([...named.keys(), ...named.values()])).toEqual([])
    expect([...named].filter(([folder, file]) => !file.startsWith(`${folder}/`))).toEqual([])
  })

  it.each(allPages)('have a heading and a line under it in each table: %s', (page) => {
    const text = read(page).replace(/^```.*?^```/gms, '')
    const tables = text.matchAll(/(?:^\|.*\n?)+/gm)
    const wrong = [...tables]
      .map(([table]) => table)
      .filter((table) => !/^.*\n\|[ :|-]+\|(?:\n|$)/.test(table))
    expect(wrong).toEqual([])
  })

  it.each(allPages)('link only to files and headings that exist: %s', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
    const broken = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(resolve(root, target))) return true
      return anchor !== undefined && !anchorsOf(read(target)).has(anchor)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  it('list the steps of a request in the order in which `serve` calls them', () => {
    const text = read('docs/lifecycle.md')
    const body = read('src/pipeline/serve.ts').split('async function serve(')[1]?.split('\n}\n')[0] ?? ''
    const calls: readonly (readonly [call: string, file: string])[] = [
      ['run.share(', 'idempotency/share-call'],
      ['admitDryRun(', 'exchange/dry-run'],
      ['read(', 'read'],
      ['plan(', 'plan'],
      ['describeRoute(', 'describe-route'],
      ['admit(', 'admit'],
      ['attempt(', 'attempt/'],
    ]
    const called = calls.map(([call]) => body.search(new RegExp(`(?<![\\w.])${call.replace('(', '\\(')}`)))
    const listed = calls.map(([, file]) => text.indexOf(`\`src/pipeline/${file.replace(/[^/]$/, '$&.ts')}`))
    expect([...called, ...listed]).not.toContain(-1)
    expect(called.toSorted((a, b) => a - b)).toEqual(called)
    expect(listed.toSorted((a, b) => a - b)).toEqual(listed)
  })

  it('name each lane of an operation in the life of a request', () => {
    const text = read('docs/lifecycle.md')
    // What opens a lane, and the lanes of whole and unread answers, are of no operation.
    const others = ['open-lane.ts', 'open-check-lane.ts', 'whole-lane.ts', 'verbatim-lane.ts']
    const lanes = readdirSync(resolve(root, 'src/pipeline/lane')).filter((name) => name.endsWith('-lane.ts'))
    expect(lanes.length).toBeGreaterThan(others.length)
    expect(lanes.filter((name) => !others.includes(name) && !text.includes(`lane/${name}`))).toEqual([])
  })

  it('name on the architecture page every change of a request in the verbatim lane', () => {
    const change = read('src/wire/wire-format.ts')
      .split('export interface RequestChange {')[1]
      ?.split('\n}')[0]
    const fields = [...(change ?? '').matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = '']) => field)
    const lanes = read('docs/architecture.md').split('## Two lanes')[1]?.split('\n## ')[0] ?? ''
    const listed = [...lanes.matchAll(/^\| `(\w+)` \|/gm)].map(([, field = '']) => field)
    expect(fields.length).toBeGreaterThan(3)
    expect(listed).toEqual(fields)
  })

  it('name for every code the HTTP status that it is sent with', () => {
    const text = read('docs/lifecycle.md')
    const codes = Object.keys(errorTable).filter((name): name is ErrorCode => Object.hasOwn(errorTable, name))
    expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual([])
    for (const [, status, code = ''] of text.matchAll(/(\d{3}) `(\w+)`/g)) {
      const known = codes.find((each) => each === code)
      expect([code, known && errorRow(known).status]).toEqual([code, Number(status)])
    }
  })
})

describe('the configuration example of the README', () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(read('README.md'))?.[1] ?? ''

  it('loads, without a warning about a likely mistake', () => {
    const parsed = parseYamlConfig(example, variables)
    expect(parsed.channels.map(({ name }) => name)).toEqual(['openai', 'anthropic', 'local'])
    const config = resolveConfig({
      parsed,
      source: { type: 'file', path: 'headgate.yaml' },
      files: { tls: undefined, channels: parsed.channels },
      environment: { ...noEnvironment, variables },
      outer: {},
      workingFolder: root,
    })
    expect(findWarnings(config)).toEqual([])
  })
})

describe('the configuration page', () => {
  it('has every key of the schema', () => {
    const page = read('docs/configuration.md')
    const names = [
      ...Object.keys(configSchema.shape),
      ...namesIn(JSON.parse(read('docs/config.schema.json'))),
    ]
    expect(names.length).toBeGreaterThan(40)
    expect(
      names.filter((name) => !new RegExp(`\`(\\w+\\.)?${name}(\\.\\w+)?\``).test(page) && !inline.has(name)),
    ).toEqual([])
  })
})

/** Explained within the row of the key that holds them. */
const inline = new Set(['after', 'every'])

/** The names of all properties that a JSON schema knows. */
function namesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'properties' in schema && typeof schema.properties === 'object' ? schema.properties : null
  return [...Object.keys(own ?? {}), ...Object.values(schema).flatMap(namesIn)]
    .filter((name) => name !== '')
    .filter((name, index, all) => all.indexOf(name) === index)
}
